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
    /// well up to this one, in sides of the model's own input, and not at all above the last.
    static let largestGood = 0.5
    static let largest = 0.8
    /// The shortest side of a crop, in sides of its input.
    static let smallestCrop = 0.4
    /// Distance of an object from the crop's edge, in sides of the crop.
    static let margin = 0.06
    /// Regions that gain less are not searched.
    static let smallestGain = 0.3
    /// The most targets that crops are tried for, and positions of each along a side.
    static let maximumSeeds = 12
    static let maximumPositions = 10
  }

  let frame: PixelSize
  /// Sizes of the network's input.
  let inputs: SearchInputs

  private struct Choice {
    let box: Box
    let input: PixelSize
    let gain: Double
    /// Gained for each pass's cost.
    let yield: Double
  }

  /// The regions that show most for their cost, the best first.
  ///
  /// - Parameters:
  ///   - budget: the most that they cost together, in passes.
  ///   - hasWhole: whether the whole frame is searched anyway: it is not among the results.
  func regions(for targets: [Target], budget: Double, hasWhole: Bool) -> [FrameSearch.Region] {
    var (hasWhole, left) = (hasWhole, budget)
    var rest = hasWhole ? targets.map(unseenInWhole) : targets
    var regions: [FrameSearch.Region] = []
    while true {
      let crop = bestCrop(rest, budget: left, beside: regions)
      let isAffordable = !hasWhole && inputs.cost(of: inputs.own) <= left
      let wholeGain = isAffordable ? rest.reduce(0) { $0 + $1.weight * $1.wholeQuality } : 0
      if wholeGain > Rule.smallestGain, wholeGain / inputs.cost(of: inputs.own) > crop?.yield ?? 0 {
        regions.append(whole)
        left -= inputs.cost(of: inputs.own)
        rest = rest.map(unseenInWhole)
        hasWhole = true
      } else if let crop {
        regions.append(FrameSearch.Region(crop.box, input: crop.input))
        left -= inputs.cost(of: crop.input)
        for index in rest.indices { rest[index].weight *= 1 - quality(rest[index].box, in: crop.box, crop.input) }
      } else {
        return regions
      }
    }
  }

  var whole: FrameSearch.Region {
    FrameSearch.Region(
      Box(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height)), input: inputs.own)
  }

  private func unseenInWhole(_ target: Target) -> Target {
    Target(box: target.box, weight: target.weight * (1 - target.wholeQuality), wholeQuality: 0)
  }

  /// How often the whole frame's search probably finds an object, by its size: 0 to 1.
  func expectedWholeRecall(of box: Box) -> Double {
    let pixels = max(box.width, box.height) * whole.scale
    return min(1, max(0, (pixels - Rule.smallestFound) / (Rule.smallestGood - Rule.smallestFound)))
  }

  private func bestCrop(_ targets: [Target], budget: Double, beside chosen: [FrameSearch.Region]) -> Choice? {
    let seeds = targets.indices.sorted { (-targets[$0].weight, $0) < (-targets[$1].weight, $1) }.prefix(
      Rule.maximumSeeds)
    var best: Choice?
    for input in inputs.crops where inputs.cost(of: input) <= budget {
      for seed in seeds {
        for choice in crops(around: targets[seed].box, input, targets)
        where choice.gain > Rule.smallestGain && choice.yield > (best?.yield ?? 0) + 1e-9
          && !chosen.contains(FrameSearch.Region(choice.box, input: input))
        {
          best = choice
        }
      }
    }
    return best
  }

  /// The crops of an input's size that show a target, in the middle or with others at an edge; none as large as the frame.
  private func crops(around target: Box, _ input: PixelSize, _ targets: [Target]) -> [Choice] {
    let (size, cost) = (size(for: target, input), inputs.cost(of: input))
    if size.width >= Double(frame.width), size.height >= Double(frame.height) { return [] }
    let reach = Box(center: target.center, width: 2 * size.width, height: 2 * size.height)
    let near = targets.filter { $0.box.intersection(reach) != nil }
    let lefts = starts(
      near.map { ($0.box.x, $0.box.right) }, around: (target.x, target.right), length: size.width,
      limit: Double(frame.width))
    let tops = starts(
      near.map { ($0.box.y, $0.box.bottom) }, around: (target.y, target.bottom), length: size.height,
      limit: Double(frame.height))
    return tops.flatMap { top in
      lefts.map { left in
        let box = Box(x: left, y: top, width: size.width, height: size.height)
        let gain = near.reduce(0) { $0 + $1.weight * quality($1.box, in: box, input) }
        return Choice(box: box, input: input, gain: gain, yield: gain / cost)
      }
    }
  }

  /// The size of a crop for an object, with the proportions of its input where the frame is large enough.
  private func size(for box: Box, _ input: PixelSize) -> (width: Double, height: Double) {
    let (across, down) = (Double(input.width), Double(input.height))
    let factor = max(max(box.width, box.height) / Rule.objectSide, Rule.smallestCrop)
    return (min(factor * across, Double(frame.width)).rounded(), min(factor * down, Double(frame.height)).rounded())
  }

  /// The scale of a crop for an object.
  func scale(for box: Box) -> Double { Double(inputs.own.width) / size(for: box, inputs.own).width }

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
  private func quality(_ box: Box, in crop: Box, _ input: PixelSize) -> Double {
    guard !FrameSearch(frame: frame, regions: []).isCut(box, by: crop) else { return 0 }
    let pixels = max(box.width / crop.width * Double(input.width), box.height / crop.height * Double(input.height))
    if pixels < Rule.smallestGood { return pixels / Rule.smallestGood }
    let side = pixels / Double(max(inputs.own.width, inputs.own.height))
    return min(1, max(0, (Rule.largest - side) / (Rule.largest - Rule.largestGood)))
  }
}
