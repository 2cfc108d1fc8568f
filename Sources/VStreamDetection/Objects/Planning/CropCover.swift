internal import VStreamCore

/// Chooses the regions that show most of the wanted boxes, greedily: crops, each at a size that the network detects well, or
/// the whole frame, which shows everything, but small.
struct CropCover {
  /// Something that is to be seen.
  struct Target {
    /// Pixels of the frame, within it.
    var box: Box
    var weight: Double
    /// How good searches of the whole frame are for it, 0 to 1; 1: as good as crops.
    var wholeQuality: Double
  }

  private enum Rule {
    /// An object's longer side in a crop's input, in pixels: about the usual one in the images that networks are trained with.
    static let objectSide = 90.0
    /// Objects are detected well from this side on, in pixels of the input,
    static let smallestGood = 33.0
    /// and not at all up to this one,
    static let smallestFound = 10.0
    /// well up to this one, in sides of the crop, and not at all above the last.
    static let largestGood = 0.5
    static let largest = 0.8
    /// The shortest side of a crop, in sides of the network's input.
    static let smallestCrop = 0.4
    /// Distance of an object from the crop's edge, in sides of the crop.
    static let margin = 0.06
    /// Crops that gain less are not worth a pass.
    static let smallestGain = 0.3
    /// The most targets that crops are tried for, and positions of each along a side.
    static let maximumSeeds = 12
    static let maximumPositions = 10
  }

  let frame: PixelSize
  /// Size of the network's input.
  let input: PixelSize

  /// At most `count` regions, the one that shows most first; their sum of weights falls from region to region.
  ///
  /// - Parameter hasWhole: whether the whole frame is searched anyway: it is not among the results.
  func regions(for targets: [Target], count: Int, hasWhole: Bool) -> [Box] {
    var hasWhole = hasWhole
    var rest = hasWhole ? targets.map(unseenInWhole) : targets
    var regions: [Box] = []
    while regions.count < count {
      let crop = bestCrop(rest)
      let wholeGain = hasWhole ? 0 : rest.reduce(0) { $0 + $1.weight * $1.wholeQuality }
      if wholeGain > max(crop?.gain ?? 0, Rule.smallestGain) {
        regions.append(whole)
        rest = rest.map(unseenInWhole)
        hasWhole = true
      } else if let crop {
        regions.append(crop.box)
        for index in rest.indices { rest[index].weight *= 1 - quality(rest[index].box, in: crop.box) }
      } else {
        break
      }
    }
    return regions
  }

  private var whole: Box { Box(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height)) }

  private func unseenInWhole(_ target: Target) -> Target {
    Target(box: target.box, weight: target.weight * (1 - target.wholeQuality), wholeQuality: 0)
  }

  /// How often the whole frame's search probably finds an object, by its size: 0 to 1.
  func expectedWholeRecall(of box: Box) -> Double {
    let pixels = max(box.width, box.height) * FrameSearch.Region(whole, input: input).scale
    return min(1, max(0, (pixels - Rule.smallestFound) / (Rule.smallestGood - Rule.smallestFound)))
  }

  private func bestCrop(_ targets: [Target]) -> (gain: Double, box: Box)? {
    let seeds = targets.indices.sorted { (-targets[$0].weight, $0) < (-targets[$1].weight, $1) }.prefix(
      Rule.maximumSeeds)
    var best: (gain: Double, box: Box)?
    for seed in seeds {
      let target = targets[seed].box
      let size = size(for: target)
      let reach = Box(center: target.center, width: 2 * size.width, height: 2 * size.height)
      let near = targets.filter { $0.box.intersection(reach) != nil }
      let lefts = starts(
        near.map { ($0.box.x, $0.box.right) }, around: (target.x, target.right), length: size.width,
        limit: Double(frame.width))
      let tops = starts(
        near.map { ($0.box.y, $0.box.bottom) }, around: (target.y, target.bottom), length: size.height,
        limit: Double(frame.height))
      for top in tops {
        for left in lefts {
          let box = Box(x: left, y: top, width: size.width, height: size.height)
          let gain = near.reduce(0) { $0 + $1.weight * quality($1.box, in: box) }
          if gain > (best?.gain ?? Rule.smallestGain) + 1e-9 { best = (gain, box) }
        }
      }
    }
    return best
  }

  /// The size of a crop for an object, with the proportions of the network's input where the frame is large enough.
  private func size(for box: Box) -> (width: Double, height: Double) {
    let (across, down) = (Double(input.width), Double(input.height))
    let factor = max(max(box.width, box.height) / Rule.objectSide, Rule.smallestCrop)
    return (min(factor * across, Double(frame.width)).rounded(), min(factor * down, Double(frame.height)).rounded())
  }

  /// The scale of a crop for an object.
  func scale(for box: Box) -> Double { Double(input.width) / size(for: box).width }

  /// Where a crop that shows a target may start along a side: so that it is in the middle, or others are at an edge.
  private func starts(
    _ spans: [(start: Double, end: Double)], around target: (start: Double, end: Double), length: Double, limit: Double
  ) -> [Double] {
    let margin = Rule.margin * length
    let last = max(0, limit - length)
    let middle = (target.start + target.end - length) / 2
    var wanted = [middle]
    for span in spans {
      wanted.append(span.start - margin)
      wanted.append(span.end + margin - length)
    }
    var starts: [Double] = []
    let near = wanted.sorted { (abs($0 - middle), $0) < (abs($1 - middle), $1) }
    for start in near where starts.count < Rule.maximumPositions {
      let start = min(max(0, start.rounded()), last)
      if !starts.contains(where: { abs($0 - start) < 0.02 * length }) { starts.append(start) }
    }
    return starts
  }

  /// How well an object is detected in a crop: 0 if an edge cuts it.
  private func quality(_ box: Box, in crop: Box) -> Double {
    guard !FrameSearch(frame: frame, regions: []).isCut(box, by: crop) else { return 0 }
    let pixels = max(box.width / crop.width * Double(input.width), box.height / crop.height * Double(input.height))
    if pixels < Rule.smallestGood { return pixels / Rule.smallestGood }
    let side = max(box.width / crop.width, box.height / crop.height)
    return min(1, max(0, (Rule.largest - side) / (Rule.largest - Rule.largestGood)))
  }
}
