internal import VStreamMedia

/// How an image is stored, by the names of ML Kit, Vision and UIKit: `right` is an image that has to be rotated by 90°
/// clockwise to be upright. The raw values are Exif's.
public enum ImageOrientation: Int, CaseIterable, Hashable, Sendable {
  /// Upright.
  case up = 1
  /// Mirrored horizontally.
  case upMirrored = 2
  /// Rotated by 180°.
  case down = 3
  /// Mirrored vertically.
  case downMirrored = 4
  /// Transposed: rows and columns exchanged.
  case leftMirrored = 5
  /// To be rotated by 90° clockwise: of a phone that is held upright.
  case right = 6
  /// Transposed about the other diagonal.
  case rightMirrored = 7
  /// To be rotated by 90° counter-clockwise.
  case left = 8

  /// The rotation that makes the image upright.
  var orientation: Orientation { Orientation(exif: rawValue) }
}
