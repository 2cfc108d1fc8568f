package import VStreamCore
internal import VStreamInference
package import VStreamMedia

/// A face cropped from a frame: rotated upright, in RGB, with a margin around it; black beyond the frame's edges.
package enum FaceCrop {
  /// Margin on each side, as a fraction of the face's box.
  static let margin = 0.3
  /// In pixels. A larger crop is reduced, a smaller one is not scaled.
  static let longestSide = 512
  /// Up to this factor, a crop is reduced by averaging pixels.
  private static let maximumReduction = 4

  /// The region of a frame that a crop shows.
  static func region(of face: DetectedFace, margin: Double = margin) -> RotatedBox {
    var region = RotatedBox(face.box.buffered(by: margin))
    // Angle Z is counter-clockwise, a box's angle clockwise.
    let tilt = face.angles?.z ?? 0
    if tilt.isFinite { region.angle = -tilt * .pi / 180 }
    return region
  }

  /// Whether the face lies in the frame and its size is plausible.
  package static func isPossible(of face: DetectedFace, in size: PixelSize) -> Bool {
    face.box.clipped(to: size) != nil && max(face.box.width, face.box.height) < 1e5
  }

  /// The crop of a face, as a frame of format `rgb24`.
  ///
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed.
  package static func image(
    of face: DetectedFace, in frame: VideoFrame, margin: Double = 0.3, longestSide: Int = 512
  ) throws(VStreamError) -> VideoFrame {
    let region = region(of: face, margin: margin)
    let size = size(of: region, longestSide: longestSide)
    let excess = max(region.width, region.height) / Double(longestSide)
    let factor = min(maximumReduction, max(1, Int(excess.rounded(.up))))
    let pixels = try sample(
      frame, region, size: PixelSize(width: size.width * factor, height: size.height * factor))
    let rgb = averaged(pixels, to: size, factor: factor).map { UInt8(max(0, min(255, $0.rounded()))) }
    return try VideoFrame(rgb: rgb, size: size, profile: frame.colorProfile)
  }

  /// The size of a region's crop.
  static func size(of region: RotatedBox, longestSide: Int = longestSide) -> PixelSize {
    let scale = min(1, Double(longestSide) / max(region.width, region.height))
    func side(_ length: Double) -> Int { max(1, min(longestSide, Int((length * scale).rounded()))) }
    return PixelSize(width: side(region.width), height: side(region.height))
  }

  /// Means of blocks of `factor` × `factor` pixels of three values.
  static func averaged(_ pixels: [Float], to size: PixelSize, factor: Int) -> [Float] {
    if factor == 1 { return pixels }
    var result = [Float](repeating: 0, count: size.width * size.height * 3)
    let weight = 1 / Float(factor * factor)
    for row in 0..<size.height * factor {
      for column in 0..<size.width * factor {
        let from = (row * size.width * factor + column) * 3
        let to = (row / factor * size.width + column / factor) * 3
        for channel in 0..<3 { result[to + channel] += pixels[from + channel] * weight }
      }
    }
    return result
  }

  /// The pixels of a region as RGB values 0…255, row by row.
  static func sample(
    _ frame: VideoFrame, _ region: RotatedBox, size: PixelSize
  ) throws(VStreamError) -> [Float] {
    var sampler = RegionSampler(TensorFormat(size: size, outside: .black))
    var pixels = [Float](repeating: 0, count: size.width * size.height * 3)
    var span = pixels.mutableSpan
    try sampler.sample(frame, region: region, into: &span)
    return pixels
  }
}

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
