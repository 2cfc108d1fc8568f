internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// The iris network, of whose outputs the eyelids are used. One owner at a time; the model is shared.
///
/// Source: A. Ablavatski et al., "Real-time Pupil Tracking from Monocular Video for Digital Puppetry", 2020.
struct EyeNetwork {
  private static let side = 64
  /// Points of the eye's and the brow's outlines, three values each.
  private static let pointCount = 71
  /// Side of the crop, in widths of the eye.
  private static let growth = 2.3
  /// Indices of the corners, and pairs of points of the lower and the upper lid between them.
  private static let corners = (0, 8)
  private static let lids = [(3, 11), (4, 12), (5, 13)]

  private let request: InferenceRequest
  private var sampler: RegionSampler

  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than the iris network.
  init(_ model: Model) throws(VStreamError) {
    let side = Self.side
    try model.require([[1, side, side, 3], [1, 3 * Self.pointCount], [1, 15]], "the iris network")
    request = try InferenceRequest(model)
    sampler = RegionSampler(TensorFormat(size: PixelSize(width: side, height: side), scale: SIMD3(repeating: 1 / 255)))
  }

  /// The distance between an eye's lids, in widths of the eye.
  ///
  /// - Parameters:
  ///   - right: the eye's corner on the image's left; `left`: the other.
  ///   - isMirrored: whether the crop is mirrored; the network is trained on the person's left eyes alone.
  mutating func openness(
    in frame: VideoFrame, from right: Point, to left: Point, isMirrored: Bool, timer: any StepTimer
  ) throws -> Double {
    let width = hypot(left.x - right.x, left.y - right.y)
    let region = RotatedBox(
      center: Point(x: (left.x + right.x) / 2, y: (left.y + right.y) / 2), width: Self.growth * width,
      height: Self.growth * width, angle: Angle.between(right, left))
    guard width > 0, width < 1e5 else { return 0 }
    try timer.sampling {
      try request.withInput(0) { tensor in
        try sampler.sample(frame, region: region, into: &tensor)
        if isMirrored { tensor.mirrorRows(of: Self.side, channels: 3) }
      }
    }
    return try timer.inferring {
      try request.infer()
      return try request.withOutput(0) { values, _ in Self.openness(values) }
    }
  }

  private static func openness(_ values: Span<Float>) -> Double {
    func distance(_ one: Int, _ other: Int) -> Double {
      hypot(
        Double(values[3 * one] - values[3 * other]), Double(values[3 * one + 1] - values[3 * other + 1]))
    }
    let width = distance(corners.0, corners.1)
    guard width > 0 else { return 0 }
    return lids.reduce(0) { $0 + distance($1.0, $1.1) } / Double(lids.count) / width
  }
}
