internal import VStreamScene

/// The squares of a frame in which people are sought, beside the whole, where several are wanted: the detector is made for one
/// person, and of several side by side it may be sure of none.
enum PoseSquares {
  /// By which part of what is left to certainty the detector has to be surer of a person in a square than in the whole frame, as
  /// there are more looks that can go wrong.
  static let surer = 0.2

  /// Side of a square, of the whole's. Measured on portraits side by side: with more or less, fewer are found.
  private static let share = 0.6

  /// The squares, in rows from the top; they share half of a side, or more, with the next.
  static func squares(of frame: PixelSize) -> [Box] {
    let side = share * Double(max(frame.width, frame.height))
    return starts(along: Double(frame.height), side: side).flatMap { top in
      starts(along: Double(frame.width), side: side).map { Box(x: $0, y: top, width: side, height: side) }
    }
  }

  private static func starts(along length: Double, side: Double) -> [Double] {
    let rest = length - side
    guard rest > 0 else { return [rest / 2] }
    let count = Int((rest / (side / 2)).rounded(.up)) + 1
    return (0..<count).map { Double($0) * rest / Double(count - 1) }
  }
}
