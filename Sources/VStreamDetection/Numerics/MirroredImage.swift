extension MutableSpan<Float> {
  /// Mirrors an image left to right: `[side, side, 3]`.
  mutating func mirrorImage(side: Int) {
    for row in 0..<side {
      for column in 0..<side / 2 {
        let (one, other) = (3 * (row * side + column), 3 * (row * side + side - 1 - column))
        for channel in 0..<3 { swapAt(one + channel, other + channel) }
      }
    }
  }
}
