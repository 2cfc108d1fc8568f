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
  let state: RunState
  let ordered: Channel<SourceItem>
  let coded: Channel<SinkItem>
  private let timer = StageTimer()
  private var resolver: DetectionResolver
  private var trackers: Trackers
  private var records: Records
  private var overlay: OverlayStage

  init(
    configuration: PipelineConfiguration, mode: DetectionMode, flow: Flow, stream: StreamInfo, state: RunState,
    ordered: Channel<SourceItem>, coded: Channel<SinkItem>
  ) throws {
    self.configuration = configuration
    self.mode = mode
    self.stream = stream
    self.state = state
    self.ordered = ordered
    self.coded = coded
    resolver = DetectionResolver(hold: flow.hold)
    trackers = Trackers(
      configuration.tracker, kinds: Set(configuration.detectors.map(\.kind)), forgets: flow.isLive)
    records = Records(configuration.records)
    let isDrawn = configuration.output != nil && !configuration.detectors.isEmpty
    overlay = try OverlayStage(
      isDrawn ? configuration.overlay : OverlayOptions(elements: []), fontPath: configuration.fontPath)
  }

  /// Passes on all that comes, until the end or until nobody receives any more.
  mutating func run() {
    do {
      while let item = ordered.receive() {
        guard try passOn(item) else { break }
      }
    } catch {
      state.fail(error)
    }
    ordered.cancel()
    coded.finish()
    finishRecords()
    state.add(timer)
  }

  private mutating func passOn(_ item: SourceItem) throws -> Bool {
    switch item {
    case .copy(let packet): return coded.send(.copy(packet), weight: Weight.packet)
    case .dropped(let frame):
      resolver.leave(frame)
      return true
    case .frame(let job):
      let annotations = try annotate(job)
      if !records.haveBegun { try records.begin(header(of: job)) }
      try records.write(annotations)
      var frame = job.frame
      try timer.measure(.draw) { try overlay.draw(annotations, on: &frame) }
      let source = annotations.source
      let finished = FinishedFrame(
        frame: frame, arrival: job.arrival, source: source, isLate: source == .predicted && !job.detections.isEmpty)
      return coded.send(.frame(finished), weight: Weight.frame)
    }
  }

  private mutating func annotate(_ job: FrameJob) throws -> FrameAnnotations {
    guard !configuration.detectors.isEmpty else {
      return FrameAnnotations(frame: job.index, time: job.frame.time, source: .detected)
    }
    let resolution = try resolver.resolve(job)
    let found = mode == .stream ? track(resolution, of: job) : resolution.found.map(sorted) ?? trackers.found(at: 0)
    count(resolution, of: job, found)
    return FrameAnnotations(
      frame: job.index, time: job.frame.time, source: resolution.found == nil ? .predicted : .detected, found: found)
  }

  /// Gives what was found IDs, after what was found late in earlier frames; predicts it where nothing was.
  private mutating func track(_ resolution: DetectionResolver.Resolution, of job: FrameJob) -> Observations {
    let seconds = job.frame.time.seconds
    return timer.measure(.track) {
      for late in resolution.late { countNew(trackers.update(late.found, at: late.seconds)) }
      guard let found = resolution.found else { return trackers.found(at: seconds) }
      let tracked = trackers.update(found, at: seconds)
      countNew(tracked)
      return tracked
    }
  }

  /// What is found in a frame that stands for itself, the best first.
  private func sorted(_ found: Observations) -> Observations {
    let objects = found.objects?.filter { $0.score >= configuration.tracker.minimumScore }
    return Observations(objects: objects?.sorted { $0.score > $1.score })
  }

  private func count(_ resolution: DetectionResolver.Resolution, of job: FrameJob, _ found: Observations) {
    let age = trackers.lastSeen.map { job.frame.time.seconds - $0 }
    state.contents.update { contents in
      contents.counts.detectorRuns += resolution.late.count + (resolution.found == nil ? 0 : 1)
      contents.tracks = found.objects?.count ?? 0
      if contents.flow.isLive, let age { contents.detectionAge.add(age) }
      if mode == .singleImage {
        for object in found.objects ?? [] { contents.tracksByLabel[object.label, default: 0] += 1 }
      }
    }
  }

  private mutating func countNew(_ found: Observations) {
    let labels = trackers.newLabels(in: found)
    guard !labels.isEmpty else { return }
    state.contents.update { contents in
      for label in labels { contents.tracksByLabel[label, default: 0] += 1 }
    }
  }

  private func header(of job: FrameJob) -> RecordHeader {
    RecordHeader(
      inputName: configuration.input.fileName, size: job.frame.size, rotation: job.rotation,
      timeBase: stream.timeBase, frameRate: stream.frameRate, options: configuration.recordOptions)
  }

  /// Closes the records with the counts of the whole run, once the writer has come to its end as well.
  private func finishRecords() {
    do {
      guard let counts = state.contents.wait({ $0.writerHasEnded ? $0.settledCounts : nil }) else { return }
      try records.finish(counts)
    } catch {
      state.fail(error)
    }
  }
}
