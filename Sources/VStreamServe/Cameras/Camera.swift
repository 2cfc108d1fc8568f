internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// A camera: its supervised runs, and its state under one lock, which is held only while the state handles an event.
final class Camera: Sendable {
  let name: String
  let settings: CameraConfiguration
  let recordings: RecordingStore?
  private let contents: Monitor<Contents>
  private let repeated: Set<CameraStream>
  private let log: ServeLog

  private struct Contents: Sendable {
    var state: CameraState
    /// Empty before the start and after the stop: the threads of a run keep the camera until they have ended.
    var runs: [CameraStream: RunSupervisor] = [:]
  }

  /// - Parameter recordings: with the index of its tracks; `nil` if no camera is recorded.
  init(_ named: ServeConfiguration.NamedCamera, _ recordings: RecordingStore? = nil, log: ServeLog) {
    (name, settings, self.recordings, self.log) = (named.name, named.settings, recordings, log)
    let inputs = [CameraStream.decoded: named.settings.input, .shown: named.settings.shownInput].compactMapValues(
      \.self)
    repeated = Set(inputs.filter { Self.isFile($0.value) }.keys)
    contents = Monitor(Contents(state: CameraState(named, repeated: repeated, at: MonotonicTime.now)))
  }

  /// Whether an input is a file, or images in a folder, which may be still to come; not a device or a pipe.
  private static func isFile(_ input: MediaInput) -> Bool {
    guard !input.isURL, input.location != "-" else { return false }
    return [nil, .regular, .folder].contains(FileStatus(of: input.location)?.kind)
  }

  // MARK: Runs

  /// - Throws: `VStreamError` if a model is missing.
  func start(_ detectors: CameraDetectors) throws(VStreamError) {
    // Permanent errors are reported at once.
    _ = try detectors.configuration(of: settings, observer: nil)
    var runs = [
      CameraStream.decoded: supervisor(of: .decoded) { () throws(VStreamError) in try self.run(detectors) }
    ]
    if let input = settings.shownInput {
      runs[.shown] = supervisor(of: .shown) { () throws(VStreamError) in
        PacketRelay(input, observer: PacketViews(self, .shown))
      }
    }
    contents.update { [runs] in $0.runs = runs }
    if let recordings, settings.record.mode != .never { Recorder.start(self, recordings, log: log) }
    handle(.start)
  }

  private func supervisor(
    of stream: CameraStream, makeRun: @escaping @Sendable () throws(VStreamError) -> any SupervisedRun
  ) -> RunSupervisor {
    RunSupervisor(repeatsAtEnd: repeated.contains(stream), makeRun: makeRun) { [self] in handle(.run(stream, $0)) }
  }

  /// The next run of the decoded stream.
  private func run(_ detectors: CameraDetectors) throws(VStreamError) -> ObservedRun {
    let size = read(\.shownSize)
    let observer = CameraObserver(self, showsVideo: size == nil)
    var configuration = try detectors.configuration(of: settings, observer: observer)
    configuration.recordedSize = size
    configuration.decodingEffort = effort(showsVideo: size == nil)
    if settings.idles, !settings.hidesPixels {
      configuration.decodesKeyFramesWhenIdle = { size != nil || FragmentWriter.canWrite($0) }
    }
    return ObservedRun(run: Pipeline(configuration), observer: observer)
  }

  /// The frames to decode: fewer where nobody sees them one by one.
  private func effort(showsVideo: Bool) -> @Sendable (StreamInfo) -> VideoDecoder.Effort {
    if !showsVideo { return { _ in .referenceFramesOnly } }
    if settings.hidesPixels { return { _ in .complete } }
    return { FragmentWriter.canWrite($0) ? .withoutDeblocking : .complete }
  }

  /// A run, with whose end the records of its observer end.
  private struct ObservedRun: SupervisedRun {
    let run: any SupervisedRun
    let observer: CameraObserver

    func runSupervised(onProgress: (PipelineProgress) -> Void) throws {
      defer { observer.finish() }
      try run.runSupervised(onProgress: onProgress)
    }

    func stop() { run.stop() }
  }

  /// Ends its runs and its viewers, without waiting for them.
  ///
  /// - Returns: the supervisors of the runs that end.
  @discardableResult
  func stop() -> [RunSupervisor] {
    let runs = contents.update { contents in
      defer { contents.runs = [:] }
      return Array(contents.runs.values)
    }
    handle(.stop)
    for run in runs { run.stop() }
    return runs
  }

  // MARK: State

  /// - Returns: the actions, which were carried out.
  @discardableResult
  func handle(_ event: CameraState.Event) -> [CameraState.Action] {
    let (actions, runs) = contents.update { ($0.state.handle(event, at: MonotonicTime.now), $0.runs) }
    for action in actions {
      switch action {
      case .start(let stream): runs[stream]?.start()
      case .restart(let stream): runs[stream]?.restart()
      case .wake(let viewer): viewer.wake()
      case .publish(let record, let feeds):
        handle(.message(LiveMessage(.record, text: RecordText.line(record)), feeds))
      case .note(let text): log.note(text, camera: name)
      case .warn(let text): log.warn(text, camera: name)
      case .report(let message): log.report(message, camera: name)
      }
    }
    return actions
  }

  func failed(toRecord error: VStreamError) {
    log.warn("its records end: \(error.text(naming: \.configurationKey))", camera: name)
  }

  func read<Result: Sendable>(_ body: (CameraState) -> Result) -> Result { contents.read { body($0.state) } }

  /// The next message for a viewer.
  func next(for viewer: LiveViewer) -> LiveViewer.Next { contents.update { $0.state.next(for: viewer) } }
}
