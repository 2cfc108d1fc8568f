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
  private var network: BlazeFace

  init(_ model: Model, _ options: FaceDetectorOptions) throws(VStreamError) {
    minimumScore = options.leastScore
    switch options.performanceMode {
    case .fast:
      pyramid = nil
      network = try BlazeFace(model, .short, minimumScore: minimumScore)
    case .accurate:
      pyramid = FacePyramid(minFaceSize: options.minFaceSize)
      network = try BlazeFace(model, .full, minimumScore: min(minimumScore, Self.doubtfulScore))
    }
  }

  /// - Returns: best first.
  mutating func faces(in frame: VideoFrame, timer: any StepTimer) throws -> [FaceCandidate] {
    guard let looks = pyramid?.looks(at: frame.size) else {
      return try network.candidates(in: frame, region: Box.square(around: frame.size), timer: timer)
    }
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
      if let face = try secondLook(at: face, in: frame, timer) { sure.append(face) }
    }
    return weightedSuppression(sure, maximumIoU: BlazeFaceDecoder.maximumIoU)
  }

  /// The same face as a look at it alone finds it; `nil` if that finds none.
  private mutating func secondLook(
    at face: FaceCandidate, in frame: VideoFrame, _ timer: any StepTimer
  ) throws -> FaceCandidate? {
    let side = face.box.width / Self.secondLookShare
    let region = Box(center: face.box.center, width: side, height: side)
    return try network.candidates(in: frame, region: region, timer: timer).first {
      $0.score >= minimumScore && $0.box.iou(face.box) >= Self.sameFaceIoU
    }
  }
}
