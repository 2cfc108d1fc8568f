/// How a picture has to be turned, and perhaps mirrored, to stand upright.
///
/// Source: the display matrix of ISO/IEC 14496-12, 8.5.2, in quarters of a turn; other angles are not turned.
public enum Orientation: Hashable, Sendable, CaseIterable {
  case upright
  /// A quarter of a turn clockwise.
  case clockwise
  /// Half a turn.
  case upsideDown
  /// A quarter of a turn counter-clockwise.
  case counterClockwise
  /// Left and right exchanged.
  case mirrored
  /// Top and bottom exchanged.
  case flipped
  /// Rows and columns exchanged.
  case transposed
  /// Rows and columns exchanged, about the other diagonal.
  case transversed

  /// - Parameter matrix: the display matrix: a, b, u, c, d, v, x, y, w, where a pixel at (x, y) is shown at
  ///   (ax + cy, bx + dy).
  init(matrix: [Int32]) {
    let (a, b, c, d) = (Int64(matrix[0]), Int64(matrix[1]), Int64(matrix[3]), Int64(matrix[4]))
    if abs(a) + abs(d) >= abs(b) + abs(c) {
      switch (a < 0, d < 0) {
      case (false, false): self = .upright
      case (true, false): self = .mirrored
      case (false, true): self = .flipped
      case (true, true): self = .upsideDown
      }
    } else {
      switch (b < 0, c < 0) {
      case (false, false): self = .transposed
      case (false, true): self = .clockwise
      case (true, false): self = .counterClockwise
      case (true, true): self = .transversed
      }
    }
  }

  /// Clockwise degrees of the turn; a mirrored picture is mirrored after it.
  public var degrees: Int {
    switch self {
    case .upright, .mirrored: 0
    case .clockwise, .transposed: 90
    case .upsideDown, .flipped: 180
    case .counterClockwise, .transversed: 270
    }
  }

  /// The filters that turn the picture, as libavfilter names them.
  var filters: [String] {
    switch self {
    case .upright: []
    case .clockwise: ["transpose=clock"]
    case .upsideDown: ["hflip", "vflip"]
    case .counterClockwise: ["transpose=cclock"]
    case .mirrored: ["hflip"]
    case .flipped: ["vflip"]
    case .transposed: ["transpose=cclock_flip"]
    case .transversed: ["transpose=clock_flip"]
    }
  }
}
