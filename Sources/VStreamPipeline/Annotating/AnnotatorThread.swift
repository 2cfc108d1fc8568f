internal import VStreamDetection
internal import VStreamMedia
internal import VStreamReporting
public import VStreamScene
public import VStreamTracking

/// The body of the annotator thread: takes frames in their order through resolve, annotate, record, redaction buffer and
/// paint.
struct AnnotatorThread {
  private let configuration: PipelineConfiguration
  private let stream: StreamInfo
  private let isStream: Bool
  private let isStillImage: Bool
  private let trim: Trim
  private let state: RunState
  private let input: Channel<SourceItem>
  private let output: Channel<AnnotatedItem>
  private let timer = StageTimer()
  private var resolver: any ResolutionSource
  private var annotation: AnnotationStep
  /// `nil` if objects have no categories.
  private var categories: CategoryStep?
  private var recorder: Recorder
  private var frameImages: FrameImages
  /// `nil` if no faces are saved.
  private var faces: FaceRecorder?
  /// `nil` if nothing is redacted.
  private var redaction: RedactionBuffer?
  private var painter: Painter
  /// Set if what is painted is written instead.
  private var paint: PaintFileWriter?
  /// Set if what is painted was decided by another run.
  private var decided: PaintFileReader?
  /// Whether the user was warned that tracks of the records were edited in vain.
  private var hasWarnedOfEdits = false

  /// - Throws: `VStreamError` if the font or the records to replay cannot be read.
  init(
    configuration: PipelineConfiguration, plan: StreamPlan, state: RunState, threads: ThreadGroup,
    input: Channel<SourceItem>, output: Channel<AnnotatedItem>
  ) throws {
    self.configuration = configuration
    let (mode, flow) = (plan.mode, plan.flow)
    stream = plan.video
    isStream = mode == .stream
    isStillImage = flow.isStillImage
    trim = configuration.trim(of: plan.container, copied: plan.copied)
    self.state = state
    self.input = input
    self.output = output
    let replay = try configuration.replay.map { options throws(VStreamError) in
      try RecordReplay(
        options, inputName: configuration.input.fileName, recordOptions: configuration.recordOptions)
    }
    if let warning = replay?.warning { state.warn(warning) }
    resolver = replay ?? DetectionResolver(hold: flow.hold)
    annotation = AnnotationStep(configuration.annotationOptions(mode: mode))
    categories = configuration.categories.map(CategoryStep.init)
    recorder = Recorder(
      paths: configuration.records, recordsDetections: configuration.recordsDetections,
      recordsEvents: configuration.recordsEvents, overwrites: configuration.overwritesFiles,
      namesCompleteFiles: configuration.part != nil,
      continuesWithoutReader: configuration.output != nil || configuration.records.count > 1
        || configuration.savedFaces != nil
    ) { state.contents.read { $0.isOutputOpen } }
    frameImages = plan.frameImages
    faces = configuration.savedFaces.map { FaceRecorder($0, mode: mode, threads: threads, state: state) }
    redaction = RedactionBuffer(configuration, mode: mode, flow: flow)
    painter = try Painter(configuration)
    paint = configuration.joinedPaint.map { PaintFileWriter($0, isRedacted: configuration.isRedacted) }
    decided = try configuration.rendering.map { rendering in
      try PaintFileReader(rendering.paint, part: configuration.part?.number ?? 0, isRedacted: configuration.isRedacted)
    }
  }

  /// Processes all items, until the end or until the writer has ended.
  mutating func run() {
    attempt { thread in
      while let item = thread.input.receive() {
        guard try thread.process(consume item) else { break }
      }
      try thread.finishFrames()
    }
    attempt { thread in
      guard try thread.releaseRedacted(isEnd: true) else { return }
      if !thread.state.isStopping {
        try thread.paint?.finish()
        try thread.decided?.finish()
      }
    }
    for warning in redaction?.finalWarnings ?? [] { state.warn(warning) }
    if painter.hasOmittedCaptions {
      state.warn("closed captions are omitted, as they may name places and people (\(.keepText) keeps them)")
      state.contents.update { $0.omitted.append("closed captions") }
    }
    input.cancel()
    output.finish()
    // The records end with the counts of the whole run, so the writer has to have ended.
    let end = state.contents.wait { contents in
      contents.writerHasEnded
        ? (counts: contents.settledCounts, isComplete: contents.error == nil && !contents.wasStopped) : nil
    }
    attempt { thread in try thread.faces?.finish() }
    attempt { thread in if let end { try thread.recorder.finish(end.counts, isComplete: end.isComplete) } }
    state.add(timer)
  }

  /// Runs a step whose error ends the run, but not the steps after it.
  private mutating func attempt(_ step: (inout AnnotatorThread) throws -> Void) {
    do {
      try step(&self)
    } catch {
      state.fail(error)
    }
  }

  /// Frames are consumed, not kept: a frame that has no other owner is drawn on without a copy.
  ///
  /// - Returns: `false` if the writer has ended.
  private mutating func process(_ item: consuming SourceItem) throws -> Bool {
    switch consume item {
    case .dropped(let frame):
      resolver.addUndelivered(frame)
      return true
    case .copy(let packet):
      guard redaction != nil else { return send(packet) }
      redaction?.add(packet)
      return try releaseRedacted(isEnd: false)
    case .frame(let decoded) where decided != nil:
      return try paintAndSend(try decidedFrame(consume decoded))
    case .frame(let decoded):
      let resolution = try configuration.kinds.isEmpty ? nil : resolver.resolve(decoded)
      let annotated = try annotate(consume decoded, resolution)
      guard redaction != nil, let resolution else { return try paintAndSend(consume annotated) }
      redaction?.add(consume annotated, resolution)
      return try releaseRedacted(isEnd: false)
    }
  }

  /// A frame with what another run decided to paint on it.
  private mutating func decidedFrame(_ decoded: consuming DecodedFrame) throws -> AnnotatedFrame {
    let (frame, arrival) = (decoded.frame, decoded.arrival)
    let found = try decided?.next(at: frame.time)
    let covered = found?.covered?.map(\.covered)
    if redaction != nil { count(covered ?? []) }
    return AnnotatedFrame(
      frame: frame, annotations: found?.annotations ?? FrameAnnotations(frame: 0, time: frame.time, source: .predicted),
      arrival: arrival, counts: found?.counts, isLate: false, covered: covered)
  }

  /// Annotates and records a frame.
  ///
  /// - Parameter resolution: `nil` if nothing is detected.
  private mutating func annotate(_ decoded: consuming DecodedFrame, _ resolution: ResolvedDetections?) throws
    -> AnnotatedFrame
  {
    let (frame, timer) = (decoded.frame, timer)
    let size = configuration.recordedSize ?? frame.size
    let resolution = resolution?.scaled(from: frame.size, to: size)
    var result = Annotation()
    if let resolution {
      let isTracked = isStream && resolution.recordedSource == nil
      let annotate = { (step: inout AnnotationStep) in
        step.annotate(resolution, at: frame.time.seconds, in: size)
      }
      result = isTracked ? timer.measure(.track) { annotate(&annotation) } : annotate(&annotation)
      count(result)
      warnOfEdits(resolution, result.found)
    }
    try categories?.categorise(&result, in: frame, timer: timer)
    var annotations = FrameAnnotations(
      frame: decoded.index, time: frame.time, source: result.source, found: result.found)
    annotations.shot = resolution?.shot ?? 0
    if !recorder.hasStarted {
      let header = header(of: decoded)
      try recorder.start(header)
      configuration.observer?.recordsBegan(header)
    }
    try recorder.write(annotations, result, resolution, imageName: frameImages.next(at: frame.time))
    try faces?.add(frame, annotations, ended: result.ended[.faces] ?? [])
    configuration.onFrame?(annotations, frame)
    notify(annotations, result, frame, since: decoded.arrival)
    return AnnotatedFrame(
      frame: frame, annotations: annotations, arrival: decoded.arrival, counts: result.counts,
      isLate: resolution?.found == nil && !decoded.detections.isEmpty)
  }

  private func notify(
    _ annotations: FrameAnnotations, _ result: Annotation, _ frame: VideoFrame, since arrival: Double
  ) {
    guard let observer = configuration.observer else { return }
    var record = FrameRecord(annotations)
    (record.counts, record.events) = (result.counts, result.events)
    observer.frameAnnotated(ObservedFrame(record: record, image: frame, latency: state.clock.now - arrival))
  }

  /// Warns if detections that are tracked again do not give the recorded tracks.
  private mutating func warnOfEdits(_ resolution: ResolvedDetections, _ found: Observations) {
    guard !hasWarnedOfEdits, let recorded = resolution.recordedTracks, !recorded.match(found),
      let path = configuration.replay?.path
    else { return }
    hasWarnedOfEdits = true
    state.warn(
      "line \(recorded.line) of '\(path)' has other tracks than its detections give; the detections are tracked again, and "
        + "edits of the tracks are lost (\(.tracks, ReplayedTracks.recorded.rawValue) keeps them)")
  }

  private func header(of decoded: DecodedFrame) -> RecordHeader {
    let size = configuration.recordedSize ?? decoded.frame.size
    var header = RecordHeader(
      inputName: configuration.input.fileName, size: size, rotation: decoded.rotation,
      timeBase: stream.timeBase, frameRate: stream.frameRate, isStillImage: isStillImage,
      outputShift: trim.shift(firstFrame: decoded.frame.time),
      // Single images are searched wholly.
      options: configuration.recordOptions.filter { isStream || $0.name != "passes" })
    header.zones = configuration.counted.recorded(\.zones, in: size)
    header.lines = configuration.counted.recorded(\.lines, in: size)
    return header
  }

  private func count(_ annotation: Annotation) {
    state.contents.update { contents in
      contents.counts.detectorRuns += annotation.runCount
      contents.counts.detectorPasses += annotation.objectPassCount
      contents.tracks = annotation.found.count
      if contents.flow.isLive, let age = annotation.detectionAge { contents.detectionAge.add(age) }
      for label in annotation.newLabels { contents.tracksByLabel[label, default: 0] += 1 }
    }
  }

  /// Records the ends of tracks and the final counts.
  private mutating func finishFrames() throws {
    try recorder.finishFrames(annotation.finish(), annotation.counts)
    if let counts = annotation.counts { state.contents.update { $0.counted = counts } }
    if let warning = try resolver.finish() { state.warn(warning) }
  }

  /// Paints and sends the items that the redaction buffer releases.
  ///
  /// - Returns: `false` if the writer has ended.
  private mutating func releaseRedacted(isEnd: Bool) throws -> Bool {
    while let item = redaction?.next(isEnd: isEnd) {
      for warning in redaction?.takeWarnings() ?? [] { state.warn(warning) }
      switch consume item {
      case .copy(let packet):
        guard send(packet) else { return false }
      case .frame(let annotated):
        count(annotated.covered ?? [])
        guard try paintAndSend(consume annotated) else { return false }
      }
    }
    return true
  }

  private func count(_ covered: [CoveredRegion]) {
    let ellipses = covered.map(\.ellipse)
    state.contents.update { contents in
      if !ellipses.isEmpty { contents.framesRedacted += 1 }
      if configuration.redaction?.recordsCoveredEllipses == true { contents.coveredEllipses.append(ellipses) }
    }
  }

  private mutating func paintAndSend(_ annotated: consuming AnnotatedFrame) throws -> Bool {
    if paint != nil {
      try paint?.write(annotated)
      return output.send(.frame(consume annotated), weight: Weight.frame)
    }
    if painter.isActive { try timer.measure(.draw) { try painter.paint(&annotated) } }
    let copyCount = annotated.frame.copyCount
    if copyCount > 0 { state.contents.update { $0.framesCopied += copyCount } }
    return output.send(.frame(consume annotated), weight: Weight.frame)
  }

  private func send(_ packet: Packet) -> Bool { output.send(.copy(packet), weight: Weight.packet) }
}

extension PipelineConfiguration {
  /// How the run's detections become annotations.
  func annotationOptions(mode: DetectionMode) -> AnnotationOptions {
    let kinds = kinds.map { kind in
      let ownScore = (trackers[kind] ?? tracker).minimumScore
      let score = kind == .objects ? objectScore ?? ownScore : ownScore
      let minimumScore = kind.observationType.hasMinimumScore ? score : -.infinity
      return (kind, AnnotationOptions.KindOptions(tracker: trackerOptions(of: kind), minimumScore: minimumScore))
    }
    var options = AnnotationOptions(
      mode: mode, kinds: Dictionary(uniqueKeysWithValues: kinds), maximumObjects: maximumObjects)
    options.counted = counted
    return options
  }

  /// The options of the tracker of one kind.
  public func trackerOptions(of kind: DetectionKind) -> TrackerOptions {
    var options = trackers[kind] ?? tracker
    if kind.observationType.hasConfidentDetections { return options.forConfidentDetections }
    if kind == .objects, let objectScore { options.minimumScore = objectScore }
    return options
  }
}
