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
  static let confidentScore = 0.5
  /// Sides of a second search's crops, in those of the first.
  private static let secondScale = 0.85
  /// In an exhaustive search, a known face is detected with this score.
  private static let knownFaceScore = 0.2
  /// Width of a face in its own crop, as a fraction of the crop's: 38 of the network's pixels.
  private static let verificationFraction = 1.0 / 5
  /// A face that is as wide as this fraction of the whole frame, 27 of the network's pixels, needs no crop of its own.
  private static let reliableFraction = 1.0 / 7
  /// Width of a large face, in those of the smallest that is searched for.
  private static let largeFace = 2.0
  /// Least overlap of the face in a verification pass with its candidate, and of a face with its box on an earlier frame.
  private static let sameFaceIoU = 0.3
  private static let movedFaceIoU = 0.1
  /// Candidates are alike if they overlap more, and their angles differ by less, in radians.
  private static let alikeIoU = 0.6
  private static let alikeAngle = 0.4
  /// A face is in a corner if its box reaches past it, extended by this fraction of its sides.
  private static let cornerReach = 0.2
  /// Most passes of one frame in flight.
  private static let maximumConcurrent = 8

  private let options: FaceDetectorOptions
  private let minimumScore: Double
  private let knownFaceScore: Double
  private let unverifiedScore: Double
  /// `nil` if there is only the pass on the whole frame.
  private let pyramid: FacePyramid?
  private var networks: NetworkPool<BlazeFace>
  /// Set if grainy frames are searched smoothed as well.
  private var grain: GrainMeter?

  /// What a pass on a frame is for.
  fileprivate enum Purpose {
    case search(FacePyramid.Crop, isWhole: Bool)
    /// Where a face was on an earlier frame.
    case knownFace(FaceCandidate, FacePyramid.Margin?)
    /// Whether a candidate is a face.
    case verification(FaceCandidate, FacePyramid.Margin?)

    var region: RotatedBox {
      switch self {
      case .search(let crop, _): crop.rotated
      case .knownFace(let face, _), .verification(let face, _): FaceFinder.crop(around: face)
      }
    }

    var margin: FacePyramid.Margin? {
      switch self {
      case .search(let crop, _): crop.margin
      case .knownFace(_, let margin), .verification(_, let margin): margin
      }
    }
  }

  /// One pass on a frame.
  fileprivate struct Pass {
    let purpose: Purpose
    let isSmoothed: Bool
  }

  /// The search of a frame, with some passes in flight.
  struct Search {
    let frame: VideoFrame
    /// Whether each pass is made twice, the second time on a smoothed crop.
    fileprivate let isGrainy: Bool
    /// The next one last.
    fileprivate var queued: [Pass] = []
    fileprivate var inFlight: [(pass: Pass, network: BlazeFace)] = []
    fileprivate var confirmed: [FaceCandidate] = []
    fileprivate var unverified: [FaceCandidate] = []

    /// Whether a candidate is a face that is confirmed.
    fileprivate func hasConfirmed(_ face: FaceCandidate) -> Bool {
      confirmed.contains {
        $0.box.iou(face.box) > BlazeFaceDecoder.maximumIoU
          && $0.score >= min(face.score, FaceFinder.confidentScore)
      }
    }

    fileprivate mutating func queue(_ purposes: [Purpose]) {
      let kinds = isGrainy ? [false, true] : [false]
      queued = purposes.flatMap { purpose in kinds.map { Pass(purpose: purpose, isSmoothed: $0) } }.reversed()
    }
  }

  init(_ model: Model, _ options: FaceDetectorOptions) throws(VStreamError) {
    let minimumScore = options.effectiveMinimumScore
    let range: BlazeFaceDecoder.Range
    let networkScore: Double
    switch options.performanceMode {
    case .fast: (pyramid, range, networkScore) = (nil, .short, minimumScore)
    case .accurate:
      grain = options.isExhaustive ? GrainMeter() : nil
      pyramid = FacePyramid(
        minFaceSize: options.minFaceSize, searchesEdges: options.isExhaustive,
        cornerMargins: options.searchInterval > 0 && !options.isSecondSearch
          ? [.black] : FacePyramid.Margin.ofCorners, quarterTurns: options.quarterTurns,
        scale: options.isSecondSearch ? Self.secondScale : 1)
      (range, networkScore) = (
        .full, min(minimumScore, Self.unverifiedScore)
      )
    }
    self.options = options
    self.minimumScore = minimumScore
    knownFaceScore = options.isExhaustive ? min(minimumScore, Self.knownFaceScore) : minimumScore
    let isMirrored = options.isSecondSearch
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
    guard options.isSecondSearch, crop.quarterTurns > 0, seconds > 0 else { return true }
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
    var search = Search(frame: frame, isGrainy: try grain?.isGrainy(frame) ?? false)
    let narrow = knownFaces.filter { isNarrow($0, in: frame) }
    search.queue(
      searched.enumerated().map { .search($1, isWhole: $0 == 0) } + purposes(narrow, in: frame, Purpose.knownFace))
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
    try runQueued(of: &search, timer)
    guard !isSinglePass else { return search.confirmed }
    try verify(&search, timer)
    let followed = knownFaces.filter { isFollowed($0, in: search.frame) }
    let missing = undetected(followed, among: search.confirmed)
    try run(purposes(missing, in: search.frame, Purpose.knownFace), of: &search, timer)
    try verify(&search, timer)
    return weightedSuppression(search.confirmed, maximumIoU: BlazeFaceDecoder.maximumIoU)
  }

  // MARK: Passes

  /// Runs passes of some purposes side by side; their faces are collected in their order.
  private mutating func run(_ purposes: [Purpose], of search: inout Search, _ timer: any StepTimer) throws {
    search.queue(purposes)
    try runQueued(of: &search, timer)
  }

  private mutating func runQueued(of search: inout Search, _ timer: any StepTimer) throws {
    try startQueued(of: &search, timer)
    while !search.inFlight.isEmpty {
      let (pass, network) = search.inFlight.removeFirst()
      let faces = try network.finish(timer: timer)
      networks.putBack(network)
      try startQueued(of: &search, timer)
      collect(faces, of: pass.purpose, &search)
    }
  }

  private mutating func startQueued(of search: inout Search, _ timer: any StepTimer) throws {
    while search.inFlight.count < Self.maximumConcurrent, let pass = search.queued.popLast() {
      var network = try networks.take()
      try network.start(
        on: search.frame, crop: pass.purpose.region, outside: outside(of: pass.purpose), isSmoothed: pass.isSmoothed,
        timer: timer)
      search.inFlight.append((pass, network))
    }
  }

  /// What is outside the frame.
  private func outside(of purpose: Purpose) -> TensorFormat.Outside {
    switch purpose.margin {
    case .mirrored: .mirrored
    case .mirroredVertically: .mirroredVertically
    case .black, nil: .black
    }
  }

  /// The passes on faces in crops of their own: of those in a corner of the frame one for each margin.
  private func purposes(
    _ faces: [FaceCandidate], in frame: VideoFrame, _ purpose: (FaceCandidate, FacePyramid.Margin?) -> Purpose
  ) -> [Purpose] {
    guard let pyramid, pyramid.searchesEdges else { return faces.map { purpose($0, nil) } }
    return faces.flatMap { face in
      // As far as the box of a face may be off that is cut on two sides.
      let isInCorner = face.box.buffered(by: Self.cornerReach).hasCorner(of: frame.size)
      return ([.mirrored] + (isInCorner ? pyramid.cornerMargins : [])).map { purpose(face, $0) }
    }
  }

  /// The crop in which a face is upright and of the width that is detected best.
  private static func crop(around face: FaceCandidate) -> RotatedBox {
    let side = face.box.width / verificationFraction
    return RotatedBox(center: face.box.center, width: side, height: side, angle: face.roll)
  }

  /// Width from which the pass on the whole frame detects faces reliably.
  private func reliableWidth(in frame: VideoFrame) -> Double {
    isSinglePass ? 0 : Self.reliableFraction * Box.square(around: frame.size).width
  }

  /// Whether a face needs a crop of its own: the pass on the whole frame is enough for wider ones that are upright.
  private func isNarrow(_ face: FaceCandidate, in frame: VideoFrame) -> Bool {
    face.box.width < reliableWidth(in: frame) || face.roll != 0
  }

  /// Whether a face that was not detected is searched for once more. Large ones with low scores are rarely faces, and are
  /// searched for where they were two frames before.
  private func isFollowed(_ face: FaceCandidate, in frame: VideoFrame) -> Bool {
    let smallest = pyramid?.smallestWidth(in: frame.size) ?? 0
    return face.score >= Self.confidentScore || face.box.width < Self.largeFace * smallest || !isNarrow(face, in: frame)
  }

  // MARK: Candidates

  /// Sorts the faces of a pass into confirmed and unverified ones.
  private func collect(_ faces: [FaceCandidate], of purpose: Purpose, _ search: inout Search) {
    let frame = search.frame
    switch purpose {
    case .search(let crop, let isWhole):
      for face in faces where face.score >= unverifiedScore && crop.isResponsible(for: face.box, in: frame.size) {
        if !isWhole || face.box.width < reliableWidth(in: frame)
          || options.isExhaustive && face.score < Self.confidentScore
        {
          search.unverified.append(face)
        } else if face.score >= minimumScore {
          search.confirmed.append(face)
        }
      }
    case .knownFace(let known, let margin):
      let same =
        nearest(faces, to: known.box, Self.movedFaceIoU)
        ?? nearest(faces, to: known.box, Self.sameFaceIoU, minimumScore: knownFaceScore)
      if let same { search.confirmed.append(faces[same]) }
      // Other faces in the crop, and the known one if it has moved farther.
      let crop = FacePyramid.Crop(
        region: purpose.region.upright, minimumFaceWidth: Self.verificationFraction / 2 * purpose.region.width,
        margin: margin)
      for (index, face) in faces.enumerated()
      where index != same && face.score >= unverifiedScore && crop.isResponsible(for: face.box, in: frame.size) {
        search.unverified.append(face)
      }
    case .verification(let candidate, _):
      if let same = nearest(faces, to: candidate.box, Self.sameFaceIoU) { search.confirmed.append(faces[same]) }
    }
  }

  /// Confirms or discards all unverified candidates: of those that overlap first the best, and if it is discarded the next
  /// one that differs from it. Those of rotated and smoothed crops may have better scores and worse boxes.
  private mutating func verify(_ search: inout Search, _ timer: any StepTimer) throws {
    var waiting = search.unverified.sorted { $0.score > $1.score }
    search.unverified = []
    if options.isSecondSearch {
      // The check of a redaction reports less that is no face if only their mean counts.
      waiting = weightedSuppression(
        waiting.filter { !search.hasConfirmed($0) }, maximumIoU: BlazeFaceDecoder.maximumIoU)
    } else if options.isExhaustive {
      search.confirmed += agreed(waiting)
    }
    while !waiting.isEmpty {
      var chosen: [FaceCandidate] = []
      var others: [FaceCandidate] = []
      for face in waiting where !search.hasConfirmed(face) {
        let overlapping = chosen.filter { $0.box.iou(face.box) > BlazeFaceDecoder.maximumIoU }
        if overlapping.isEmpty {
          chosen.append(face)
        } else if !overlapping.contains(where: { Self.areAlike($0, face) }) {
          others.append(face)
        }
      }
      try run(purposes(chosen, in: search.frame, Purpose.verification), of: &search, timer)
      waiting = others
    }
  }

  /// The candidates that another crop shows as well, at whichever angle, with scores that are no weaker than a verification's.
  private func agreed(_ candidates: [FaceCandidate]) -> [FaceCandidate] {
    let confident = candidates.filter { $0.score >= Self.confidentScore }
    return confident.indices.compactMap { index in
      let isShownTwice = confident.indices.contains {
        $0 != index && confident[$0].box.iou(confident[index].box) > Self.alikeIoU
      }
      return isShownTwice ? confident[index] : nil
    }
  }

  /// Whether a verification of one is as good as of the other.
  private static func areAlike(_ one: FaceCandidate, _ other: FaceCandidate) -> Bool {
    let angle = abs(one.roll - other.roll)
    return one.box.iou(other.box) > alikeIoU && min(angle, 2 * .pi - angle) < alikeAngle
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
