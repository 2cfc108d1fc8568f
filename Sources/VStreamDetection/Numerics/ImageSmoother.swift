/// Smooths images with weights of 1, 4, 6, 4 and 1 along either axis: of fine grain a quarter remains, and what is as large as
/// a face stays. Its memory is reused.
struct ImageSmoother {
  /// A row and the row above it, as they were.
  private var row: [Float] = []
  private var above: [Float] = []

  /// - Parameter image: `[side, side, 3]`; beyond its edges, its own pixels are repeated.
  mutating func smooth(_ image: inout MutableSpan<Float>, side: Int) {
    if row.count != 3 * side {
      row = [Float](repeating: 0, count: 3 * side)
      above = row
    }
    image.withUnsafeMutableBufferPointer { image in
      row.withUnsafeMutableBufferPointer { row in
        above.withUnsafeMutableBufferPointer { above in
          // Weights of 1, 2 and 1, twice.
          for _ in 0..<2 {
            for start in stride(from: 0, to: image.count, by: row.count) {
              Self.smoothAcross(.init(rebasing: image[start..<start + row.count]), row)
            }
            Self.smoothDown(image, above)
          }
        }
      }
    }
  }

  private typealias Values = UnsafeMutableBufferPointer<Float>

  /// Smooths a row; `old` is as long.
  private static func smoothAcross(_ pixels: Values, _ old: Values) {
    for index in pixels.indices { old[index] = pixels[index] }
    let last = pixels.count - 3
    for channel in 0..<3 {
      pixels[channel] = (3 * old[channel] + old[channel + 3]) / 4
      pixels[last + channel] = (old[last - 3 + channel] + 3 * old[last + channel]) / 4
    }
    for index in 3..<last { pixels[index] = (old[index - 3] + 2 * old[index] + old[index + 3]) / 4 }
  }

  /// Smooths columns; `above` is as long as a row.
  private static func smoothDown(_ image: Values, _ above: Values) {
    let count = above.count
    for index in 0..<count { above[index] = image[index] }
    for start in stride(from: 0, to: image.count, by: count) {
      let below = start + count < image.count ? start + count : start
      for index in 0..<count {
        let old = image[start + index]
        image[start + index] = (above[index] + 2 * old + image[below + index]) / 4
        above[index] = old
      }
    }
  }
}
