internal import VStreamScene

/// The crops of a frame that are searched for people beside the whole, if several are wanted: the detector is trained for
/// one person, and may not detect any of several side by side.
enum PoseCrops {
  /// Side of a crop, as a fraction of the frame's longer side. With larger or smaller ones, fewer people were detected in
  /// portraits side by side.
  private static let sideFraction = 0.6
  /// How much the minimum score is raised for crops, as a fraction of its distance to 1: more passes give more false
  /// detections.
  private static let scoreRaise = 0.2

  static func crops(of frame: PixelSize) -> [Box] {
    let side = sideFraction * Double(max(frame.width, frame.height))
    return Box.crops(covering: frame, side: side, overlap: side / 2)
  }

  /// The minimum score of a person in a crop.
  ///
  /// - Parameter minimumScore: that of a person in the whole frame.
  static func raised(_ minimumScore: Double) -> Double { minimumScore + scoreRaise * (1 - minimumScore) }
}
