internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamReporting
internal import VStreamScene
internal import VStreamTracking

/// The thread in the middle: frames meet their detections, objects get IDs, records are written, overlays drawn.
struct Annotator {
  let configuration: PipelineConfiguration
  let mode: DetectionMode
  let stream: StreamInfo
  let state: RunState
  let ordered: Channel<SourceItem>
  let coded: Channel<SinkItem>
  let timer = StageTimer()
  private var tracker: Tracker
  private var overlay: OverlayStage
  private var writers: [RecordWriter] = []
  private var hasBegun = false
  /// IDs rise, so an ID above this is new.
  private var greatestID = 0

  init(
    configuration: PipelineConfiguration, mode: DetectionMode, stream: StreamInfo, state: RunState,
    ordered: Channel<SourceItem>,
    coded: Channel<SinkItem>
  ) throws {
    self.configuration = configuration
    self.mode = mode
    self.stream = stream
    self.state = state
    self.ordered = ordered
    self.coded = coded
    tracker = Tracker(configuration.tracker)
    let isDrawn = configuration.output != nil && configuration.detector != nil
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
    case .frame(let job):
      var frame = job.frame
      let annotations = try annotate(job)
      try record(annotations, of: job)
      try timer.measure(.draw) { try overlay.draw(annotations, on: &frame) }
      return coded.send(.frame(frame), weight: Weight.frame)
    }
  }

  private mutating func annotate(_ job: FrameJob) throws -> FrameAnnotations {
    let time = job.frame.time
    guard configuration.detector != nil else {
      state.count { $0.framesDetected += 1 }
      return FrameAnnotations(frame: job.index, time: time, source: .detected)
    }
    guard let detection = job.detection else {
      state.count { $0.framesPredicted += 1 }
      let objects = timer.measure(.track) { tracker.tracks(at: time.seconds) }
      return FrameAnnotations(frame: job.index, time: time, source: .predicted, objects: objects)
    }
    let found = try detection.wait().get()
    let objects = mode == .stream ? track(found, at: time.seconds) : sorted(found)
    state.count { counts in
      counts.framesDetected += 1
      counts.detectorRuns += 1
    }
    return FrameAnnotations(frame: job.index, time: time, source: .detected, objects: objects)
  }

  private mutating func track(_ found: [DetectedObject], at seconds: Double) -> [DetectedObject] {
    let objects = timer.measure(.track) { tracker.update(found, at: seconds) }
    countNew(objects)
    return objects
  }

  /// What is found in a frame that stands for itself, the best first.
  private func sorted(_ found: [DetectedObject]) -> [DetectedObject] {
    let objects = found.filter { $0.score >= configuration.tracker.minimumScore }.sorted { $0.score > $1.score }
    for object in objects { state.contents.update { $0.tracksByLabel[object.label, default: 0] += 1 } }
    return objects
  }

  private mutating func countNew(_ objects: [DetectedObject]) {
    for object in objects {
      guard let id = object.id, id > greatestID else { continue }
      greatestID = id
      state.contents.update { $0.tracksByLabel[object.label, default: 0] += 1 }
    }
  }

  private mutating func record(_ annotations: FrameAnnotations, of job: FrameJob) throws {
    if !hasBegun {
      hasBegun = true
      let header = RecordHeader(
        inputName: configuration.input.fileName, size: job.frame.size, rotation: job.rotation,
        timeBase: stream.timeBase,
        frameRate: stream.frameRate, options: configuration.recordOptions)
      writers = try configuration.records.map { try RecordWriter(path: $0) }
      for writer in writers { try writer.write(header) }
    }
    for writer in writers { try writer.write(annotations) }
  }

  /// Closes the records with the counts of the whole run, once the writer has come to its end as well.
  private func finishRecords() {
    do {
      guard let counts = state.contents.wait({ $0.writerHasEnded ? $0.counts : nil }) else { return }
      for writer in writers { try writer.finish(counts) }
    } catch {
      state.fail(error)
    }
  }
}
