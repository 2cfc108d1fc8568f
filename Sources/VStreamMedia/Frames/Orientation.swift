/// The rotation and mirroring that make a stored image upright.
///
/// Source: the display matrix of ISO/IEC 14496-12, 8.5.2, rounded to quarter turns.
package enum Orientation: Hashable, Sendable, CaseIterable {
  case upright
  /// A quarter turn clockwise.
  case clockwise
  /// A half turn.
  case upsideDown
  /// A quarter turn counter-clockwise.
  case counterClockwise
  /// Left and right exchanged.
  case mirrored
  /// Top and bottom exchanged.
  case flipped
  /// Rows and columns exchanged.
  case transposed
  /// Rows and columns exchanged, about the other diagonal.
  case transversed

  /// - Parameter matrix: The nine values of the display matrix: a, b, u, c, d, v, x, y, w, where a pixel at (x, y) is
  ///   shown at (ax + cy, bx + dy).
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

  /// - Parameter exif: The value of the Exif tag Orientation (CIPA DC-008, 4.6.4); others than 1 to 8 mean upright.
  package init(exif: Int) {
    let all: [Orientation] = [
      .upright, .mirrored, .upsideDown, .flipped, .transposed, .clockwise, .transversed, .counterClockwise,
    ]
    self = all.indices.contains(exif - 1) ? all[exif - 1] : .upright
  }

  /// The display matrix of the orientation, without translation.
  var matrix: [Int32] {
    let (a, b, c, d): (Int32, Int32, Int32, Int32) =
      switch self {
      case .upright: (1, 0, 0, 1)
      case .mirrored: (-1, 0, 0, 1)
      case .flipped: (1, 0, 0, -1)
      case .upsideDown: (-1, 0, 0, -1)
      case .transposed: (0, 1, 1, 0)
      case .clockwise: (0, 1, -1, 0)
      case .counterClockwise: (0, -1, 1, 0)
      case .transversed: (0, -1, -1, 0)
      }
    let one: Int32 = 1 << 16
    return [a * one, b * one, 0, c * one, d * one, 0, 0, 0, 1 << 30]
  }

  /// The orientation that undoes this one.
  var inverse: Orientation {
    switch self {
    case .clockwise: .counterClockwise
    case .counterClockwise: .clockwise
    default: self
    }
  }

  /// The clockwise rotation in degrees, which mirroring follows.
  package var degrees: Int {
    switch self {
    case .upright, .mirrored: 0
    case .clockwise, .transposed: 90
    case .upsideDown, .flipped: 180
    case .counterClockwise, .transversed: 270
    }
  }

  /// libavfilter's filters that apply the orientation, in their order.
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
