package import VStreamCore
internal import VStreamInference
internal import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads the outputs of CenterFace: maps of a quarter of the input's sides, each of whose cells may be the centre of a face.
///
/// Source: Y. Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point", 2019.
package struct CenterFaceDecoder: Hashable, Sendable {
  /// Pixels of the input to a cell.
  private static let stride = 4
  /// Sides are at most this large in cells, as logarithms.
  private static let maximumLogSide: Float = 8

  /// Size of the network's input in pixels.
  package let input: PixelSize
  private let columns: Int
  private let cellCount: Int
  private let minimumCenter: Float

  package init(input: PixelSize, minimumScore: Double) {
    self.input = input
    columns = input.width / Self.stride
    cellCount = columns * (input.height / Self.stride)
    minimumCenter = Float(7 * minimumScore / (10 - 3 * minimumScore))
  }

  /// The network scores low: 7/17 corresponds to 0.5 of the other detectors.
  private static func score(_ center: Float) -> Double { min(1, Double(10 * center / (7 + 3 * center))) }

  /// - Parameters:
  ///   - centers: `[1, 1, rows, columns]`: how likely the centre of a face is in a cell, 0…1.
  ///   - sizes: `[1, 2, rows, columns]`: logarithms of the height and the width, in cells.
  ///   - offsets: `[1, 2, rows, columns]`: of the centre from the cell's own, down and across, in cells.
  ///   - points: `[1, 10, rows, columns]`: five points down and across, in sides of the box from its upper left corner.
  ///   - region: the part of the frame that the input shows, in pixels; rotated, boxes are those around the ellipses in them.
  ///   - isMirrored: whether the input shows the region's mirror image.
  /// - Returns: candidates without duplicates, best first.
  package func decode(
    centers: Span<Float>, sizes: Span<Float>, offsets: Span<Float>, points: Span<Float>, region: RotatedBox,
    isMirrored: Bool = false
  ) -> [FaceCandidate] {
    guard centers.count == cellCount, sizes.count == 2 * cellCount, offsets.count == 2 * cellCount,
      points.count == 10 * cellCount
    else { return [] }
    let stride = Double(Self.stride)
    var found: [FaceCandidate] = []
    for cell in 0..<cellCount where centers[cell] >= minimumCenter {
      let height = stride * Double(expf(min(sizes[cell], Self.maximumLogSide)))
      let width = stride * Double(expf(min(sizes[cellCount + cell], Self.maximumLogSide)))
      let center = Point(
        x: (Double(cell % columns) + 0.5 + Double(offsets[cellCount + cell])) * stride,
        y: (Double(cell / columns) + 0.5 + Double(offsets[cell])) * stride)
      let box = Box(center: center, width: width, height: height)
      guard !box.isEmpty, centers[cell].isFinite else { continue }
      let keypoints = FaceCandidate.Keypoint.allCases.map { point in
        Point(
          x: box.x + width * Double(points[(2 * point.rawValue + 1) * cellCount + cell]),
          y: box.y + height * Double(points[2 * point.rawValue * cellCount + cell]))
      }
      found.append(
        FaceCandidate(score: Self.score(centers[cell]), box: box, keypoints: keypoints))
    }
    return Self.distinct(found).map { inFrame($0, region, isMirrored) }
  }

  /// Each face once, best first.
  static func distinct(_ candidates: [FaceCandidate]) -> [FaceCandidate] {
    weightedSuppression(candidates, maximumIoU: 0.3, maximumContained: 0.6)
  }

  /// A candidate in pixels of the frame instead of the input's.
  private func inFrame(_ candidate: FaceCandidate, _ region: RotatedBox, _ isMirrored: Bool) -> FaceCandidate {
    func inFrame(_ point: Point) -> Point {
      let across = point.x / Double(input.width)
      return region.point(across: isMirrored ? 1 - across : across, down: point.y / Double(input.height))
    }
    let width = candidate.box.width / Double(input.width) * region.width
    let height = candidate.box.height / Double(input.height) * region.height
    let (cosine, sine) = (cos(region.angle), sin(region.angle))
    func extent(_ along: Double, _ across: Double) -> Double {
      region.angle == 0 ? along : (along * along * cosine * cosine + across * across * sine * sine).squareRoot()
    }
    let order = isMirrored ? FaceCandidate.mirroredKeypoints : FaceCandidate.Keypoint.allCases
    return FaceCandidate(
      score: candidate.score,
      box: Box(center: inFrame(candidate.box.center), width: extent(width, height), height: extent(height, width)),
      keypoints: order.map { inFrame(candidate[$0]) })
  }
}

/// CenterFace with one size of input. One owner at a time; the model is shared.
struct CenterFace {
  let decoder: CenterFaceDecoder
  private let request: InferenceRequest
  private var sampler: RegionSampler
  private let isMirrored: Bool
  /// The region of the last pass.
  private var region = RotatedBox(Box(x: 0, y: 0, width: 1, height: 1))

  /// - Parameters:
  ///   - input: its sides are multiples of 32.
  ///   - isMirrored: whether it is shown the mirror image of each region.
  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than CenterFace.
  init(_ model: Model, input: PixelSize, minimumScore: Double, isMirrored: Bool = false) throws(VStreamError) {
    try model.require(
      ModelCatalogue.centerFace.inputs + ModelCatalogue.centerFace.outputs, "the face detector")
    decoder = CenterFaceDecoder(input: input, minimumScore: minimumScore)
    self.isMirrored = isMirrored
    request = try InferenceRequest(model, inputShapes: [[1, 3, input.height, input.width]])
    sampler = RegionSampler(TensorFormat(size: input, order: .rgb, layout: .planar, filter: .triangle))
  }

  /// Starts a pass on a region of the frame with the proportions of the input, which may be rotated and reach past the edges.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  mutating func start(on frame: VideoFrame, region: RotatedBox, timer: any StepTimer) throws {
    try timer.sampling {
      try request.withInput(0) { tensor in
        try sampler.sample(frame, region: region, into: &tensor)
        if isMirrored { tensor.mirrorRows(of: decoder.input.width, channels: 1) }
      }
    }
    try request.start()
    self.region = region
  }

  /// Waits for the candidates of the pass that was started.
  ///
  /// - Returns: best first, in pixels of the frame.
  /// - Throws: `VStreamError.library` if the network fails.
  func finish(timer: any StepTimer) throws -> [FaceCandidate] {
    try timer.inferring {
      try request.wait()
      return try request.withOutput(0) { centers, _ in
        try request.withOutput(1) { sizes, _ in
          try request.withOutput(2) { offsets, _ in
            try request.withOutput(3) { points, _ in
              decoder.decode(
                centers: centers, sizes: sizes, offsets: offsets, points: points, region: region, isMirrored: isMirrored
              )
            }
          }
        }
      }
    }
  }
}
