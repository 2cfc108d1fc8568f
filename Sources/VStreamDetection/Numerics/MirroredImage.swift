extension MutableSpan<Float> {
  /// Mirrors an image left to right.
  ///
  /// - Parameter width: the pixels of a row, each with its `channels` values one after another.
  mutating func mirrorRows(of width: Int, channels: Int) {
    for row in 0..<count / (width * channels) {
      for column in 0..<width / 2 {
        let (one, other) = (channels * (row * width + column), channels * (row * width + width - 1 - column))
        for channel in 0..<channels { swapAt(one + channel, other + channel) }
      }
    }
  }
}
