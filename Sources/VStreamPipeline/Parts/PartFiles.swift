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

/// How a part is rendered: what is painted was decided before, and the encoder's packets are kept for the output of all parts.
public struct PartRendering: Hashable, Sendable {
  /// What is painted on the part's frames.
  public var paint: String
  /// Where the packets are written.
  public var packets: String

  public init(paint: String, packets: String) {
    self.paint = paint
    self.packets = packets
  }
}
