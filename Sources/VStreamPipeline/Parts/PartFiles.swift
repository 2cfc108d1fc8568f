public import VStreamMedia
internal import VStreamScene

extension VStreamError {
  /// Checks that a file of a part and the run agree on redaction: nothing may stay visible by mistake.
  ///
  /// - Parameters:
  ///   - redacted: what is said of a file that is redacted.
  ///   - unredacted: what is said of one that is not.
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

/// Where what is painted on the frames of all parts is written.
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

/// How a part is rendered: what is painted was decided before, and the encoder's packets are kept for the output of all parts.
public struct PartRendering: Hashable, Sendable {
  /// The input that the part is of.
  public var input: InputIdentity
  /// What is painted on the part's frames.
  public var paint: String
  /// Where the packets are written.
  public var packets: String

  public init(of input: InputIdentity, paint: String, packets: String) {
    self.input = input
    self.paint = paint
    self.packets = packets
  }
}
