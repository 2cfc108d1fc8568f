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
  private static let secondLookShare = 1.0 / 5
  /// What the second look finds is the same face if it overlaps by this much; if it may have moved since, by this.
  private static let sameFaceIoU = 0.3
  private static let movedFaceIoU = 0.1
  /// So many looks of one frame are under way at once, if nothing else is begun.
  private static let mostAtOnce = 4

  private let minimumScore: Double
  /// `nil` where one look is all.
  private let pyramid: FacePyramid?
  private var networks: NetworkPool<BlazeFace>

  /// Looks at a frame that have begun.
  struct Looks {
    /// At the whole, and at squares of it.
    fileprivate var searches: [(look: FacePyramid.Look, network: BlazeFace)] = []
    /// At places where faces were.
    fileprivate var places: [(face: Box, network: BlazeFace)] = []
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

  /// Whether one look at a frame is all, which can be begun.
  var hasOneLook: Bool { pyramid == nil }

  /// How many closer looks there are at a frame, beside the one at the whole.
  func closerLookCount(at frame: VideoFrame) -> Int { (pyramid?.looks(at: frame.size).count ?? 1) - 1 }

  /// Begins to look at the whole of a frame, at some of the closer looks, and at places where faces were.
  ///
  /// - Parameter closer: their numbers, from 0.
  mutating func start(
    in frame: VideoFrame, closer: [Int] = [], places: [Box] = [], timer: any StepTimer
  ) throws -> Looks {
    var looks = Looks()
    let all = self.looks(at: frame)
    for look in [all[0]] + closer.map({ all[$0 + 1] }) {
      looks.searches.append((look, try started(in: frame, look.region, timer)))
    }
    // What takes up so much of the frame is told by the look at the whole.
    for face in places where face.width < sureWidth(in: frame) {
      looks.places.append((face, try started(in: frame, Self.region(of: face), timer)))
    }
    return looks
  }

  /// Waits for what looks see.
  ///
  /// - Parameter known: where faces were on the frame before; they are looked for there if the looks have not found them.
  /// - Returns: best first.
  mutating func finish(
    _ looks: Looks, in frame: VideoFrame, known: [Box] = [], timer: any StepTimer
  ) throws -> [FaceCandidate] {
    var findings = Findings()
    for (look, network) in looks.searches { collect(try finished(network, timer), look, in: frame, &findings) }
    for (face, network) in looks.places {
      let found = best(try finished(network, timer), near: face, Self.movedFaceIoU)
      if let found { findings.sure.append(found) }
    }
    return hasOneLook ? findings.sure : try settle(findings, known, in: frame, timer)
  }

  /// Takes all looks at a frame.
  ///
  /// - Returns: best first.
  mutating func faces(in frame: VideoFrame, timer: any StepTimer) throws -> [FaceCandidate] {
    if hasOneLook { return try finish(start(in: frame, timer: timer), in: frame, timer: timer) }
    var findings = Findings()
    var begun: [(look: FacePyramid.Look, network: BlazeFace)] = []
    for look in looks(at: frame) {
      if begun.count == Self.mostAtOnce {
        let (look, network) = begun.removeFirst()
        collect(try finished(network, timer), look, in: frame, &findings)
      }
      begun.append((look, try started(in: frame, look.region, timer)))
    }
    for (look, network) in begun { collect(try finished(network, timer), look, in: frame, &findings) }
    return try settle(findings, [], in: frame, timer)
  }

  // MARK: Looks

  private func looks(at frame: VideoFrame) -> [FacePyramid.Look] {
    pyramid?.looks(at: frame.size) ?? [FacePyramid.Look(region: Box.square(around: frame.size), narrowest: 0)]
  }

  private mutating func started(
    in frame: VideoFrame, _ region: Box, _ timer: any StepTimer
  ) throws -> BlazeFace {
    var network = try networks.take()
    try network.start(in: frame, region: region, timer: timer)
    return network
  }

  private mutating func finished(_ network: BlazeFace, _ timer: any StepTimer) throws -> [FaceCandidate] {
    let faces = try network.finish(timer: timer)
    networks.giveBack(network)
    return faces
  }

  /// Where a face is looked at that takes up as much of the look as suits it.
  private static func region(of face: Box) -> Box {
    let side = face.width / secondLookShare
    return Box(center: face.center, width: side, height: side)
  }

  /// How wide a face is that a look at the whole frame tells for sure.
  private func sureWidth(in frame: VideoFrame) -> Double {
    Self.secondLookShare * Box.square(around: frame.size).width
  }

  // MARK: What they find

  private struct Findings {
    var sure: [FaceCandidate] = []
    /// What is to be looked at again.
    var doubtful: [FaceCandidate] = []
  }

  /// Takes what a look has found.
  private func collect(
    _ faces: [FaceCandidate], _ look: FacePyramid.Look, in frame: VideoFrame, _ findings: inout Findings
  ) {
    if hasOneLook {
      findings.sure = faces
      return
    }
    let isWhole = look.region == Box.square(around: frame.size)
    for face in faces where look.tells(face.box, in: frame.size) {
      if isWhole, face.box.width >= sureWidth(in: frame) {
        if face.score >= minimumScore { findings.sure.append(face) }
      } else {
        findings.doubtful.append(face)
      }
    }
  }

  /// Looks again at what is in doubt, and where known faces were that have not been found.
  ///
  /// - Returns: best first.
  private mutating func settle(
    _ findings: Findings, _ known: [Box], in frame: VideoFrame, _ timer: any StepTimer
  ) throws -> [FaceCandidate] {
    var sure = findings.sure
    let doubtful = findings.doubtful.filter { face in
      !sure.contains { $0.box.iou(face.box) > BlazeFaceDecoder.maximumIoU }
    }
    for face in weightedSuppression(doubtful, maximumIoU: BlazeFaceDecoder.maximumIoU) {
      if let face = try secondLook(at: face.box, in: frame, Self.sameFaceIoU, timer) { sure.append(face) }
    }
    for face in known where !sure.contains(where: { $0.box.intersection(face) != nil }) {
      if let face = try secondLook(at: face, in: frame, Self.movedFaceIoU, timer) { sure.append(face) }
    }
    return weightedSuppression(sure, maximumIoU: BlazeFaceDecoder.maximumIoU)
  }

  /// The same face as a look at it alone finds it; `nil` if that finds none.
  private mutating func secondLook(
    at face: Box, in frame: VideoFrame, _ overlap: Double, _ timer: any StepTimer
  ) throws -> FaceCandidate? {
    best(try finished(started(in: frame, Self.region(of: face), timer), timer), near: face, overlap)
  }

  private func best(_ faces: [FaceCandidate], near place: Box, _ overlap: Double) -> FaceCandidate? {
    faces.first { $0.score >= minimumScore && $0.box.iou(place) >= overlap }
  }
}
