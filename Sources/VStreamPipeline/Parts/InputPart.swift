internal import VStreamScene

/// A part of an input: whole cells of the grid of stream time. Each frame lies in exactly one part.
public struct InputPart: Hashable, Sendable, Codable {
  /// From 0, in the order of time.
  public var number: Int
  /// The first cell; `nil` for the first part, which has all that comes before the second one.
  public var firstCell: Int64?
  /// The first cell of the next part; `nil` for the last part.
  public var endCell: Int64?
  /// The time of the first cell, in ticks of the video.
  public var startTicks: Int64?
  /// The time of the next part's first cell, in ticks of the video.
  public var endTicks: Int64?
  /// The time of the key frame from which the part is decoded, in ticks of the video; `nil` for the input's beginning.
  public var keyTicks: Int64?
  /// Whether that key frame is found by a seek; otherwise the packets before it are read and skipped.
  public var seeks: Bool
  /// The packets whose frames the part has.
  public var packets: Int

  public init(
    number: Int, firstCell: Int64?, endCell: Int64?, startTicks: Int64? = nil, endTicks: Int64? = nil,
    keyTicks: Int64? = nil, seeks: Bool = false, packets: Int = 0
  ) {
    self.number = number
    self.firstCell = firstCell
    self.endCell = endCell
    self.startTicks = startTicks
    self.endTicks = endTicks
    self.keyTicks = keyTicks
    self.seeks = seeks
    self.packets = packets
  }

  /// Where a frame lies.
  enum Position {
    case before
    case inside
    case after
  }

  func position(of time: Time) -> Position {
    let cell = TimeGrid.files.cell(of: time)
    if let firstCell, cell < firstCell { return .before }
    if let endCell, cell >= endCell { return .after }
    return .inside
  }
}
