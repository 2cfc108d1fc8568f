import Testing

@testable import VStreamDetection

struct ImageSmootherTests {
  /// An image with one channel set.
  private func smoothed(side: Int, _ value: (Int, Int) -> Float) -> [Float] {
    var image = [Float](repeating: 0, count: 3 * side * side)
    for row in 0..<side { for column in 0..<side { image[3 * (row * side + column) + 1] = value(row, column) } }
    var smoother = ImageSmoother()
    var pixels = image.mutableSpan
    smoother.smooth(&pixels, side: side)
    return image
  }

  @Test func `a point is spread by the weights of either axis, in its channel`() {
    let image = smoothed(side: 9) { row, column in row == 4 && column == 3 ? 256 : 0 }
    let weights: [Float] = [1, 4, 6, 4, 1]
    for row in 0..<9 {
      for column in 0..<9 {
        let (down, across) = (row - 2, column - 1)
        let isNear = weights.indices.contains(down) && weights.indices.contains(across)
        let expected = isNear ? weights[down] * weights[across] : 0
        let index = 3 * (row * 9 + column)
        #expect(image[index + 1] == expected, "row \(row), column \(column)")
        #expect(image[index] == 0 && image[index + 2] == 0)
      }
    }
  }

  @Test func `an even image stays as it is, at its edges as well`() {
    let image = smoothed(side: 8) { _, _ in 3 }
    #expect(stride(from: 1, to: image.count, by: 3).allSatisfy { image[$0] == 3 })
  }

  @Test func `a step at the edge is as smooth as the edge's pixels continued`() {
    let image = smoothed(side: 8) { row, _ in row == 0 ? 16 : 0 }
    let column = (0..<8).map { row in image[3 * row * 8 + 1] }
    #expect(column == [10, 5, 1, 0, 0, 0, 0, 0])
  }
}
