internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// The crops of a frame in which faces of all sizes down to a smallest one are detected: first the whole frame, then, level
/// by level, ever smaller squares.
///
/// The network is run at the input size that it was trained for: with a larger input it misses most small faces.
struct FacePyramid: Hashable, Sendable {
  /// A square of the frame that is searched in one pass.
  struct Crop: Hashable, Sendable {
    /// Pixels of the frame; may reach past its edges.
    let region: Box
    /// Width of the smallest face that this crop is responsible for, in pixels of the frame.
    let minimumFaceWidth: Double
  }

  /// Width of the smallest face that is searched for, as a fraction of the frame's width.
  let minFaceSize: Double

  /// Width of the smallest face in pixels: smaller crops show no more of a smaller one.
  private static let minimumWidth = 20.0
  /// A face is detected reliably if its width is at least this fraction of a crop's side: 16 of the network's pixels.
  private static let reliableFraction = 1.0 / 12
  /// Greatest ratio between the sides of crops of successive levels. Crops overlap by the faces that the level before
  /// does not detect, so that with a greater ratio there would be many more of them.
  private static let maximumLevelRatio = 4.0
  /// A face at the smallest size may be detected this much smaller.
  private static let smallestTolerance = 0.75

  /// Narrower detections are not taken for faces.
  func minimumDetectedWidth(in frame: PixelSize) -> Double { Self.smallestTolerance * smallestWidth(in: frame) }

  private func smallestWidth(in frame: PixelSize) -> Double {
    max(Self.minimumWidth, minFaceSize * Double(frame.width))
  }

  /// The crops of a frame, from the whole to the smallest.
  func crops(of frame: PixelSize) -> [Crop] {
    let whole = Box.square(around: frame)
    let reduction = whole.width * Self.reliableFraction / smallestWidth(in: frame)
    let levels = reduction > 1 ? Int((log(reduction) / log(Self.maximumLevelRatio)).rounded(.up)) : 0
    return (0...levels).flatMap { level in
      let side = level == 0 ? whole.width : whole.width * pow(reduction, -Double(level) / Double(levels))
      let minimum = level == levels ? minimumDetectedWidth(in: frame) : side * Self.reliableFraction
      guard level > 0 else { return [Crop(region: whole, minimumFaceWidth: minimum)] }
      let overlap = side * Self.reliableFraction * pow(reduction, 1 / Double(levels))
      return Box.crops(covering: frame, side: side, overlap: overlap).map {
        Crop(region: $0, minimumFaceWidth: minimum)
      }
    }
  }
}

extension FacePyramid.Crop {
  /// Whether a face detected in this crop is one that it is responsible for: wide enough, and not cut by an edge of the crop
  /// inside the frame; another crop shows the whole of such a face.
  func isResponsible(for face: Box, in frame: PixelSize) -> Bool {
    face.width >= minimumFaceWidth
      && !((face.x < region.x && region.x > 0) || (face.y < region.y && region.y > 0)
        || (face.right > region.right && region.right < Double(frame.width))
        || (face.bottom > region.bottom && region.bottom < Double(frame.height)))
  }
}
