package import VStreamCore
internal import VStreamInference
package import VStreamMedia

/// The amount of detail that a face shows, measured at one size whatever its own.
package enum FaceSharpness {
  /// Side of the square that a face's box is scaled to.
  static let side = 128
  /// The detail at which the sharpness is ½.
  private static let halfDetail = 0.02
  /// Variance that is mostly noise, for luma of 0…255.
  private static let noiseVariance = 16.0

  /// - Returns: 0…1; see `FaceQuality.sharpness`.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed.
  package static func measured(of face: DetectedFace, in frame: VideoFrame) throws(VStreamError) -> Double {
    let size = PixelSize(width: side, height: side)
    let pixels = try FaceCrop.sample(frame, FaceCrop.region(of: face, margin: 0), size: size)
    let weights: [Float] = [0.299, 0.587, 0.114]
    let luma = (0..<side * side).map { index -> Float in
      let (red, green, blue) = (pixels[3 * index], pixels[3 * index + 1], pixels[3 * index + 2])
      return weights[0] * red + weights[1] * green + weights[2] * blue
    }
    return of(luma, size)
  }

  /// The mean square of the gradient (Sobel), divided by the variance: independent of brightness and contrast.
  ///
  /// - Parameter luma: `size` values of 0…255, row by row.
  static func of(_ luma: [Float], _ size: PixelSize) -> Double {
    guard size.width > 2, size.height > 2 else { return 0 }
    let count = Double(luma.count)
    let mean = luma.reduce(0) { $0 + Double($1) } / count
    let variance = luma.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / count
    var squares = 0.0
    for row in 1..<size.height - 1 {
      for column in 1..<size.width - 1 {
        let index = row * size.width + column
        let (above, below) = (index - size.width, index + size.width)
        let right = luma[above + 1] + 2 * luma[index + 1] + luma[below + 1]
        let left = luma[above - 1] + 2 * luma[index - 1] + luma[below - 1]
        let lower = luma[below - 1] + 2 * luma[below] + luma[below + 1]
        let upper = luma[above - 1] + 2 * luma[above] + luma[above + 1]
        let (across, down) = (right - left, lower - upper)
        squares += Double(across * across + down * down) / 64
      }
    }
    let detail = squares / Double((size.width - 2) * (size.height - 2)) / (variance + noiseVariance)
    return detail / (detail + halfDetail)
  }
}
