internal import VStreamDetection
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamReporting
internal import VStreamScene
internal import VStreamTracking

/// The thread in the middle: frames meet their detections, things get IDs, records are written, overlays drawn.
struct Annotator {
  let configuration: PipelineConfiguration
  let mode: DetectionMode
  let stream: StreamInfo
  private let isStillImage: Bool
  let state: RunState
  let ordered: Channel<SourceItem>
  let coded: Channel<SinkItem>
  private let timer = StageTimer()
  private var resolver: DetectionResolver
  private var replay: RecordReplay?
  private var lastTime = 0.0
  private var trackers: Trackers
  /// `nil` if all objects are reported.
  private var prominent: ProminentObjects?
  private var categoryCache = TrackCategoryCache()
  /// Made at the first frame, if categories are told.
  private var classifier: CategoryClassifier?
  /// IDs of objects that were reported, where not all are.
  private var reported: Set<Int> = []
  private var records: Records
  /// `nil` if nothing is drawn.
  private var overlay: OverlayPainter?
  /// `nil` if nothing is counted, or until the first frame's size is known.
  private var counter: Counter?
  /// `nil` if nothing is redacted.
  private var redactor: RedactionBuffer?
  /// `nil` if no faces are saved.
  private var faceSaver: FaceSaver?

  init(
    configuration: PipelineConfiguration, mode: DetectionMode, flow: Flow, stream: StreamInfo, state: RunState,
    ordered: Channel<SourceItem>, coded: Channel<SinkItem>
  ) throws {
    self.configuration = configuration
    self.mode = mode
    self.stream = stream
    isStillImage = flow.isStillImage
    self.state = state
    self.ordered = ordered
    self.coded = coded
    resolver = DetectionResolver(hold: flow.hold)
    replay = try configuration.replay.map { options throws(VStreamError) in try RecordReplay(options) }
    trackers = Trackers(configuration.tracker, kinds: configuration.kinds)
    prominent = configuration.maximumObjects.map(ProminentObjects.init(limit:))
    records = Records(configuration.records)
    let isDrawn = configuration.output != nil && !configuration.kinds.isEmpty
    if isDrawn, configuration.output?.hasOverlayTrack != true {
      overlay = try OverlayPainter(configuration.overlay, fontPath: configuration.fontPath)
    }
    if isDrawn { redactor = RedactionBuffer(configuration, mode: mode, flow: flow, state: state) }
    faceSaver = configuration.savedFaces.map { FaceSaver($0, mode: mode) }
  }

  /// Passes on all that comes, until the end or until nobody receives any more.
  mutating func run() {
    do {
      while let item = ordered.receive() {
        guard try passOn(consume item) else { break }
      }
      try finishTracks()
    } catch {
      state.fail(error)
    }
    do {
      _ = try sendRedacted(isEnd: true)
    } catch {
      state.fail(error)
    }
    redactor?.finish()
    do {
      try faceSaver?.finish()
    } catch {
      state.fail(error)
    }
    ordered.cancel()
    coded.finish()
    finishRecords()
    state.add(timer)
  }

  /// Frames are handed on, not kept: who draws on one that nobody else holds need not copy it.
  private mutating func passOn(_ item: consuming SourceItem) throws -> Bool {
    switch consume item {
    case .copy(let packet): return try send(.copy(packet))
    case .dropped(let frame):
      resolver.leave(frame)
      return true
    case .frame(let job):
      var record = try annotate(job)
      record.counts = counter?.counts
      try categorise(&record.annotations, in: job.frame)
      let annotations = record.annotations
      if !records.hasStarted { try records.begin(header(of: job)) }
      try records.write(record)
      try faceSaver?.look(at: job.frame, annotations)
      configuration.onAnnotations?(annotations)
      let isLate = annotations.source == .predicted && !job.detections.isEmpty
      return try send(
        .frame(AnnotatedFrame(of: consume job, annotations: annotations, counts: record.counts, isLate: isLate)))
    }
  }

  /// Sends an item to be coded, now or, if it is to wait for what is found after it, in its turn.
  private mutating func send(_ item: consuming AnnotatedItem) throws -> Bool {
    guard redactor != nil else { return try draw(consume item) }
    redactor?.add(consume item)
    return try sendRedacted(isEnd: false)
  }

  /// Sends what need not wait any longer.
  private mutating func sendRedacted(isEnd: Bool) throws -> Bool {
    while let item = redactor?.next(isEnd: isEnd) {
      guard try draw(consume item) else { return false }
    }
    return true
  }

  private mutating func draw(_ item: consuming AnnotatedItem) throws -> Bool {
    switch consume item {
    case .copy(let packet): return coded.send(.copy(packet), weight: Weight.packet)
    case .frame(var annotated):
      if redactor != nil || overlay != nil {
        try timer.measure(.draw) {
          try redactor?.redact(annotated.covered, in: &annotated.frame)
          let regions = annotated.counts.map { configuration.counted.marks(in: annotated.frame.size, $0) } ?? []
          try overlay?.draw(annotated.annotations, regions: regions, on: &annotated.frame)
        }
      }
      let frame = annotated.frame
      if frame.copyCount > 0 { state.contents.update { $0.framesCopied += frame.copyCount } }
      var finished = FinishedFrame(
        frame: frame, arrival: annotated.arrival, source: annotated.annotations.source, isLate: annotated.isLate)
      if configuration.output?.hasOverlayTrack == true {
        finished.lines = OverlayScript(configuration.overlay, size: frame.size).lines(annotated.annotations)
      }
      return coded.send(.frame(finished), weight: Weight.frame)
    }
  }

  private mutating func annotate(_ job: FrameJob) throws -> FrameRecord {
    var record = FrameRecord(FrameAnnotations(frame: job.index, time: job.frame.time, source: .detected))
    guard !configuration.kinds.isEmpty else { return record }
    if counter == nil, mode == .stream, !configuration.counted.isEmpty {
      counter = configuration.counted.counter(in: job.frame.size)
    }
    lastTime = max(lastTime, job.frame.time.seconds)
    let resolution: DetectionResolver.Resolution
    if let replayed = try replay?.record(of: job.frame) {
      guard replay?.hasDetections == true else {
        redactor?.cover(
          DetectionResolver.Resolution(found: replayed.found), in: job.frame.size, at: job.frame.time.seconds)
        let found = limited(replayed.found, in: job.frame.size)
        (record.annotations.source, record.annotations.found) = (replayed.source, found)
        if replayed.source == .detected { note(found, at: lastTime) }
        count(DetectionResolver.Resolution(), found, at: lastTime)
        return record
      }
      resolution = DetectionResolver.Resolution(late: replayed.late, found: replayed.detections)
    } else {
      resolution = try resolver.resolve(job)
    }
    redactor?.cover(resolution, in: job.frame.size, at: job.frame.time.seconds)
    if mode == .stream {
      record.annotations.found = track(resolution, of: job.frame, events: &record.events)
    } else {
      record.annotations.found = limited(resolution.found.map(sorted) ?? trackers.found(at: 0), in: job.frame.size)
    }
    record.annotations.source = resolution.found == nil ? .predicted : .detected
    if configuration.recordsDetections { (record.detections, record.late) = (resolution.found, resolution.late) }
    if !configuration.recordsEvents { record.events = [] }
    count(resolution, record.annotations.found, at: job.frame.time.seconds)
    return record
  }

  /// Gives what was found IDs, after what was found late in earlier frames; predicts it where nothing was.
  private mutating func track(
    _ resolution: DetectionResolver.Resolution, of frame: VideoFrame, events: inout [TrackEvent]
  ) -> Observations {
    timer.measure(.track) {
      let (seconds, size) = (frame.time.seconds, frame.size)
      for late in resolution.late {
        note(limited(trackers.update(late.found, at: late.time.seconds), in: size), at: late.time.seconds)
        events += trackers.events
      }
      guard let found = resolution.found else { return limited(trackers.found(at: seconds), in: size) }
      let tracked = limited(trackers.update(found, at: seconds), in: size)
      note(tracked, at: seconds)
      events += trackers.events
      return tracked
    }
  }

  /// What is reported of what was found: all, or the most prominent objects.
  private mutating func limited(_ found: Observations, in size: PixelSize) -> Observations {
    guard let objects = found.objects, let chosen = prominent?.select(objects, in: size) else { return found }
    var found = found
    found.objects = chosen
    return found
  }

  /// Adds the objects' categories, if they are asked for.
  private mutating func categorise(_ annotations: inout FrameAnnotations, in frame: VideoFrame) throws {
    guard let make = configuration.categories, let objects = annotations.found.objects else { return }
    var classifier = try classifier ?? make()
    annotations.found.objects = try categoryCache.categorise(
      objects, isDetected: annotations.source == .detected
    ) { [timer] box in try classifier.category(of: box, in: frame, timer: timer) }
    self.classifier = classifier
  }

  /// Counts what was found, with IDs, on a frame that was looked at.
  private mutating func note(_ found: Observations, at seconds: Double) {
    countNew(found)
    faceSaver?.end(trackers.endedFaces)
    counter?.update(found.objects ?? [], at: seconds)
    categoryCache.forget(trackers.endedObjects)
    for id in trackers.endedObjects {
      counter?.remove(id)
      reported.remove(id)
    }
  }

  /// Records the ends of tracks, and says what a replay had no records of.
  private mutating func finishTracks() throws {
    if configuration.recordsEvents, records.hasStarted { try records.write(trackers.finish(at: lastTime)) }
    if let counts = counter?.counts, records.hasStarted {
      try records.write(counts)
      state.contents.update { $0.counted = counts }
    }
    guard let replay, replay.framesMissed > 0 else { return }
    let name = configuration.replay?.path ?? ""
    guard replay.framesFound > 0 else {
      throw VStreamError(
        .unreadableInput, "'\(name)' has no record of any frame of '\(configuration.input.fileName)'",
        remedy: "give the records of this very input")
    }
    state.warn("'\(name)' has no record of \(replay.framesMissed) of the frames")
  }

  /// What is found in a frame that stands for itself, the best first.
  private func sorted(_ found: Observations) -> Observations {
    let minimum = configuration.tracker.minimumScore
    return Observations(
      objects: found.objects?.filter { $0.score >= minimum }.sorted { $0.score > $1.score },
      faces: found.faces?.filter { $0.score >= minimum }.sorted { $0.score > $1.score },
      poses: found.poses?.sorted { $0.score > $1.score })
  }

  private func count(_ resolution: DetectionResolver.Resolution, _ found: Observations, at seconds: Double) {
    let age = trackers.lastSeen.map { seconds - $0 }
    let trackCount = (found.objects?.count ?? 0) + (found.faces?.count ?? 0) + (found.poses?.count ?? 0)
    let labels = mode == .singleImage ? Trackers.labels(of: found) : []
    state.contents.update { contents in
      contents.counts.detectorRuns += resolution.late.count + (resolution.found == nil ? 0 : 1)
      contents.tracks = trackCount
      if contents.flow.isLive, let age { contents.detectionAge.add(age) }
      for label in labels { contents.tracksByLabel[label, default: 0] += 1 }
    }
  }

  private mutating func countNew(_ found: Observations) {
    // Who was tracked for long may be reported for the first time after others.
    var others = found
    var labels: [String] = []
    if prominent != nil {
      labels = (found.objects ?? []).filter { reported.insert($0.id ?? 0).inserted }.map(\.label)
      others.objects = nil
    }
    labels += trackers.newLabels(in: others)
    guard !labels.isEmpty else { return }
    state.contents.update { [labels] contents in
      for label in labels { contents.tracksByLabel[label, default: 0] += 1 }
    }
  }

  private func header(of job: FrameJob) -> RecordHeader {
    RecordHeader(
      inputName: configuration.input.fileName, size: job.frame.size, rotation: job.rotation,
      timeBase: stream.timeBase, frameRate: stream.frameRate, isStillImage: isStillImage,
      options: configuration.recordOptions)
  }

  /// Closes the records with the counts of the whole run, once the writer has come to its end as well.
  private mutating func finishRecords() {
    do {
      guard let counts = state.contents.wait({ $0.writerHasEnded ? $0.settledCounts : nil }) else { return }
      try records.finish(counts)
    } catch {
      state.fail(error)
    }
  }
}
