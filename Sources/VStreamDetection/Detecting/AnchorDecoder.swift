internal import VStreamInference
public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A detection that a network reports relative to its anchors: a box and keypoints. Pixels of the frame.
public protocol AnchoredCandidate: Hashable, Sendable {
  /// The keypoints in their order, numbered from 0.
  associatedtype Keypoint: RawRepresentable<Int> & CaseIterable
  /// 0…1.
  var score: Double { get }
  var box: Box { get }
  /// One point for each `Keypoint`.
  var keypoints: [Point] { get }

  init(score: Double, box: Box, keypoints: [Point])

  /// The keypoint that each one is in the mirror image.
  static var mirroredKeypoints: [Keypoint] { get }
}

extension AnchoredCandidate {
  public static var mirroredKeypoints: [Keypoint] { Array(Keypoint.allCases) }

  /// The number of keypoints.
  public static var keypointCount: Int { Keypoint.allCases.count }

  public subscript(_ keypoint: Keypoint) -> Point { keypoints[keypoint.rawValue] }
}

/// Reads the outputs of networks whose anchors are all as large as the input: boxes and keypoints relative to the anchors'
/// centres, and scores.
public struct AnchorDecoder<Candidate: AnchoredCandidate>: Hashable, Sendable {
  /// Candidates that overlap more than this are of one object.
  public static var maximumIoU: Double { 0.3 }
  /// Logits are clamped to this absolute value.
  private static var maximumLogit: Float { 100 }
  /// Values per anchor: centre, size, and keypoints.
  static var valuesPerAnchor: Int { 4 + 2 * Candidate.keypointCount }

  /// Side of the network's input, in pixels.
  public let side: Int
  /// Centres in fractions of the input.
  let anchors: [Point]
  /// Logit of the lowest score that is read.
  private let minimumLogit: Float

  /// - Parameter grids: for each grid, the number of cells in a row and column, and of anchors in each cell.
  public init(side: Int, grids: [(count: Int, each: Int)], minimumScore: Double) {
    self.side = side
    anchors = grids.flatMap { Self.grid($0.count, each: $0.each) }
    let score = min(max(minimumScore, 1e-6), 1 - 1e-6)
    minimumLogit = Float(log(score / (1 - score)))
  }

  /// The centres of a grid's anchors, row by row.
  private static func grid(_ count: Int, each: Int) -> [Point] {
    (0..<count * count).flatMap { cell in
      repeatElement(
        Point(x: (Double(cell % count) + 0.5) / Double(count), y: (Double(cell / count) + 0.5) / Double(count)),
        count: each)
    }
  }

  /// - Parameters:
  ///   - values: `[1, anchors, 4 + 2 · keypoints]`: offset of the centre from the anchor's (x, y), width and height, and
  ///     keypoints as offsets from the anchor's centre, all in pixels of the network's input.
  ///   - logits: `[1, anchors, 1]`.
  ///   - isMirrored: whether the input shows the region's mirror image.
  ///   - region: the part of the frame that the input shows, in pixels; rotated, boxes are those around the ellipses in them.
  /// - Returns: candidates without duplicates, best first.
  public func decode(values: Span<Float>, logits: Span<Float>, region: RotatedBox, isMirrored: Bool = false)
    -> [Candidate]
  {
    guard values.count == anchors.count * Self.valuesPerAnchor, logits.count == anchors.count else { return [] }
    var found: [Candidate] = []
    for index in anchors.indices where logits[index] >= minimumLogit {
      let logit = min(max(logits[index], -Self.maximumLogit), Self.maximumLogit)
      let candidate = candidate(index, values, score: Double(1 / (1 + expf(-logit))), region, isMirrored)
      if !candidate.box.isEmpty { found.append(candidate) }
    }
    return weightedSuppression(found, maximumIoU: Self.maximumIoU)
  }

  private func candidate(_ index: Int, _ values: Span<Float>, score: Double, _ region: RotatedBox, _ isMirrored: Bool)
    -> Candidate
  {
    let first = index * Self.valuesPerAnchor
    let anchor = anchors[index]
    func point(_ offset: Int) -> Point {
      let across = Double(values[first + offset]) / Double(side) + anchor.x
      // The last pixel of a row is the first of its mirror image.
      return region.point(
        across: isMirrored ? 1 - 1 / Double(side) - across : across,
        down: Double(values[first + offset + 1]) / Double(side) + anchor.y)
    }
    let width = Double(values[first + 2]) / Double(side) * region.width
    let height = Double(values[first + 3]) / Double(side) * region.height
    let (cosine, sine) = (cos(region.angle), sin(region.angle))
    func extent(_ along: Double, _ across: Double) -> Double {
      guard region.angle != 0, width > 0, height > 0 else { return along }
      return (along * along * cosine * cosine + across * across * sine * sine).squareRoot()
    }
    return Candidate(
      score: score,
      box: Box(center: point(0), width: extent(width, height), height: extent(height, width)),
      keypoints: (isMirrored ? Candidate.mirroredKeypoints : Array(Candidate.Keypoint.allCases)).map {
        point(4 + 2 * $0.rawValue)
      })
  }
}
