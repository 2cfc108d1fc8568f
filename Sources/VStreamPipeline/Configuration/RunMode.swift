internal import VStreamDetection
public import VStreamMedia
public import VStreamReporting
public import VStreamScene

/// A run's work on its input.
public enum RunMode: Sendable {
  /// Detects, tracks, and writes the output.
  case process
  /// The same with one part of the input.
  case part(InputPart)
  /// Takes detections or tracks from the records of an earlier run.
  case replay(ReplayOptions)
  /// Joins the records of all parts, in their order, without decoding a frame, and writes each part's overlay if it is wanted.
  case joinRecords([String], paint: JoinedPaint?)
  /// Paints one part by its overlay, and keeps the encoder's packets for the output of all parts.
  case render(InputPart, PartRendering)
  /// Joins the packets of all rendered parts to the output.
  case joinVideo(JoinedPackets)
  /// Verifies the output of a run that redacted.
  case verify

  /// The part of the input that is processed; `nil` for the whole.
  var part: InputPart? {
    switch self {
    case .part(let part), .render(let part, _): part
    default: nil
    }
  }

  var replay: ReplayOptions? { if case .replay(let options) = self { options } else { nil } }
  var rendering: PartRendering? { if case .render(_, let rendering) = self { rendering } else { nil } }
  var joinedPackets: JoinedPackets? { if case .joinVideo(let packets) = self { packets } else { nil } }
  var joinedRecords: [String]? { if case .joinRecords(let paths, _) = self { paths } else { nil } }
  var joinedPaint: JoinedPaint? { if case .joinRecords(_, let paint) = self { paint } else { nil } }
  var isVerification: Bool { if case .verify = self { true } else { false } }
}

/// Where the tracks of a replay come from.
public enum ReplayedTracks: String, Hashable, Sendable, CaseIterable {
  /// The detections are tracked again.
  case again
  /// The tracks are taken from the records.
  case recorded
}

/// Records of an earlier run that are replayed instead of running detectors.
public struct ReplayOptions: Hashable, Sendable {
  /// The path of a `.jsonl` file.
  public var path: String
  /// Labels of the objects that are replayed; `nil` for all.
  public var classes: Set<String>?
  /// The kinds that are replayed.
  public var kinds: Set<DetectionKind>
  /// `nil`: again if the records hold detections, else recorded.
  public var tracks: ReplayedTracks?
  /// Whether a frame without a record is an error, as it is where no frame may leave unredacted.
  public var requiresEveryFrame = false

  public init(path: String, classes: Set<String>? = nil, kinds: Set<DetectionKind> = [.objects]) {
    self.path = path
    self.classes = classes
    self.kinds = kinds
  }

  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  public func open() throws(VStreamError) -> RecordReader {
    try RecordReader(path: path, labels: ClassList.coco.names, isStrict: requiresEveryFrame)
  }
}

extension VStreamError {
  /// Checks that a file of a part and the run agree on redaction: nothing may stay visible by mistake.
  ///
  /// - Parameters:
  ///   - redacted: the message's words for a redacted file.
  ///   - unredacted: the words for one without redaction.
  /// - Throws: `VStreamError.usage` if only one of them redacts.
  static func requireSameRedaction(
    of path: String, isRedacted: Bool, inRun runIsRedacted: Bool, redacted: Message, unredacted: Message
  ) throws(VStreamError) {
    guard isRedacted != runIsRedacted else { return }
    throw VStreamError(
      .usage,
      isRedacted
        ? "'\(path)' \(redacted), and this run redacts nothing"
        : "this run redacts, and '\(path)' \(unredacted)",
      setting: .redact, subject: path, remedy: "give \(.redact) to all steps or to none")
  }
}

/// The files for the overlays of all parts.
public struct JoinedPaint: Hashable, Sendable {
  public var parts: [InputPart]
  /// A file for each part.
  public var paths: [String]

  public init(parts: [InputPart], paths: [String]) {
    self.parts = parts
    self.paths = paths
  }
}

/// The packets of all rendered parts, which are joined.
public struct JoinedPackets: Hashable, Sendable {
  /// The input that the parts are of.
  public var input: InputIdentity
  /// A file for each part, in their order.
  public var paths: [String]

  public init(of input: InputIdentity, paths: [String]) {
    self.input = input
    self.paths = paths
  }
}

/// How a part is rendered: its overlay is read from a file, and the encoder's packets are kept for the output of all parts.
public struct PartRendering: Hashable, Sendable {
  /// The input that the part is of.
  public var input: InputIdentity
  /// The file of the part's overlay.
  public var paint: String
  /// Where the packets are written.
  public var packets: String

  public init(of input: InputIdentity, paint: String, packets: String) {
    self.input = input
    self.paint = paint
    self.packets = packets
  }
}
