internal import Dispatch
package import VStreamCore
internal import VStreamMedia

/// A run that a `RunSupervisor` repeats. Runs once; `stop` may be called from any thread.
package protocol SupervisedRun: Sendable {
  /// Runs until the input ends, or until stopped. Blocks the calling thread.
  ///
  /// - Parameter onProgress: called on the calling thread about five times a second, if at all.
  /// - Throws: `VStreamError`.
  func runSupervised(onProgress: (PipelineProgress) -> Void) throws

  /// Ends the run early.
  func stop()
}

extension Pipeline: SupervisedRun {
  package func runSupervised(onProgress: (PipelineProgress) -> Void) throws { _ = try run(onProgress: onProgress) }
}

/// Keeps a live input running: makes a run, and another one after a pause when it ended, until it is stopped.
///
/// Has a thread of its own, so that no supervisor delays another.
package final class RunSupervisor: Sendable {
  /// The events of the runs; called on the supervisor's thread.
  package enum Event: Sendable {
    /// A run is about to open its input.
    case starting
    case progress(PipelineProgress)
    /// A run ended, with or without an error.
    case ended(VStreamError?)
    /// The next run starts after these seconds.
    case waiting(seconds: Double)
    /// It was stopped, and the last run has ended.
    case stopped
  }

  private struct State: Sendable {
    var isStopping = false
    var run: (any SupervisedRun)?
  }

  private let state: Monitor<State>
  private let clock: any PipelineClock
  private let threads = ThreadGroup()
  private let repeatsAtEnd: Bool
  private let makeRun: @Sendable () throws(VStreamError) -> any SupervisedRun
  private let onEvent: @Sendable (Event) -> Void

  /// Seconds of the first pause between two runs.
  private static let firstPause = 0.25
  /// A run of this many seconds was a success: the pause after it is the first one again.
  private static let successfulDuration = 5.0
  /// Seconds between the starts of two runs of an input that is repeated.
  private static let shortestRound = 1.0

  /// - Parameters:
  ///   - repeatsAtEnd: whether the end of the input is no loss: the next run starts at once, without an event.
  ///   - makeRun: makes the next run.
  ///   - onEvent: not to block.
  package convenience init(
    repeatsAtEnd: Bool = false, makeRun: @escaping @Sendable () throws(VStreamError) -> any SupervisedRun,
    onEvent: @escaping @Sendable (Event) -> Void
  ) { self.init(repeatsAtEnd: repeatsAtEnd, clock: SystemClock(), makeRun: makeRun, onEvent: onEvent) }

  init(
    repeatsAtEnd: Bool = false, clock: any PipelineClock,
    makeRun: @escaping @Sendable () throws(VStreamError) -> any SupervisedRun,
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    self.repeatsAtEnd = repeatsAtEnd
    self.clock = clock
    self.makeRun = makeRun
    self.onEvent = onEvent
    state = Monitor(State(), clock: clock)
  }

  /// Starts the first run; called once.
  package func start() { threads.start { self.superviseRuns() } }

  /// Ends the run and starts no other. Does not wait.
  package func stop() {
    state.update { state -> (any SupervisedRun)? in
      state.isStopping = true
      return state.run
    }?.stop()
  }

  /// Ends the run early; another one follows.
  package func restart() { state.read { $0.run }?.stop() }

  /// Waits until the last run has ended.
  ///
  /// - Returns: `false` if that takes longer than `seconds`.
  package func waitUntilEnded(seconds: Double) -> Bool { threads.wait(until: .now() + seconds) }

  private func superviseRuns() {
    var delay = RetryDelay(first: Self.firstPause)
    while !state.read({ $0.isStopping }) {
      onEvent(.starting)
      let start = clock.now
      let error = runOnce()
      onEvent(.ended(error))
      let duration = clock.now - start
      if duration >= Self.successfulDuration { delay.reset() }
      let pause: Double
      if repeatsAtEnd, error == nil {
        pause = max(0, Self.shortestRound - duration)
      } else {
        pause = delay.take(after: error)
        onEvent(.waiting(seconds: pause))
      }
      _ = state.wait(until: clock.now + pause) { $0.isStopping ? true : nil }
    }
    onEvent(.stopped)
  }

  /// - Returns: the error that the run ended with.
  private func runOnce() -> VStreamError? {
    do {
      let run = try makeRun()
      let mayRun = state.update { state in
        state.run = run
        return !state.isStopping
      }
      defer { state.update { $0.run = nil } }
      if mayRun { try run.runSupervised { onEvent(.progress($0)) } }
      return nil
    } catch {
      return VStreamError(any: error)
    }
  }
}
