internal import VStreamInference
public import VStreamMedia
public import VStreamScene

/// A face cut out of a frame: turned upright, in RGB, with a margin around it; black where the frame ends.
public enum FaceCrop {
  /// On each side, as a fraction of the face's box.
  static let margin = 0.3
  /// In pixels. A larger face is made smaller, a smaller one is left as it is.
  static let longestSide = 512
  /// Of a side that is so many times too long, so many pixels are averaged.
  private static let greatestReduction = 4

  /// The part of a frame that a crop shows.
  static func region(of face: DetectedFace, margin: Double = margin) -> RotatedBox {
    var region = RotatedBox(face.box.buffered(by: margin))
    // Angle Z goes counter-clockwise, a box's angle clockwise.
    let tilt = face.angles?.z ?? 0
    if tilt.isFinite { region.angle = -tilt * .pi / 180 }
    return region
  }

  /// Whether there is anything of the face to be cut out.
  public static func canBeMade(of face: DetectedFace, in size: PixelSize) -> Bool {
    face.box.clipped(to: size) != nil && max(face.box.width, face.box.height) < 1e5
  }

  /// The crop of a face, as a frame of format `rgb24`.
  ///
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed.
  public static func picture(of face: DetectedFace, in frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    let region = region(of: face)
    let size = size(of: region)
    let excess = max(region.width, region.height) / Double(longestSide)
    let factor = min(greatestReduction, max(1, Int(excess.rounded(.up))))
    let pixels = try sample(
      frame, region, size: PixelSize(width: size.width * factor, height: size.height * factor))
    let rgb = averaged(pixels, to: size, factor: factor).map { UInt8(max(0, min(255, $0.rounded()))) }
    return try VideoFrame(rgb: rgb, size: size, profile: frame.colorProfile)
  }

  /// The size of a region's crop.
  static func size(of region: RotatedBox) -> PixelSize {
    let scale = min(1, Double(longestSide) / max(region.width, region.height))
    func side(_ length: Double) -> Int { max(1, min(longestSide, Int((length * scale).rounded()))) }
    return PixelSize(width: side(region.width), height: side(region.height))
  }

  /// Means of squares of `factor` × `factor` pixels of three numbers.
  static func averaged(_ pixels: [Float], to size: PixelSize, factor: Int) -> [Float] {
    if factor == 1 { return pixels }
    var result = [Float](repeating: 0, count: size.width * size.height * 3)
    let share = 1 / Float(factor * factor)
    for row in 0..<size.height * factor {
      for column in 0..<size.width * factor {
        let from = (row * size.width * factor + column) * 3
        let to = (row / factor * size.width + column / factor) * 3
        for channel in 0..<3 { result[to + channel] += pixels[from + channel] * share }
      }
    }
    return result
  }

  fileprivate static func sample(
    _ frame: VideoFrame, _ region: RotatedBox, size: PixelSize
  ) throws(VStreamError) -> [Float] {
    var sampler = RegionSampler(TensorFormat(size: size, outside: .black))
    var pixels = [Float](repeating: 0, count: size.width * size.height * 3)
    var span = pixels.mutableSpan
    try sampler.sample(frame, region: region, into: &span)
    return pixels
  }
}

/// How much detail a face shows, seen at one size whatever its own.
public enum FaceSharpness {
  /// Of the square that a face's box is seen as.
  static let side = 128
  /// The share of detail at which the sharpness is ½.
  private static let halfway = 0.02
  /// Variance that is noise more than face, in squares of a 255th.
  private static let noise = 16.0

  /// - Returns: 0…1; see `FaceQuality.sharpness`.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed.
  public static func measured(of face: DetectedFace, in frame: VideoFrame) throws(VStreamError) -> Double {
    let size = PixelSize(width: side, height: side)
    let pixels = try FaceCrop.sample(frame, FaceCrop.region(of: face, margin: 0), size: size)
    let weights: [Float] = [0.299, 0.587, 0.114]
    let luma = (0..<side * side).map { index -> Float in
      let (red, green, blue) = (pixels[3 * index], pixels[3 * index + 1], pixels[3 * index + 2])
      return weights[0] * red + weights[1] * green + weights[2] * blue
    }
    return of(luma, size)
  }

  /// The mean square of the slope from pixel to pixel (Sobel), beside the variance: neither light nor contrast counts.
  ///
  /// - Parameter luma: `size` numbers of 0…255, row by row.
  static func of(_ luma: [Float], _ size: PixelSize) -> Double {
    guard size.width > 2, size.height > 2 else { return 0 }
    let count = Double(luma.count)
    let mean = luma.reduce(0) { $0 + Double($1) } / count
    let variance = luma.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / count
    var squares = 0.0
    for row in 1..<size.height - 1 {
      for column in 1..<size.width - 1 {
        let place = row * size.width + column
        let (above, below) = (place - size.width, place + size.width)
        let right = luma[above + 1] + 2 * luma[place + 1] + luma[below + 1]
        let left = luma[above - 1] + 2 * luma[place - 1] + luma[below - 1]
        let lower = luma[below - 1] + 2 * luma[below] + luma[below + 1]
        let upper = luma[above - 1] + 2 * luma[above] + luma[above + 1]
        let (across, down) = (right - left, lower - upper)
        squares += Double(across * across + down * down) / 64
      }
    }
    let detail = squares / Double((size.width - 2) * (size.height - 2)) / (variance + noise)
    return detail / (detail + halfway)
  }
}
