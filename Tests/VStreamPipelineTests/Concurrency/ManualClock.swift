import Dispatch

@testable import VStreamPipeline

/// A clock that a test sets.
final class ManualClock: PipelineClock {
  private struct Sleeper: Sendable {
    let number: Int
    let moment: Double
    let semaphore: DispatchSemaphore
  }

  private struct State: Sendable {
    var now = 0.0
    var sleepers: [Sleeper] = []
    var count = 0
  }

  private let state = Lock(State())

  var now: Double { state.withLock { $0.now } }

  /// Sets the clock forward and wakes all whose moment has come.
  func advance(to moment: Double) {
    let woken = state.withLock { state in
      state.now = max(state.now, moment)
      let woken = state.sleepers.filter { $0.moment <= state.now }
      state.sleepers.removeAll { $0.moment <= state.now }
      return woken.map(\.semaphore)
    }
    for semaphore in woken { semaphore.signal() }
  }

  func wait(for semaphore: DispatchSemaphore, until moment: Double?) -> Bool {
    guard let moment else {
      semaphore.wait()
      return true
    }
    let number = state.withLock { state -> Int? in
      guard moment > state.now else { return nil }
      state.count += 1
      state.sleepers.append(Sleeper(number: state.count, moment: moment, semaphore: semaphore))
      return state.count
    }
    guard let number else { return semaphore.wait(timeout: .now()) == .success }
    semaphore.wait()
    // A thread that still waits for the clock was woken by another one.
    return state.withLock { state in
      let place = state.sleepers.firstIndex { $0.number == number }
      if let place { state.sleepers.remove(at: place) }
      return place != nil
    }
  }
}
