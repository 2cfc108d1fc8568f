internal import VStreamMedia

/// How a picture's pixels lie, by the names of ML Kit, Vision and UIKit: `right` is a picture that has to be turned by a
/// quarter clockwise to stand upright. The raw values are Exif's.
public enum ImageOrientation: Int, CaseIterable, Hashable, Sendable {
  /// Upright.
  case up = 1
  /// Left and right exchanged.
  case upMirrored = 2
  /// Upside down.
  case down = 3
  /// Top and bottom exchanged.
  case downMirrored = 4
  /// Rows and columns exchanged.
  case leftMirrored = 5
  /// To be turned by a quarter clockwise: of a phone that is held upright.
  case right = 6
  /// Rows and columns exchanged, about the other diagonal.
  case rightMirrored = 7
  /// To be turned by a quarter counter-clockwise.
  case left = 8

  /// How the picture is turned to stand upright.
  var orientation: Orientation { Orientation(exif: rawValue) }
}
