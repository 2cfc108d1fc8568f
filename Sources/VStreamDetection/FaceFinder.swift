internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Looks for faces in a whole frame, at one look or at several of growing closeness. One owner at a time.
///
/// At several looks many things are taken for small faces once. So whatever might be one is looked at again, from its own
/// middle and as close as suits it, and only that look counts.
struct FaceFinder {
  /// What scores so much at the first look, or what is wanted if that is less, is looked at again.
  private static let doubtfulScore = 0.3
  /// How much of the second look's width the face takes up: 38 of the network's pixels. What took as much at a look at the
  /// whole frame needs no second one.
  private static let secondLookShare = 1.0 / 5
  /// What the second look finds is the same face if it overlaps by this much.
  private static let sameFaceIoU = 0.3

  private let minimumScore: Double
  /// `nil` where one look is all.
  private let pyramid: FacePyramid?
  private var networks: NetworkPool<BlazeFace>

  /// The only look at a frame, which has begun.
  struct Look {
    fileprivate let network: BlazeFace
  }

  init(_ model: Model, _ options: FaceDetectorOptions) throws(VStreamError) {
    let minimumScore = options.leastScore
    let range: BlazeFaceDecoder.Range
    let networkScore: Double
    switch options.performanceMode {
    case .fast: (pyramid, range, networkScore) = (nil, .short, minimumScore)
    case .accurate:
      pyramid = FacePyramid(minFaceSize: options.minFaceSize)
      (range, networkScore) = (.full, min(minimumScore, Self.doubtfulScore))
    }
    self.minimumScore = minimumScore
    networks = try NetworkPool { () throws(VStreamError) in
      try BlazeFace(model, range, minimumScore: networkScore)
    }
  }

  /// Begins to look at a frame; `nil` if several looks are to be taken at it, which cannot be begun.
  mutating func start(in frame: VideoFrame, timer: any StepTimer) throws -> Look? {
    guard pyramid == nil else { return nil }
    var network = try networks.take()
    try network.start(in: frame, region: Box.square(around: frame.size), timer: timer)
    return Look(network: network)
  }

  /// Waits for what a look sees.
  ///
  /// - Returns: best first.
  mutating func finish(_ look: Look, timer: any StepTimer) throws -> [FaceCandidate] {
    let faces = try look.network.finish(timer: timer)
    networks.giveBack(look.network)
    return faces
  }

  /// - Returns: best first.
  mutating func faces(in frame: VideoFrame, timer: any StepTimer) throws -> [FaceCandidate] {
    if let look = try start(in: frame, timer: timer) { return try finish(look, timer: timer) }
    let looks = pyramid?.looks(at: frame.size) ?? []
    var network = try networks.take()
    let sureWidth = Self.secondLookShare * looks[0].region.width
    var sure: [FaceCandidate] = []
    var doubtful: [FaceCandidate] = []
    for (index, look) in looks.enumerated() {
      for face in try network.candidates(in: frame, region: look.region, timer: timer)
      where look.tells(face.box, in: frame.size) {
        if index == 0, face.box.width >= sureWidth {
          if face.score >= minimumScore { sure.append(face) }
        } else if !sure.contains(where: { $0.box.iou(face.box) > BlazeFaceDecoder.maximumIoU }) {
          doubtful.append(face)
        }
      }
    }
    for face in weightedSuppression(doubtful, maximumIoU: BlazeFaceDecoder.maximumIoU) {
      if let face = try secondLook(at: face, with: &network, in: frame, timer) { sure.append(face) }
    }
    networks.giveBack(network)
    return weightedSuppression(sure, maximumIoU: BlazeFaceDecoder.maximumIoU)
  }

  /// The same face as a look at it alone finds it; `nil` if that finds none.
  private func secondLook(
    at face: FaceCandidate, with network: inout BlazeFace, in frame: VideoFrame, _ timer: any StepTimer
  ) throws -> FaceCandidate? {
    let side = face.box.width / Self.secondLookShare
    let region = Box(center: face.box.center, width: side, height: side)
    return try network.candidates(in: frame, region: region, timer: timer).first {
      $0.score >= minimumScore && $0.box.iou(face.box) >= Self.sameFaceIoU
    }
  }
}
