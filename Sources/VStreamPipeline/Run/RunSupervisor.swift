internal import Dispatch
internal import VStreamMedia
public import VStreamScene

/// Keeps a live input running: makes a run, and another one after a pause when it ended, until it is stopped.
///
/// Has a thread of its own; what happens to one supervisor does not delay another.
public final class RunSupervisor: Sendable {
  /// What happens to the runs; called on the supervisor's thread.
  public enum Event: Sendable {
    /// A run is about to open its input.
    case starting
    case progress(PipelineProgress)
    /// A run ended, with or without an error.
    case ended(VStreamError?)
    /// The next run starts after these seconds.
    case waiting(seconds: Double)
  }

  private struct State: Sendable {
    var isStopping = false
    var run: Pipeline?
  }

  private let state: Monitor<State>
  private let clock: any PipelineClock
  private let threads = ThreadGroup()
  private let configuration: @Sendable () throws(VStreamError) -> PipelineConfiguration
  private let onEvent: @Sendable (Event) -> Void

  /// Seconds of the first pause between two runs, and of the longest.
  private static let firstPause = 0.25
  private static let longestPause = 4.0
  /// A run of this many seconds was a success: the pause after it is the first one again.
  private static let successfulDuration = 5.0

  /// - Parameters:
  ///   - configuration: of the next run.
  ///   - onEvent: not to block.
  public convenience init(
    configuration: @escaping @Sendable () throws(VStreamError) -> PipelineConfiguration,
    onEvent: @escaping @Sendable (Event) -> Void
  ) { self.init(clock: SystemClock(), configuration: configuration, onEvent: onEvent) }

  init(
    clock: any PipelineClock, configuration: @escaping @Sendable () throws(VStreamError) -> PipelineConfiguration,
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    self.clock = clock
    self.configuration = configuration
    self.onEvent = onEvent
    state = Monitor(State(), clock: clock)
  }

  /// Starts the first run; called once.
  public func start() { threads.start("supervisor") { self.superviseRuns() } }

  /// Ends the run and starts no other. Does not wait.
  public func stop() {
    state.update { state -> Pipeline? in
      state.isStopping = true
      return state.run
    }?.stop()
  }

  /// Ends the run early; another one follows.
  public func restart() { state.read { $0.run }?.stop() }

  /// Waits until the last run has ended.
  ///
  /// - Returns: `false` if that takes longer than `seconds`.
  public func waitUntilEnded(seconds: Double) -> Bool { threads.wait(until: .now() + seconds) }

  private func superviseRuns() {
    var delay = RetryDelay(first: Self.firstPause, longest: Self.longestPause)
    while !state.read({ $0.isStopping }) {
      onEvent(.starting)
      let start = clock.now
      onEvent(.ended(runOnce()))
      if clock.now - start >= Self.successfulDuration { delay.reset() }
      let pause = delay.take()
      onEvent(.waiting(seconds: pause))
      _ = state.wait(until: clock.now + pause) { $0.isStopping ? true : nil }
    }
  }

  /// - Returns: the error that the run ended with.
  private func runOnce() -> VStreamError? {
    do {
      let run = Pipeline(try configuration())
      let mayRun = state.update { state in
        state.run = run
        return !state.isStopping
      }
      defer { state.update { $0.run = nil } }
      if mayRun { _ = try run.run(onProgress: { onEvent(.progress($0)) }) }
      return nil
    } catch {
      return VStreamError(any: error)
    }
  }
}
