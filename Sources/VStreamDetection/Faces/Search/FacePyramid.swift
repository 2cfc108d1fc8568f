internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// The crops of a frame in which faces of all sizes down to a smallest one are detected: first the whole frame, then, level
/// by level, ever smaller squares.
///
/// The network is run at the input size that it was trained for: with a larger input it misses most small faces.
struct FacePyramid: Hashable, Sendable {
  /// How the frame is continued past its edges, where crops reach past them on purpose.
  enum Margin: Hashable, Sendable {
    /// By its mirror image, in which half a face at an edge is a whole one.
    case mirrored
    /// By black, and by the mirror image above and below alone: in a corner of the frame, the mirror image of a part of a face is
    /// no face.
    case black
    case mirroredVertically

    static let ofCorners: [Margin] = [.black, .mirroredVertically]

    var isOfCorners: Bool { self != .mirrored }
  }

  /// A square of the frame that is searched in one pass.
  struct Crop: Hashable, Sendable {
    /// Pixels of the frame; may reach past its edges.
    let region: Box
    /// The part in which the centres of faces lie that this crop is there for: those of faces elsewhere in it lie in the core
    /// of another crop of its size.
    let core: Box
    /// Width of the smallest face that this crop is responsible for, in pixels of the frame.
    let minimumFaceWidth: Double
    /// How the frame is continued past its edges; `nil` for black, where few crops reach past them.
    var margin: Margin?
    /// Quarter turns clockwise of the square in the image: so many that a head turned by as many is upright in it.
    var quarterTurns = 0

    init(region: Box, core: Box? = nil, minimumFaceWidth: Double, margin: Margin? = nil) {
      (self.region, self.core) = (region, core ?? region)
      (self.minimumFaceWidth, self.margin) = (minimumFaceWidth, margin)
    }

    var rotated: RotatedBox {
      RotatedBox(
        center: region.center, width: region.width, height: region.height, angle: Double(quarterTurns) * .pi / 2)
    }
  }

  /// Width of the smallest face that is searched for, as a fraction of the frame's width.
  let minFaceSize: Double
  /// Whether crops reach so far past the frame's edges that half a face there is as far from their own as others are.
  var searchesEdges = false
  /// The margins with which crops that reach past a corner of the frame are searched besides the mirror image.
  var cornerMargins = Margin.ofCorners
  /// The quarter turns at which each crop is searched besides upright.
  var quarterTurns: [Int] = []
  /// Factor for the sides of the crops that are smaller than the frame.
  var scale = 1.0

  /// Width of the smallest face in pixels: smaller crops show no more of a smaller one.
  private static let minimumWidth = 20.0
  /// A face is detected reliably if its width is at least this fraction of a crop's side: 16 of the network's pixels.
  private static let reliableFraction = 1.0 / 12
  /// Greatest ratio between the sides of crops of successive levels. Crops overlap by the faces that the level before
  /// does not detect, so that with a greater ratio there would be many more of them.
  private static let maximumLevelRatio = 4.0
  /// Side of the square that shows the frame with margins, in sides of the square around the frame.
  private static let wideRatio = 1.5
  /// Crops may be larger than a level's by this factor, and show faces smaller by as much.
  private static let maximumEnlargement = 1.1
  /// A face at the smallest size may be detected this much smaller.
  private static let smallestTolerance = 0.75

  /// Narrower detections are not taken for faces.
  func minimumDetectedWidth(in frame: PixelSize) -> Double { Self.smallestTolerance * smallestWidth(in: frame) }

  /// Width of the smallest face that is searched for, in pixels.
  func smallestWidth(in frame: PixelSize) -> Double {
    max(Self.minimumWidth, minFaceSize * Double(frame.width))
  }

  /// The crops of a frame, from the whole to the smallest; then the same of other quarter turns.
  func crops(of frame: PixelSize) -> [Crop] {
    let whole = Box.square(around: frame)
    let reduction = whole.width * Self.reliableFraction / smallestWidth(in: frame)
    let levels = reduction > 1 ? Int((log(reduction) / log(Self.maximumLevelRatio)).rounded(.up)) : 0
    let crops = (0...levels).flatMap { level in
      let side = level == 0 ? whole.width : whole.width * scale * pow(reduction, -Double(level) / Double(levels))
      let minimum = level == levels ? minimumDetectedWidth(in: frame) : side * Self.reliableFraction
      guard level > 0 else { return [Crop(region: whole, minimumFaceWidth: minimum)] }
      // The widest face that the level before does not detect; `scale` does not change the whole frame.
      let ratio = pow(reduction, 1 / Double(levels)) / (level == 1 ? scale : 1)
      let overlap = side * Self.reliableFraction * ratio
      return regions(of: frame, side: side, overlap: overlap).map {
        Crop(
          region: $0, core: core(of: $0, overlap: overlap, in: frame), minimumFaceWidth: minimum,
          margin: searchesEdges ? .mirrored : nil)
      }
    }
    let wide = searchesEdges ? [wideCrop(of: whole, in: frame)] : []
    let corners = (crops + wide).filter { $0.margin != nil && $0.region.hasCorner(of: frame) }.flatMap { crop in
      cornerMargins.map { margin in
        var crop = crop
        crop.margin = margin
        return crop
      }
    }
    let turned = quarterTurns.flatMap { turns in
      crops.map { crop in
        var crop = crop
        crop.quarterTurns = turns
        return crop
      }
    }
    return crops + wide + corners + turned
  }

  private func regions(of frame: PixelSize, side: Double, overlap: Double) -> [Box] {
    let plain = Box.crops(covering: frame, side: side, overlap: overlap)
    guard searchesEdges else { return plain }
    // Half of the widest face that only this level detects.
    let margin = overlap / 2
    let extended = PixelSize(width: frame.width + Int(2 * margin), height: frame.height + Int(2 * margin))
    // As many crops as without margins, if they need be little larger for that.
    let columns = plain.count { $0.y == plain[0].y }
    let needed = [(extended.width, columns), (extended.height, plain.count / columns)].map { length, count in
      overlap + (Double(length) - overlap) / Double(count)
    }
    let larger = max(side, needed.max() ?? side)
    let used = larger <= Self.maximumEnlargement * side ? larger : side
    return Box.crops(covering: extended, side: used, overlap: overlap).map {
      Box(x: $0.x - margin, y: $0.y - margin, width: $0.width, height: $0.height)
    }
  }

  /// The whole frame with a margin on all sides, for large faces at its edges.
  private func wideCrop(of whole: Box, in frame: PixelSize) -> Crop {
    let side = whole.width * Self.wideRatio
    let region = Box(center: whole.center, width: side, height: side)
    let minimum = max(side * Self.reliableFraction, minimumDetectedWidth(in: frame))
    return Crop(region: region, minimumFaceWidth: minimum, margin: .mirrored)
  }

  /// A crop without half of what it has in common with the next, but where it reaches the frame's edge.
  private func core(of region: Box, overlap: Double, in frame: PixelSize) -> Box {
    let margin = overlap / 2
    return Box(
      left: region.x > 0 ? region.x + margin : region.x, top: region.y > 0 ? region.y + margin : region.y,
      right: region.right < Double(frame.width) ? region.right - margin : region.right,
      bottom: region.bottom < Double(frame.height) ? region.bottom - margin : region.bottom)
  }
}

extension Box {
  /// Whether the box reaches past two edges of a frame that meet.
  func hasCorner(of frame: PixelSize) -> Bool {
    (x < 0 || right > Double(frame.width)) && (y < 0 || bottom > Double(frame.height))
  }

  /// Whether the box's centre is in a frame, or nearer to its edge than a tenth of the box; otherwise it is that of a mirror
  /// image.
  fileprivate func isShown(in frame: PixelSize) -> Bool {
    let (marginX, marginY) = (width / 10, height / 10)
    return center.x >= -marginX && center.x <= Double(frame.width) + marginX
      && center.y >= -marginY && center.y <= Double(frame.height) + marginY
  }
}

extension FacePyramid.Crop {
  /// Whether a face detected in this crop is one that it is responsible for: wide enough, and not cut by an edge of the crop
  /// inside the frame; another crop shows the whole of such a face.
  func isResponsible(for face: Box, in frame: PixelSize) -> Bool {
    face.width >= minimumFaceWidth && (margin == nil || face.isShown(in: frame))
      && !((face.x < region.x && region.x > 0) || (face.y < region.y && region.y > 0)
        || (face.right > region.right && region.right < Double(frame.width))
        || (face.bottom > region.bottom && region.bottom < Double(frame.height)))
  }
}
