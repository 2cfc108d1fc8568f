internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// The looks at a frame that find faces of all sizes down to the smallest that is sought: first at the whole, then, level by
/// level, at ever smaller squares of it.
///
/// The network is shown squares of the size that it was made for: though it can be run on larger pictures, it then
/// misses most small faces.
struct FacePyramid: Hashable, Sendable {
  /// One look at a square of the frame.
  struct Look: Hashable, Sendable {
    /// Pixels of the frame; may reach past its edge.
    let region: Box
    /// How wide a face is at least that is told by this look, in pixels of the frame.
    let narrowest: Double
  }

  /// Width of the smallest face that is sought, as a fraction of the frame's.
  let minFaceSize: Double

  /// Pixels that a face is wide at least: of smaller ones, closer looks see no more.
  private static let smallestFace = 20.0
  /// A face is told well if its width is at least this fraction of a square's side: 16 of the network's pixels.
  private static let narrowestFraction = 1.0 / 12
  /// How much smaller the squares of a level are than those of the level before, at most. They have in common what the level
  /// before does not tell, so that much smaller ones would be many more.
  private static let greatestStep = 4.0

  /// What is narrower is not taken for a face that is sought: what is sought may be seen a fourth too small.
  func smallestWidth(in frame: PixelSize) -> Double { 0.75 * smallest(in: frame) }

  private func smallest(in frame: PixelSize) -> Double { max(Self.smallestFace, minFaceSize * Double(frame.width)) }

  /// The looks at a frame, from the whole to the closest.
  func looks(at frame: PixelSize) -> [Look] {
    let whole = Box.square(around: frame)
    let reduction = whole.width * Self.narrowestFraction / smallest(in: frame)
    let levels = reduction > 1 ? Int((log(reduction) / log(Self.greatestStep)).rounded(.up)) : 0
    return (0...levels).flatMap { level in
      let side = level == 0 ? whole.width : whole.width * pow(reduction, -Double(level) / Double(levels))
      let narrowest = level == levels ? smallestWidth(in: frame) : side * Self.narrowestFraction
      guard level > 0 else { return [Look(region: whole, narrowest: narrowest)] }
      let common = side * Self.narrowestFraction * pow(reduction, 1 / Double(levels))
      return Box.squares(covering: frame, side: side, sharing: common).map { Look(region: $0, narrowest: narrowest) }
    }
  }
}

extension FacePyramid.Look {
  /// Whether a face that was found by this look is one for it to tell: wide enough, and not reaching over an edge of its
  /// square where the frame goes on; another square has it whole.
  func tells(_ face: Box, in frame: PixelSize) -> Bool {
    face.width >= narrowest
      && !((face.x < region.x && region.x > 0) || (face.y < region.y && region.y > 0)
        || (face.right > region.right && region.right < Double(frame.width))
        || (face.bottom > region.bottom && region.bottom < Double(frame.height)))
  }
}
