package import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamReporting
package import VStreamTracking

/// The body of the annotator thread: takes frames in their order through resolve, annotate, record, redaction buffer and
/// paint.
struct AnnotatorThread {
  private let configuration: PipelineConfiguration
  private let stream: StreamInfo
  private let isStream: Bool
  private let flow: Flow
  private let trim: Trim
  private let state: RunState
  private let input: Channel<StreamItem>
  private let output: Channel<StreamItem>
  private let timer = StageTimer()
  private var report = AnnotatorReport()
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
  /// Writes the annotations and covered regions of the frames to files, for the runs that render them; `nil` where this run paints.
  private var paint: PaintFileWriter?
  /// Reads those files; `nil` where this run annotates.
  private var recordedPaint: PaintFileReader?
  /// Whether the user was warned that tracks of the records were edited in vain.
  private var hasWarnedOfEdits = false

  /// - Throws: `VStreamError` if the font or the records to replay cannot be read.
  init(
    configuration: PipelineConfiguration, plan: StreamPlan, state: RunState, threads: ThreadGroup,
    input: Channel<StreamItem>, output: Channel<StreamItem>
  ) throws {
    self.configuration = configuration
    let (mode, flow) = (plan.mode, plan.flow)
    stream = plan.video
    isStream = mode == .stream
    self.flow = flow
    trim = configuration.trim(of: plan.container, copied: plan.copied)
    self.state = state
    self.input = input
    self.output = output
    let replay = try configuration.run.replay.map { options throws(VStreamError) in
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
      namesCompleteFiles: configuration.run.part != nil,
      continuesWithoutReader: configuration.output != nil || configuration.records.count > 1
        || configuration.savedFaces != nil
    ) { state.contents.read { $0.isOutputOpen } }
    frameImages = plan.frameImages
    faces = configuration.savedFaces.map { FaceRecorder($0, mode: mode, threads: threads, state: state) }
    painter = try Painter(configuration)
    paint = configuration.run.joinedPaint.map { PaintFileWriter($0, isRedacted: configuration.isRedacted) }
    recordedPaint = try configuration.run.recordedPaint.map {
      try PaintFileReader($0, isRedacted: configuration.isRedacted)
    }
    redaction = recordedPaint == nil ? RedactionBuffer(configuration, mode: mode, flow: flow) : nil
  }

  /// Processes all items, until the end or until the writer has ended.
  mutating func run() -> AnnotatorReport {
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
        try thread.recordedPaint?.finish()
      }
    }
    for warning in redaction?.finalWarnings ?? [] { state.warn(warning) }
    if painter.hasOmittedCaptions {
      state.warn("closed captions are omitted, as they may name places and people (\(.keepText) keeps them)")
      report.omitted.append("closed captions")
    }
    input.cancel()
    output.finish()
    // The records end with the counts of the whole run, so the writer has to have ended.
    let end = state.contents.wait { contents in
      contents.writer != nil
        ? (counts: contents.settledCounts, isComplete: contents.error == nil && !contents.wasStopped) : nil
    }
    attempt { thread in try thread.faces?.finish() }
    attempt { thread in if let end { try thread.recorder.finish(end.counts, isComplete: end.isComplete) } }
    state.add(timer)
    return report
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
  private mutating func process(_ item: consuming StreamItem) throws -> Bool {
    switch consume item {
    case .dropped(let frame):
      resolver.addUndelivered(frame)
      return true
    case .copy(let packet):
      guard redaction != nil else { return send(packet) }
      redaction?.add(packet)
      return try releaseRedacted(isEnd: false)
    case .frame(var job) where recordedPaint != nil:
      try addRecordedPaint(to: &job)
      return try paintAndSend(consume job)
    case .frame(var job):
      let resolution = try configuration.kinds.isEmpty ? nil : resolver.resolve(job)
      try annotate(&job, resolution)
      guard redaction != nil, let resolution else { return try paintAndSend(consume job) }
      redaction?.add(consume job, resolution)
      return try releaseRedacted(isEnd: false)
    }
  }

  /// Adds the annotations and covered regions that the joining of the records stored for a frame.
  private mutating func addRecordedPaint(to job: inout FrameJob) throws {
    guard let paint = try recordedPaint?.next(at: job.frame.time) else { return }
    (job.record.annotations, job.record.counts) = (paint.annotations, paint.counts)
    job.covered = paint.covered?.map(\.covered)
    if configuration.isRedacted { count(job.covered ?? []) }
  }

  /// Annotates and records a frame.
  ///
  /// - Parameter resolution: `nil` if nothing is detected.
  private mutating func annotate(_ job: inout FrameJob, _ resolution: ResolvedDetections?) throws {
    let (size, seconds) = (configuration.recordedSize ?? job.frame.size, job.frame.time.seconds)
    let timer = timer
    let resolution = resolution?.scaled(from: job.frame.size, to: size)
    var result = Annotation()
    if let resolution {
      let isTracked = isStream && resolution.recordedSource == nil
      let annotate = { (step: inout AnnotationStep) in step.annotate(resolution, at: seconds, in: size) }
      result = isTracked ? timer.measure(.track) { annotate(&annotation) } : annotate(&annotation)
      count(result)
      warnOfEdits(resolution, result.found)
    }
    try categories?.categorise(&result, in: job.frame, timer: timer)
    job.add(result, shot: resolution?.shot ?? 0)
    job.isLate = resolution?.found == nil && !job.detection.results.isEmpty
    if !recorder.hasStarted {
      let header = header(of: job)
      try recorder.start(header)
      configuration.observer?.recordsBegan(header)
    }
    job.record.imageName = frameImages.next(at: job.frame.time)
    try recorder.write(job.record, resolution)
    try faces?.add(job.frame, job.record.annotations, ended: result.ended[.faces] ?? [])
    configuration.onFrame?(job.record, job.frame)
    configuration.observer?.frameAnnotated(ObservedFrame(job, now: state.clock.now))
  }

  /// Warns if detections that are tracked again do not give the recorded tracks.
  private mutating func warnOfEdits(_ resolution: ResolvedDetections, _ found: Detections) {
    guard !hasWarnedOfEdits, let recorded = resolution.recordedTracks, !recorded.match(found),
      let path = configuration.run.replay?.path
    else { return }
    hasWarnedOfEdits = true
    state.warn(
      "line \(recorded.line) of '\(path)' has other tracks than its detections give; the detections are tracked again, and "
        + "edits of the tracks are lost (\(.tracks, ReplayedTracks.recorded.rawValue) keeps them)")
  }

  private func header(of job: FrameJob) -> RecordHeader {
    let size = configuration.recordedSize ?? job.frame.size
    var header = RecordHeader(
      inputName: configuration.input.fileName, size: size, rotation: job.rotation,
      timeBase: stream.timeBase, frameRate: stream.frameRate, isStillImage: flow.isStillImage,
      outputShift: trim.shift(firstFrame: job.frame.time),
      // Single images are searched wholly.
      options: configuration.recordOptions.filter { isStream || $0.name != "passes" })
    header.zones = configuration.counted.recorded(\.zones, in: size)
    header.lines = configuration.counted.recorded(\.lines, in: size)
    return header
  }

  private mutating func count(_ annotation: Annotation) {
    for label in annotation.newLabels { report.tracksByLabel[label, default: 0] += 1 }
    if flow.isLive, let age = annotation.detectionAge { report.detectionAge.add(age) }
    state.contents.update { contents in
      contents.counts.detectorRuns += annotation.runCount
      contents.counts.detectorPasses += annotation.objectPassCount
      contents.tracks = annotation.found.count
    }
  }

  /// Records the ends of tracks and the final counts.
  private mutating func finishFrames() throws {
    try recorder.finishFrames(annotation.finish(), annotation.counts)
    report.counted = annotation.counts
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
      case .frame(let job):
        count(job.covered ?? [])
        guard try paintAndSend(consume job) else { return false }
      case .dropped: break
      }
    }
    return true
  }

  private mutating func count(_ covered: [CoveredRegion]) {
    if !covered.isEmpty { report.framesRedacted += 1 }
    if configuration.redaction?.recordsCoveredEllipses == true { report.coveredEllipses.append(covered.map(\.ellipse)) }
  }

  private mutating func paintAndSend(_ job: consuming FrameJob) throws -> Bool {
    if paint != nil {
      try paint?.write(job)
    } else if painter.isActive {
      try timer.measure(.draw) { try painter.paint(&job) }
    }
    return output.send(.frame(consume job), weight: Weight.frame)
  }

  private func send(_ packet: Packet) -> Bool { output.send(.copy(packet), weight: Weight.packet) }
}

extension PipelineConfiguration {
  /// How the run's detections become annotations.
  func annotationOptions(mode: DetectionMode) -> AnnotationOptions {
    let kinds = kinds.map { kind in
      let ownScore = (trackers[kind] ?? tracker).minimumScore
      let score = kind == .objects ? objectScore ?? ownScore : ownScore
      let minimumScore = kind.detectionType.hasMinimumScore ? score : -.infinity
      return (kind, AnnotationOptions.KindOptions(tracker: trackerOptions(of: kind), minimumScore: minimumScore))
    }
    var options = AnnotationOptions(
      mode: mode, kinds: Dictionary(uniqueKeysWithValues: kinds), maximumObjects: maximumObjects)
    options.counted = counted
    return options
  }

  /// The options of the tracker of one kind.
  package func trackerOptions(of kind: DetectionKind) -> TrackerOptions {
    var options = trackers[kind] ?? tracker
    if kind.detectionType.hasConfidentDetections { return options.forConfidentDetections }
    if kind == .objects, let objectScore { options.minimumScore = objectScore }
    return options
  }
}
