internal import VStreamCore

extension Box {
  /// The smallest square around a whole frame, centred; it reaches past two sides of the frame.
  static func square(around size: PixelSize) -> Box {
    let side = Double(max(size.width, size.height))
    return Box(
      center: Point(x: Double(size.width) / 2, y: Double(size.height) / 2), width: side, height: side)
  }

  /// Square crops that cover a frame, row by row, evenly spaced.
  ///
  /// Along a side of the frame that is shorter than theirs, there is one, centred.
  /// - Parameters:
  ///   - side: pixels of the frame.
  ///   - overlap: the fewest pixels that a crop has in common with the next.
  static func crops(covering size: PixelSize, side: Double, overlap: Double) -> [Box] {
    func starts(_ length: Double) -> [Double] {
      guard length > side else { return [(length - side) / 2] }
      let count = Int(((length - overlap) / (side - overlap) - 1e-9).rounded(.up))
      return (0..<count).map { Double($0) * (length - side) / Double(max(1, count - 1)) }
    }
    return starts(Double(size.height)).flatMap { top in
      starts(Double(size.width)).map { Box(x: $0, y: top, width: side, height: side) }
    }
  }
}
