internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

/// Detects faces: in whole frames, between them around the faces of the frame before, and, for redaction and verification, also in
/// frames rotated by quarter turns. One owner at a time, for one stream, its frames in their order.
struct FaceFinder {
  /// Width of the smallest face that is searched for, in pixels of the network's input.
  private static let networkFace = 12.0
  /// The longest side of the network's input.
  static let longestSide = 4096.0
  /// Sides of the input are multiples of this.
  private static let sideUnit = 32.0
  /// The factor of a verification's input.
  private static let secondScale = 1.25
  /// Faces with a longer side in pixels of the network's input are found too small, or in parts.
  private static let largestFace = 350.0
  /// The longer side of the input for those.
  private static let reducedSide = 320.0
  /// Side of the square that is searched for a known face, in sides of its box.
  private static let cropGrowth = 3.0
  private static let cropInput = PixelSize(width: 96, height: 96)
  /// A known face is found again if its boxes overlap this much.
  private static let sameIoU = 0.2
  /// A rotated search finds a face of its own if its score is higher by this.
  private static let clearlyHigher = 0.2

  private let model: Model
  private let options: FaceDetectorOptions
  /// For inputs of each size that is used.
  private var networks: [PixelSize: [CenterFace]] = [:]
  /// The size of the last frame.
  private var frameSize: PixelSize?
  private var schedule: FaceSchedule
  /// The known faces around which the frames in flight are searched.
  private var known = PlannedSearches<Box>()
  /// The faces of the last frame that was finished.
  private var latest: [Box] = []
  private var turns = QuarterTurns()

  /// The search of a frame, with passes in flight.
  struct Search {
    let frame: VideoFrame
    fileprivate let networks: [CenterFace]
    /// The faces in whose surroundings it is searched; `nil` if the whole frame is.
    fileprivate let known: [Box]?
  }

  init(_ model: Model, _ options: FaceDetectorOptions) throws(VStreamError) {
    self.model = model
    self.options = options
    schedule = FaceSchedule(seconds: options.searchSeconds)
    networks[Self.cropInput] = [try network(of: Self.cropInput)]
  }

  /// Starts the search of the next frame as it is. At most two frames are in flight.
  mutating func start(on frame: VideoFrame, timer: any StepTimer) throws -> Search {
    if frame.size != frameSize {
      networks = networks.filter { $0.key == Self.cropInput }
      frameSize = frame.size
    }
    let (around, isCut) = known.start(inShot: frame.shot)
    let searchesEveryFrame = options.purpose != .annotation || options.detectorMode == .singleImage
    let input = Self.input(of: frame.size, scale: scale(of: frame.size))
    let isWholeCheaper = 2 * around.count * Self.cropInput.width * Self.cropInput.height > input.width * input.height
    let isWhole = schedule.isWholeDue(at: frame.time.seconds, isForced: searchesEveryFrame || isWholeCheaper || isCut)
    let passes = try isWhole ? [started(on: frame, quarterTurns: 0, timer)] : started(on: frame, around: around, timer)
    return Search(frame: frame, networks: passes, known: isWhole ? nil : around)
  }

  /// Waits for the faces of the passes, and adds large faces and those of rotated frames. Where a known face
  /// is not found again, the whole frame is searched after all.
  ///
  /// - Parameter wholly: whether the whole frame is searched in any case.
  /// - Returns: best first.
  mutating func finish(_ search: Search, wholly: Bool = false, timer: any StepTimer) throws -> [FaceCandidate] {
    if known.finish(inShot: search.frame.shot) {
      latest = []
      turns.restart()
    }
    var found: [FaceCandidate] = []
    for network in search.networks {
      found +=
        try search.known == nil ? wholeCandidates(network, search.frame, timer: timer) : candidates(network, timer)
    }
    if let around = search.known {
      // Faces of the previous frame.
      let added = latest.filter { box in !around.contains { $0.iou(box) > Self.sameIoU } }
      for network in try started(on: search.frame, around: added, timer) { found += try candidates(network, timer) }
      if !wholly, latest.allSatisfy({ box in found.contains { $0.box.iou(box) > Self.sameIoU } }) {
        found = CenterFaceDecoder.distinct(found)
      } else {
        found = try wholeCandidates(started(on: search.frame, quarterTurns: 0, timer), search.frame, timer: timer)
      }
    }
    for turn in turns.due(at: search.frame.time.seconds, options, isEmpty: found.isEmpty) {
      let network = try started(on: search.frame, quarterTurns: turn, timer)
      let rotated = try wholeCandidates(network, search.frame, quarterTurns: turn, timer: timer)
      let hasOwnFace = rotated.contains { face in
        !found.contains { $0.box.iou(face.box) > Self.sameIoU && $0.score >= face.score - Self.clearlyHigher }
      }
      turns.record(turn, hasOwnFace: hasOwnFace)
      found = CenterFaceDecoder.distinct(found + rotated)
    }
    latest = found.map(\.box)
    known.add(latest)
    return found
  }

  /// Replaces the faces of the last frame that was finished, around which later frames are searched.
  mutating func replaceKnown(_ boxes: [Box]) {
    latest = boxes
    known.replaceLast(boxes)
  }

  // MARK: Passes

  /// Starts a pass on the whole frame.
  private mutating func started(
    on frame: VideoFrame, quarterTurns: Int, scale: Double? = nil, _ timer: any StepTimer
  ) throws -> CenterFace {
    let turn = QuarterTurn(quarterTurns, of: frame.size)
    let scale = scale ?? self.scale(of: frame.size)
    let size = Self.input(of: turn.size, scale: scale)
    let center = Point(x: Double(turn.size.width) / 2, y: Double(turn.size.height) / 2)
    let shown = Box(center: center, width: Double(size.width) / scale, height: Double(size.height) / scale)
    return try started(on: frame, size, turn.region(shown), timer)
  }

  /// Starts a pass around each of some faces.
  private mutating func started(on frame: VideoFrame, around faces: [Box], _ timer: any StepTimer) throws
    -> [CenterFace]
  {
    try faces.map { box in
      let side = Self.cropGrowth * max(box.width, box.height)
      return try started(
        on: frame, Self.cropInput, RotatedBox(Box(center: box.center, width: side, height: side)), timer)
    }
  }

  private mutating func started(
    on frame: VideoFrame, _ size: PixelSize, _ region: RotatedBox, _ timer: any StepTimer
  ) throws -> CenterFace {
    var network = try networks[size]?.popLast() ?? network(of: size)
    try network.start(on: frame, region: region, timer: timer)
    return network
  }

  /// The candidates of a whole frame; large faces from a pass on the reduced frame.
  private mutating func wholeCandidates(
    _ network: CenterFace, _ frame: VideoFrame, quarterTurns: Int = 0, timer: any StepTimer
  ) throws -> [FaceCandidate] {
    let found = try candidates(network, timer)
    let longer = Double(max(frame.size.width, frame.size.height))
    let scale = scale(of: frame.size)
    guard longer * scale > Self.reducedSide * 2 else { return found }
    let reduced = try candidates(
      started(on: frame, quarterTurns: quarterTurns, scale: Self.reducedSide / longer, timer), timer)
    let large = reduced.filter { max($0.box.width, $0.box.height) * scale > Self.largestFace }
    let others = found.filter { part in
      !large.contains { $0.box.contains(part.box.center) && part.box.area > 0.1 * $0.box.area }
    }
    return (large + others).sorted { $0.score > $1.score }
  }

  private mutating func candidates(_ network: CenterFace, _ timer: any StepTimer) throws -> [FaceCandidate] {
    let found = try network.finish(timer: timer)
    networks[network.decoder.input, default: []].append(network)
    return found
  }

  private func network(of size: PixelSize) throws(VStreamError) -> CenterFace {
    try CenterFace(
      model, input: size, minimumScore: options.lowestScore, isMirrored: options.purpose == .verification)
  }

  // MARK: Sizes

  /// Pixels of the network's input for one of the frame's; the frame's longer side has a whole number of units.
  private func scale(of frame: PixelSize) -> Double {
    let scale =
      Self.networkFace / options.smallestFace(in: frame) * (options.purpose == .verification ? Self.secondScale : 1)
    let longer = Double(max(frame.width, frame.height))
    let units = min(longer * scale, Self.longestSide) / Self.sideUnit
    return max(1, units.rounded()) * Self.sideUnit / longer
  }

  /// The size of the input for a frame.
  private static func input(of frame: PixelSize, scale: Double) -> PixelSize {
    func side(_ length: Int) -> Int {
      Int(sideUnit * max(1, (Double(length) * scale / sideUnit - tolerance).rounded(.up)))
    }
    return PixelSize(width: side(frame.width), height: side(frame.height))
  }

  /// How much larger a frame may be than its input.
  private static let tolerance = 0.01
}

/// Decides which frames of a stream are searched wholly: one every `seconds`, but at most one of five, and at least one a second.
struct FaceSchedule: Hashable, Sendable {
  private static let longestInterval = 1.0
  private static let fewestFrames = 5
  private let seconds: Double
  private var lastWhole: Double?
  private var framesSince = 0

  init(seconds: Double) { self.seconds = seconds }

  /// Called once for each frame, in their order.
  ///
  /// - Parameter isForced: whether it is searched wholly in any case.
  mutating func isWholeDue(at time: Double, isForced: Bool = false) -> Bool {
    framesSince += 1
    guard isForced || isOver(at: time) else { return false }
    lastWhole = time
    framesSince = 0
    return true
  }

  private func isOver(at time: Double) -> Bool {
    guard let lastWhole, seconds > 0, time >= lastWhole else { return true }
    return SearchInterval(seconds: Self.longestInterval).isOver(since: lastWhole, at: time)
      || framesSince >= Self.fewestFrames && SearchInterval(seconds: seconds).isOver(since: lastWhole, at: time)
  }
}
