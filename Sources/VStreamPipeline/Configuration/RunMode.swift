package import VStreamCore
internal import VStreamDetection
package import VStreamMedia
package import VStreamReporting

/// A run's work on its input.
package enum RunMode: Sendable {
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
  /// Paints the whole input by the overlays of all parts.
  case paint(JoinedPaint)
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
  /// The overlays that are painted, of one part or of all.
  var recordedPaint: JoinedPaint? {
    switch self {
    case .render(let part, let rendering): JoinedPaint(of: rendering.input, parts: [part], paths: [rendering.paint])
    case .paint(let paint): paint
    default: nil
    }
  }
  var joinedPackets: JoinedPackets? { if case .joinVideo(let packets) = self { packets } else { nil } }
  var joinedRecords: [String]? { if case .joinRecords(let paths, _) = self { paths } else { nil } }
  var joinedPaint: JoinedPaint? { if case .joinRecords(_, let paint) = self { paint } else { nil } }
  var isVerification: Bool { if case .verify = self { true } else { false } }
}

/// Where the tracks of a replay come from.
package enum ReplayedTracks: String, Hashable, Sendable, CaseIterable {
  /// The detections are tracked again.
  case again
  /// The tracks are taken from the records.
  case recorded
}

/// Records of an earlier run that are replayed instead of running detectors.
package struct ReplayOptions: Hashable, Sendable {
  /// The path of a `.jsonl` file.
  package var path: String
  /// Labels of the objects that are replayed; `nil` for all.
  package var classes: Set<String>?
  /// The kinds that are replayed.
  package var kinds: Set<DetectionKind>
  /// `nil`: again if the records hold detections, else recorded.
  package var tracks: ReplayedTracks?
  /// Whether a frame without a record is an error, as it is where no frame may leave unredacted.
  package var requiresEveryFrame = false

  package init(path: String, classes: Set<String>? = nil, kinds: Set<DetectionKind> = [.objects]) {
    self.path = path
    self.classes = classes
    self.kinds = kinds
  }

  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  package func open() throws(VStreamError) -> RecordReader {
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
package struct JoinedPaint: Hashable, Sendable {
  /// The input that the parts are of.
  package var input: InputIdentity
  package var parts: [InputPart]
  /// A file for each part.
  package var paths: [String]

  package init(of input: InputIdentity, parts: [InputPart], paths: [String]) {
    self.input = input
    self.parts = parts
    self.paths = paths
  }
}

/// The packets of all rendered parts, which are joined.
package struct JoinedPackets: Hashable, Sendable {
  /// The input that the parts are of.
  package var input: InputIdentity
  /// A file for each part, in their order.
  package var paths: [String]

  package init(of input: InputIdentity, paths: [String]) {
    self.input = input
    self.paths = paths
  }
}

/// How a part is rendered: its overlay is read from a file, and the encoder's packets are kept for the output of all parts.
package struct PartRendering: Hashable, Sendable {
  /// The input that the part is of.
  package var input: InputIdentity
  /// The file of the part's overlay.
  package var paint: String
  /// Where the packets are written.
  package var packets: String

  package init(of input: InputIdentity, paint: String, packets: String) {
    self.input = input
    self.paint = paint
    self.packets = packets
  }
}
