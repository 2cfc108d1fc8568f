internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Detects faces in frames, in one pass or in passes on ever smaller crops. One owner at a time.
///
/// With many small crops, some regions are falsely detected as small faces in a single pass. So each candidate of the crops is
/// verified by a pass of its own, centred on it and of the size that suits it, and only that pass counts.
struct FaceFinder {
  /// Candidates with this score, or the minimum score if that is less, are verified.
  private static let unverifiedScore = 0.3
  /// In an exhaustive search, all candidates with lower scores are verified, those of the whole frame as well.
  private static let certainScore = 0.5
  /// Sides of a second search's crops, in those of the first.
  private static let secondScale = 0.85
  /// In an exhaustive search, a known face is detected with this score.
  private static let knownFaceScore = 0.2
  /// Width of a face in its own crop, as a fraction of the crop's: 38 of the network's pixels. A face that is as wide in the
  /// whole frame needs no verification.
  private static let verificationFraction = 1.0 / 5
  /// Least overlap of the face in a verification pass with its candidate, and of a face with its box on an earlier frame.
  private static let sameFaceIoU = 0.3
  private static let movedFaceIoU = 0.1
  /// Most passes of one frame in flight.
  private static let maximumConcurrent = 4

  private let minimumScore: Double
  private let knownFaceScore: Double
  private let unverifiedScore: Double
  private let isSecondSearch: Bool
  private let isExhaustive: Bool
  /// `nil` if there is only the pass on the whole frame.
  private let pyramid: FacePyramid?
  private var networks: NetworkPool<BlazeFace>

  /// One pass on a frame.
  fileprivate enum Pass {
    case search(FacePyramid.Crop, isWhole: Bool)
    /// Where a face was on an earlier frame.
    case knownFace(FaceCandidate)

    var region: RotatedBox {
      switch self {
      case .search(let crop, _): crop.rotated
      case .knownFace(let face): FaceFinder.crop(around: face)
      }
    }
  }

  /// The search of a frame, with some passes in flight.
  struct Search {
    let frame: VideoFrame
    /// The next one last.
    fileprivate var queued: [Pass]
    fileprivate var inFlight: [(pass: Pass, network: BlazeFace)] = []
  }

  init(_ model: Model, _ options: FaceDetectorOptions) throws(VStreamError) {
    let minimumScore = options.effectiveMinimumScore
    let range: BlazeFaceDecoder.Range
    let networkScore: Double
    switch options.performanceMode {
    case .fast: (pyramid, range, networkScore) = (nil, .short, minimumScore)
    case .accurate:
      pyramid = FacePyramid(
        minFaceSize: options.minFaceSize, searchesEdges: options.isExhaustive, quarterTurns: options.quarterTurns,
        scale: options.isSecondSearch ? Self.secondScale : 1)
      (range, networkScore) = (
        .full, min(minimumScore, Self.unverifiedScore)
      )
    }
    self.minimumScore = minimumScore
    isExhaustive = options.isExhaustive
    knownFaceScore = options.isExhaustive ? min(minimumScore, Self.knownFaceScore) : minimumScore
    let isMirrored = options.isSecondSearch
    isSecondSearch = isMirrored
    let lowestScore = min(networkScore, knownFaceScore)
    unverifiedScore = networkScore
    networks = try NetworkPool { () throws(VStreamError) in
      try BlazeFace(model, range, minimumScore: lowestScore, isMirrored: isMirrored)
    }
  }

  /// Whether the pass on the whole frame is the only one.
  var isSinglePass: Bool { pyramid == nil }

  /// The crops in which faces are searched for, the whole frame first.
  func crops(of frame: VideoFrame) -> [FacePyramid.Crop] {
    pyramid?.crops(of: frame.size).filter { isSearched($0, at: frame.time.seconds) }
      ?? [FacePyramid.Crop(region: Box.square(around: frame.size), minimumFaceWidth: 0)]
  }

  /// Whether a crop is one of a frame's: in a second search, only the first has all turns, and the others one in turn.
  private func isSearched(_ crop: FacePyramid.Crop, at seconds: Double) -> Bool {
    guard isSecondSearch, crop.quarterTurns > 0, seconds > 0 else { return true }
    // A hash of the time: of any frame rate, all turns come in turn.
    let milliseconds = UInt64(max(0, min(seconds * 1000, 1e15)).rounded())
    return crop.quarterTurns == 1 + Int((milliseconds &* 0x9E37_79B9_7F4A_7C15) >> 40) % 3
  }

  /// Starts a search of some crops and around known faces.
  ///
  /// - Parameter crops: the whole frame first; `nil` for all.
  mutating func start(
    on frame: VideoFrame, crops: [FacePyramid.Crop]? = nil, knownFaces: [FaceCandidate] = [], timer: any StepTimer
  ) throws -> Search {
    let searched = crops ?? self.crops(of: frame)
    var search = Search(frame: frame, queued: searched.enumerated().map { .search($1, isWhole: $0 == 0) })
    // The pass on the whole frame is enough for wider faces that are upright.
    for face in knownFaces where face.box.width < reliableWidth(in: frame) || face.turn != 0 {
      search.queued.append(.knownFace(face))
    }
    search.queued.reverse()
    try startQueued(of: &search, timer)
    return search
  }

  /// Runs the remaining passes and waits for all of them.
  ///
  /// - Parameter knownFaces: faces of the frame before; those that were not detected are searched for at their boxes.
  /// - Returns: best first.
  mutating func finish(_ search: Search, knownFaces: [FaceCandidate] = [], timer: any StepTimer) throws
    -> [FaceCandidate]
  {
    var search = search
    var candidates = Candidates()
    while !search.inFlight.isEmpty {
      let (pass, network) = search.inFlight.removeFirst()
      let faces = try network.finish(timer: timer)
      networks.putBack(network)
      try startQueued(of: &search, timer)
      collect(faces, of: pass, in: search.frame, &candidates)
    }
    guard !isSinglePass else { return candidates.confirmed }
    try verify(&candidates, in: search.frame, timer)
    for face in undetected(knownFaces, among: candidates.confirmed) {
      collect(try faces(around: face, in: search.frame, timer), of: .knownFace(face), in: search.frame, &candidates)
    }
    try verify(&candidates, in: search.frame, timer)
    return weightedSuppression(candidates.confirmed, maximumIoU: BlazeFaceDecoder.maximumIoU)
  }

  // MARK: Passes

  private mutating func startQueued(of search: inout Search, _ timer: any StepTimer) throws {
    while search.inFlight.count < Self.maximumConcurrent, let pass = search.queued.popLast() {
      var network = try networks.take()
      try network.start(on: search.frame, crop: pass.region, outside: outside(of: pass), timer: timer)
      search.inFlight.append((pass, network))
    }
  }

  /// The faces in the crop around a face.
  private mutating func faces(around face: FaceCandidate, in frame: VideoFrame, _ timer: any StepTimer) throws
    -> [FaceCandidate]
  {
    var network = try networks.take()
    let faces = try network.candidates(in: frame, crop: Self.crop(around: face), outside: outsideCrops, timer: timer)
    networks.putBack(network)
    return faces
  }

  private func outside(of pass: Pass) -> TensorFormat.Outside {
    switch pass {
    case .search(let crop, _): crop.isMirrored ? .mirrored : .black
    case .knownFace: outsideCrops
    }
  }

  /// What is outside the frame in crops around faces.
  private var outsideCrops: TensorFormat.Outside { pyramid?.searchesEdges == true ? .mirrored : .black }

  /// The crop in which a face is upright and of the width that is detected best.
  private static func crop(around face: FaceCandidate) -> RotatedBox {
    let side = face.box.width / verificationFraction
    return RotatedBox(center: face.box.center, width: side, height: side, angle: face.turn)
  }

  /// Width from which the pass on the whole frame detects faces reliably.
  private func reliableWidth(in frame: VideoFrame) -> Double {
    isSinglePass ? 0 : Self.verificationFraction * Box.square(around: frame.size).width
  }

  // MARK: Candidates

  private struct Candidates {
    var confirmed: [FaceCandidate] = []
    var unverified: [FaceCandidate] = []
  }

  /// Sorts the faces of a pass into confirmed and unverified ones.
  private func collect(
    _ faces: [FaceCandidate], of pass: Pass, in frame: VideoFrame, _ candidates: inout Candidates
  ) {
    switch pass {
    case .search(let crop, let isWhole):
      for face in faces where face.score >= unverifiedScore && crop.isResponsible(for: face.box, in: frame.size) {
        if !isWhole || face.box.width < reliableWidth(in: frame) || isExhaustive && face.score < Self.certainScore {
          candidates.unverified.append(face)
        } else if face.score >= minimumScore {
          candidates.confirmed.append(face)
        }
      }
    case .knownFace(let known):
      let same =
        nearest(faces, to: known.box, Self.movedFaceIoU)
        ?? nearest(faces, to: known.box, Self.sameFaceIoU, minimumScore: knownFaceScore)
      if let same { candidates.confirmed.append(faces[same]) }
      // Other faces in the crop, and the known one if it has moved farther.
      let crop = FacePyramid.Crop(
        region: pass.region.upright, minimumFaceWidth: Self.verificationFraction / 2 * pass.region.width,
        isMirrored: pyramid?.searchesEdges == true)
      for (index, face) in faces.enumerated()
      where index != same && face.score >= unverifiedScore && crop.isResponsible(for: face.box, in: frame.size) {
        candidates.unverified.append(face)
      }
    }
  }

  /// Confirms or discards all unverified candidates.
  private mutating func verify(_ candidates: inout Candidates, in frame: VideoFrame, _ timer: any StepTimer) throws {
    let unverified = candidates.unverified.filter { face in
      !candidates.confirmed.contains {
        $0.box.iou(face.box) > BlazeFaceDecoder.maximumIoU && $0.score >= min(face.score, Self.certainScore)
      }
    }
    candidates.unverified = []
    for face in weightedSuppression(unverified, maximumIoU: BlazeFaceDecoder.maximumIoU) {
      let faces = try faces(around: face, in: frame, timer)
      if let same = nearest(faces, to: face.box, Self.sameFaceIoU) { candidates.confirmed.append(faces[same]) }
    }
  }

  /// The index of the face that overlaps most with a box, if at least by a given amount.
  private func nearest(
    _ faces: [FaceCandidate], to box: Box, _ minimumIoU: Double, minimumScore: Double? = nil
  ) -> Int? {
    let minimumScore = minimumScore ?? self.minimumScore
    let near = faces.indices.filter { faces[$0].score >= minimumScore && faces[$0].box.iou(box) >= minimumIoU }
    return near.max { faces[$0].box.iou(box) < faces[$1].box.iou(box) }
  }

  /// The known faces that are not among those detected; each of the latter counts for one known face at most.
  private func undetected(_ known: [FaceCandidate], among detected: [FaceCandidate]) -> [FaceCandidate] {
    var rest = detected
    return known.filter { face in
      guard let same = nearest(rest, to: face.box, Self.movedFaceIoU, minimumScore: knownFaceScore) else { return true }
      rest.remove(at: same)
      return false
    }
  }
}
