internal import VStreamScene

/// The squares of a frame in which people are sought, beside the whole, where several are wanted: the detector is made for one
/// person, and of several side by side it may be sure of none.
enum PoseCrops {
  /// By which part of what is left to certainty the detector has to be moreConfident of a person in a square than in the whole frame, as
  /// there are more looks that can go wrong.
  static let moreConfident = 0.2

  /// Side of a square, of the whole's. Measured on portraits side by side: with more or less, fewer are found.
  private static let share = 0.6

  static func squares(of frame: PixelSize) -> [Box] {
    let side = share * Double(max(frame.width, frame.height))
    return Box.squares(covering: frame, side: side, sharing: side / 2)
  }
}
