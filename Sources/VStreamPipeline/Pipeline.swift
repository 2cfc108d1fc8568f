internal import Dispatch
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A run from input to output. Runs once; `stop` may be called from any thread.
public final class Pipeline: Sendable {
  private let configuration: PipelineConfiguration
  private let state = RunState()

  public init(_ configuration: PipelineConfiguration) { self.configuration = configuration }

  /// Has the run end early: what was read is drained, and the output closed.
  public func stop() { state.stop() }

  /// Runs to the end of the input, or until stopped.
  ///
  /// Blocks the calling thread.
  /// - Parameter onProgress: called on the calling thread about five times a second.
  /// - Throws: the first `VStreamError` of any stage; what was written before is closed and playable.
  public func run(onProgress: (PipelineProgress) -> Void = { _ in }) throws -> PipelineResult {
    let start = monotonicSeconds()
    let media: MediaReader
    do {
      media = try MediaReader(configuration.input, interrupt: state.interrupt)
    } catch {
      // Who stops the opening of an input does not want to hear that it failed.
      guard state.contents.read({ $0.wasStopped }) else { throw error }
      return try result(since: start)
    }
    let decoder = try VideoDecoder(media.video, threads: configuration.threads)
    let (container, stream) = (media.container, media.video)
    let copied = configuration.output == nil ? [] : media.streams.filter { $0.index != stream.index && isCopied($0) }
    let expected = expectedFrames(stream, container)
    let mode = configuration.mode(for: container)
    state.contents.update { contents in
      contents.framesExpected = expected
      contents.mode = mode
    }

    let workers = Workers()
    let channels = Channels(detectors: configuration.threads)
    startReader(media, decoder, copied: copied, channels, workers)
    startAnnotator(stream, mode, channels, workers)
    startWriter(container, stream, copied: copied, channels, workers)
    startDetectors(channels, workers)
    while !workers.wait(until: .now() + .milliseconds(200)) { onProgress(progress(since: start)) }
    onProgress(progress(since: start))
    return try result(since: start)
  }

  private struct Channels: Sendable {
    let ordered: Channel<SourceItem>
    let work: Channel<FrameJob>
    let coded: Channel<SinkItem>

    init(detectors: Int) {
      // Every detector has a frame at work and one waiting; a few more even out the stages.
      ordered = Channel(capacity: (2 * detectors + 2) * Weight.frame)
      work = Channel(capacity: detectors)
      coded = Channel(capacity: 4 * Weight.frame)
    }
  }

  private func isCopied(_ stream: StreamInfo) -> Bool {
    if stream.isInternal || stream.kind == .unknown { return false }
    return stream.kind != .audio || configuration.output?.copiesAudio == true
  }

  private func expectedFrames(_ stream: StreamInfo, _ container: ContainerInfo) -> Int? {
    let isWhole = configuration.start == nil && configuration.duration == nil
    if isWhole, stream.frameCount > 0 { return stream.frameCount }
    let seconds = stream.durationTicks.map { Double($0) * stream.timeBase.value } ?? container.durationSeconds
    guard let rate = stream.frameRate, let seconds = seconds ?? configuration.duration else { return nil }
    let taken = min(max(0, seconds - (configuration.start ?? 0)), configuration.duration ?? .infinity)
    let frames = (taken * rate.value).rounded()
    return frames.isFinite && frames < 1e12 ? Int(frames) : nil
  }

  private func startReader(
    _ media: sending MediaReader, _ decoder: sending VideoDecoder, copied: [StreamInfo], _ channels: Channels,
    _ workers: Workers
  ) {
    let reader = Handover(
      Reader(
        media: media, decoder: decoder, configuration: configuration, copied: Set(copied.map(\.index)), state: state,
        ordered: channels.ordered, work: channels.work))
    workers.start("reader") {
      guard var reader = reader.take() else { return }
      reader.run()
    }
  }

  private func startAnnotator(
    _ stream: StreamInfo, _ mode: DetectionMode, _ channels: Channels, _ workers: Workers
  ) {
    workers.start("annotator") { [configuration, state] in
      do {
        var annotator = try Annotator(
          configuration: configuration, mode: mode, stream: stream, state: state, ordered: channels.ordered,
          coded: channels.coded)
        annotator.run()
      } catch {
        state.fail(error)
        channels.ordered.cancel()
        channels.coded.finish()
      }
    }
  }

  private func startWriter(
    _ container: ContainerInfo, _ stream: StreamInfo, copied: [StreamInfo], _ channels: Channels, _ workers: Workers
  ) {
    workers.start("writer") { [configuration, state] in
      var writer = Writer(
        configuration: configuration, container: container, stream: stream, copied: copied, state: state,
        coded: channels.coded)
      writer.run()
    }
  }

  /// Loads the model on the calling thread and starts as many detectors as there are threads.
  private func startDetectors(_ channels: Channels, _ workers: Workers) {
    guard let source = configuration.detector else { return }
    do {
      let maker = try source.load(configuration.threads)
      for index in 0..<configuration.threads {
        workers.start("detector \(index)") { [state] in
          DetectorWorker(state: state, work: channels.work).run(maker)
        }
      }
    } catch {
      state.fail(error)
      // Frames that were read meanwhile are waited for; they learn that nobody will look at them.
      let known = error as? VStreamError ?? VStreamError(.library, "\(error)")
      workers.start("no detector") {
        while let job = channels.work.receive() { job.detection?.fulfil(.failure(known)) }
      }
    }
  }

  private func progress(since start: Double) -> PipelineProgress {
    state.contents.read { contents in
      PipelineProgress(
        framesIn: contents.counts.framesIn, framesOut: contents.counts.framesOut,
        framesExpected: contents.framesExpected, elapsedSeconds: monotonicSeconds() - start)
    }
  }

  private func result(since start: Double) throws -> PipelineResult {
    let contents = state.contents.read { $0 }
    if let error = contents.error, error.code != .closedByReader { throw error }
    if contents.counts.framesIn == 0, !contents.wasStopped {
      if let start = configuration.start {
        throw VStreamError(
          .usage, "nothing of '\(configuration.input.location)' is left after \(start) s (--start)",
          remedy: "start earlier")
      }
      throw VStreamError(.unreadableInput, "not one frame of '\(configuration.input.location)' could be decoded")
    }
    var result = PipelineResult()
    result.statistics.counts = contents.counts
    result.statistics.wallSeconds = monotonicSeconds() - start
    result.statistics.stages = contents.stages
    result.statistics.firstFrameSeconds = contents.firstFrameAt.map { $0 - Self.processStart }
    result.statistics.peakMemoryBytes = Self.peakMemoryBytes()
    result.tracksByLabel = contents.tracksByLabel
    result.mode = contents.mode
    result.warnings = contents.warnings
    result.wasStopped = contents.wasStopped
    result.wasClosedByReader = contents.error?.code == .closedByReader
    return result
  }

  /// When the process started, on the clock of `monotonicSeconds`; from `/proc/self/stat`, to a hundredth of a second.
  private static let processStart: Double = {
    guard let file = fopen("/proc/self/stat", "r") else { return monotonicSeconds() }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 2048)
    let count = fread(&bytes, 1, bytes.count, file)
    // Fields are counted after the program's name, which is in parentheses and may hold spaces.
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 20, let ticks = Double(fields[20]) else { return monotonicSeconds() }
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }()

  private static func peakMemoryBytes() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }
}
