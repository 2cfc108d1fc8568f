internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamScene
internal import VStreamTracking

extension Observations {
  /// What was found of each kind, under the labels by which it may be redacted.
  fileprivate var subjects: [DetectionKind: [DetectedObject]] {
    [
      .objects: objects ?? [],
      .faces: (faces ?? []).map {
        DetectedObject(classIndex: 0, label: RedactionOptions.faces, score: $0.score, box: $0.box)
      },
    ]
  }
}

/// Makes what is not to be seen unrecognisable, in frames that wait until it is known what is found after them.
///
/// One owner at a time.
struct RedactionBuffer {
  private let options: RedactionOptions
  private let state: RunState
  private var stage: RedactionPainter
  private let newTrackers: [DetectionKind: CoverageTracker]
  private var trackers: [DetectionKind: CoverageTracker]
  private let isTracked: Bool
  /// Whether it is known of any frame what is in it.
  private var hasSearched = false
  private var lookBack: CoverageLookBack
  private var waiting: [AnnotatedItem] = []
  private var waitingBytes = 0
  private var frameCount = 0
  /// Frames that were to be looked at, and left before what is in them was known.
  private var lateCount = 0
  /// Whether it was said that frames wait for less long than they should.
  private var hasWarned = false

  /// - Returns: `nil` if nothing is to be redacted.
  init?(_ configuration: PipelineConfiguration, mode: DetectionMode, flow: Flow, state: RunState) {
    guard let options = configuration.redaction else { return nil }
    self.options = options
    self.state = state
    stage = RedactionPainter(options.style)
    newTrackers = Dictionary(
      uniqueKeysWithValues: configuration.kinds.map { kind in
        (kind, CoverageTracker(kind == .faces ? Trackers.sureOptions(configuration.tracker) : configuration.tracker))
      })
    trackers = newTrackers
    isTracked = mode == .stream
    let seconds = configuration.lookBackSeconds(mode: mode, flow: flow) ?? 0
    // What comes into the picture between two looks is found at the second.
    let interval = if case .every(let frames) = configuration.detectEvery { frames } else { 0 }
    lookBack = CoverageLookBack(seconds: seconds, frames: seconds > 0 ? interval : 0)
  }

  /// Decides what is covered in the next frame, as far as is known by now: all of it, until the first look has ended.
  mutating func cover(_ resolution: DetectionResolver.Resolution, in size: PixelSize, at seconds: Double) {
    for late in resolution.late { _ = update(late.found, at: late.time.seconds) }
    if !isTracked { trackers = newTrackers }
    if resolution.found != nil || !resolution.late.isEmpty { hasSearched = true }
    guard hasSearched else {
      let frame = Box(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
      return lookBack.add([CoveredRegion(id: nil, frame, observedAt: seconds)], at: seconds)
    }
    let regions = resolution.found.map { update($0, at: seconds) } ?? trackers.values.flatMap { $0.regions(at: seconds) }
    lookBack.add(regions, at: seconds)
  }

  private mutating func update(_ found: Observations, at seconds: Double) -> [CoveredRegion] {
    found.subjects.flatMap { kind, detections in
      trackers[kind]?.update(detections.filter { options.labels.contains($0.label.lowercased()) }, at: seconds) ?? []
    }
  }

  /// Takes a frame whose cover was decided, or what goes between two frames.
  mutating func add(_ item: AnnotatedItem) {
    waiting.append(item)
    if case .frame(let annotated) = item { waitingBytes += annotated.frame.byteCount }
  }

  /// The next item that need not wait any longer.
  ///
  /// - Parameter isEnd: whether nothing will be found any more.
  mutating func next(isEnd: Bool) -> AnnotatedItem? {
    guard let first = waiting.first else { return nil }
    if case .frame = first, !isEnd, !lookBack.isReady, !isFull() { return nil }
    guard case .frame(var annotated) = waiting.removeFirst() else { return first }
    waitingBytes -= annotated.frame.byteCount
    frameCount += 1
    if annotated.isLate { lateCount += 1 }
    let size = annotated.frame.size
    annotated.covered = lookBack.next().filter { $0.ellipse.bounds.clipped(to: size) != nil }
    let ellipses = annotated.covered.map(\.ellipse)
    state.contents.update { contents in
      if !ellipses.isEmpty { contents.framesRedacted += 1 }
      if options.recordsCovers { contents.covers.append(ellipses) }
    }
    return .frame(annotated)
  }

  /// Says how many frames were covered by guess, when all have left.
  func finish() {
    guard lateCount > 0 else { return }
    state.warn(
      "\(lateCount) of \(frameCount) frames left before what is in them was known, and may show it: --late wait has "
        + "every frame looked at")
  }

  /// - Throws: `VStreamError.library` if the frame cannot be drawn on.
  mutating func redact(_ places: [CoveredRegion], in frame: inout VideoFrame) throws {
    try stage.redact(places.map { RedactedEllipse($0.ellipse, extent: $0.extent) }, in: &frame)
  }

  /// Whether no more frames may wait; says so when that cuts the look-back short.
  private mutating func isFull() -> Bool {
    guard waitingBytes > options.maximumBufferedBytes else { return false }
    if !hasWarned {
      hasWarned = true
      state.warn(
        "frames of \(lookBack.seconds) s take more than \(options.maximumBufferedBytes >> 20) MB: the look-back is shorter "
          + "(\(lookBack.count) frames)")
    }
    return true
  }
}
