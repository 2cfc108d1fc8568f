internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Looks for faces in frames, at one look or at several of growing closeness. One owner at a time.
///
/// At several looks many things are taken for small faces once. So whatever might be one is looked at again, from its own
/// middle and as close as suits it, and only that look counts.
struct FaceFinder {
  /// What scores so much at the first look, or what is wanted if that is less, is looked at again.
  private static let doubtfulScore = 0.3
  /// How much of the second look's width the face takes up: 38 of the network's pixels. What took as much at a look at the
  /// whole frame needs no second one.
  private static let secondPassFraction = 1.0 / 5
  /// What the second look finds is the same face if it overlaps by this much; if it may have moved since, by this.
  private static let sameFaceIoU = 0.3
  private static let movedFaceIoU = 0.1
  /// So many looks at one frame are under way at once.
  private static let maximumConcurrent = 4

  private let minimumScore: Double
  /// `nil` where one look is all.
  private let pyramid: FacePyramid?
  private var networks: NetworkPool<BlazeFace>

  /// One look at a frame.
  fileprivate enum Look {
    case search(FacePyramid.Look, isWhole: Bool)
    /// At a place where a face was.
    case place(Box)

    var region: Box {
      switch self {
      case .search(let look, _): look.region
      case .place(let face): FaceFinder.region(of: face)
      }
    }
  }

  /// Looks at a frame, some of which have begun.
  struct Looks {
    fileprivate let frame: VideoFrame
    fileprivate var waiting: [Look]
    fileprivate var begun: [(look: Look, network: BlazeFace)] = []
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

  /// Whether one look at a frame is all.
  var isSinglePass: Bool { pyramid == nil }

  /// How many closer looks there are at a frame, beside the one at the whole.
  func cropCount(at frame: VideoFrame) -> Int { searches(of: frame).count - 1 }

  /// Begins to look at the whole of a frame, at some of the closer looks, and at places where faces were.
  ///
  /// - Parameter closer: their numbers, from 0; `nil` for all of them.
  mutating func start(
    in frame: VideoFrame, closer: [Int]? = nil, places: [Box] = [], timer: any StepTimer
  ) throws -> Looks {
    let all = searches(of: frame)
    let searched = closer.map { [all[0]] + $0.map { all[$0 + 1] } } ?? all
    var looks = Looks(frame: frame, waiting: searched.enumerated().map { .search($1, isWhole: $0 == 0) })
    // What takes up so much of the frame is told by the look at the whole.
    for face in places where face.width < sureWidth(in: frame) { looks.waiting.append(.place(face)) }
    looks.waiting.reverse()
    try startMore(of: &looks, timer)
    return looks
  }

  /// Takes the looks that are left and waits for what they see.
  ///
  /// - Parameter known: where faces were on the frame before; they are looked for there if the looks have not found them.
  /// - Returns: best first.
  mutating func finish(_ looks: Looks, known: [Box] = [], timer: any StepTimer) throws -> [FaceCandidate] {
    var looks = looks
    var findings = Findings()
    while !looks.begun.isEmpty {
      let (look, network) = looks.begun.removeFirst()
      let faces = try network.finish(timer: timer)
      networks.giveBack(network)
      try startMore(of: &looks, timer)
      collect(faces, by: look, in: looks.frame, &findings)
    }
    guard !isSinglePass else { return findings.sure }
    try settle(&findings, in: looks.frame, timer)
    for face in missing(known, in: findings.sure) {
      collect(try faces(at: face, in: looks.frame, timer), by: .place(face), in: looks.frame, &findings)
    }
    try settle(&findings, in: looks.frame, timer)
    return weightedSuppression(findings.sure, maximumIoU: BlazeFaceDecoder.maximumIoU)
  }

  // MARK: Looks

  private func searches(of frame: VideoFrame) -> [FacePyramid.Look] {
    pyramid?.looks(at: frame.size) ?? [FacePyramid.Look(region: Box.square(around: frame.size), narrowest: 0)]
  }

  private mutating func startMore(of looks: inout Looks, _ timer: any StepTimer) throws {
    while looks.begun.count < Self.maximumConcurrent, let look = looks.waiting.popLast() {
      var network = try networks.take()
      try network.start(in: looks.frame, region: look.region, timer: timer)
      looks.begun.append((look, network))
    }
  }

  /// What is seen where a face may be.
  private mutating func faces(at face: Box, in frame: VideoFrame, _ timer: any StepTimer) throws -> [FaceCandidate] {
    var network = try networks.take()
    let faces = try network.candidates(in: frame, region: Self.region(of: face), timer: timer)
    networks.giveBack(network)
    return faces
  }

  /// Where a face is looked at that takes up as much of the look as suits it.
  private static func region(of face: Box) -> Box {
    let side = face.width / secondPassFraction
    return Box(center: face.center, width: side, height: side)
  }

  /// How wide a face is that a look at the whole frame tells for sure.
  private func sureWidth(in frame: VideoFrame) -> Double {
    isSinglePass ? 0 : Self.secondPassFraction * Box.square(around: frame.size).width
  }

  // MARK: What they find

  private struct Findings {
    var sure: [FaceCandidate] = []
    /// What is to be looked at again.
    var doubtful: [FaceCandidate] = []
  }

  /// Takes what a look has found.
  private func collect(
    _ faces: [FaceCandidate], by look: Look, in frame: VideoFrame, _ findings: inout Findings
  ) {
    switch look {
    case .search(let search, let isWhole):
      for face in faces where search.tells(face.box, in: frame.size) {
        if !isWhole || face.box.width < sureWidth(in: frame) {
          findings.doubtful.append(face)
        } else if face.score >= minimumScore {
          findings.sure.append(face)
        }
      }
    case .place(let place):
      let own = nearest(faces, to: place, Self.movedFaceIoU)
      if let own { findings.sure.append(faces[own]) }
      // Others that are there, and one that has moved farther.
      let all = FacePyramid.Look(region: look.region, narrowest: Self.secondPassFraction / 2 * look.region.width)
      for (index, face) in faces.enumerated() where index != own && all.tells(face.box, in: frame.size) {
        findings.doubtful.append(face)
      }
    }
  }

  /// Looks again at what is in doubt; nothing is then.
  private mutating func settle(_ findings: inout Findings, in frame: VideoFrame, _ timer: any StepTimer) throws {
    let doubtful = findings.doubtful.filter { face in
      !findings.sure.contains { $0.box.iou(face.box) > BlazeFaceDecoder.maximumIoU }
    }
    findings.doubtful = []
    for face in weightedSuppression(doubtful, maximumIoU: BlazeFaceDecoder.maximumIoU) {
      let faces = try faces(at: face.box, in: frame, timer)
      if let same = nearest(faces, to: face.box, Self.sameFaceIoU) { findings.sure.append(faces[same]) }
    }
  }

  /// The place in a list of the face that overlaps most with a box, if by as much as is wanted.
  private func nearest(_ faces: [FaceCandidate], to box: Box, _ overlap: Double) -> Int? {
    let near = faces.indices.filter { faces[$0].score >= minimumScore && faces[$0].box.iou(box) >= overlap }
    return near.max { faces[$0].box.iou(box) < faces[$1].box.iou(box) }
  }

  /// Which of the known faces are none of those that were found, each of which is one of them at most.
  private func missing(_ known: [Box], in found: [FaceCandidate]) -> [Box] {
    var rest = found
    return known.filter { face in
      guard let same = nearest(rest, to: face, Self.movedFaceIoU) else { return true }
      rest.remove(at: same)
      return false
    }
  }
}
