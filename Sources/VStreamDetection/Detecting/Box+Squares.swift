internal import VStreamScene

extension Box {
  /// The smallest square around a whole frame, with black bars on two sides.
  static func square(around size: PixelSize) -> Box {
    let side = Double(max(size.width, size.height))
    return Box(
      center: Point(x: Double(size.width) / 2, y: Double(size.height) / 2), width: side, height: side)
  }

  /// Squares that cover a frame, in rows from the top, evenly spread; each shares so many pixels with the next, or more. One
  /// amid a side of the frame that is shorter than theirs.
  static func squares(covering size: PixelSize, side: Double, sharing common: Double) -> [Box] {
    func starts(_ length: Double) -> [Double] {
      guard length > side else { return [(length - side) / 2] }
      let count = Int(((length - common) / (side - common) - 1e-9).rounded(.up))
      return (0..<count).map { Double($0) * (length - side) / Double(max(1, count - 1)) }
    }
    return starts(Double(size.height)).flatMap { top in
      starts(Double(size.width)).map { Box(x: $0, y: top, width: side, height: side) }
    }
  }
}
