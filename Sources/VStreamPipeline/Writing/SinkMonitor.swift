internal import VStreamMedia
internal import VStreamReporting

/// Measures a sink: the time of its stages, the frames' latency, and since when a call has been waiting for its receiver.
struct SinkMonitor {
  let state: RunState
  let timer: StageTimer
  /// Whether the input is live, so that latency is measured.
  let isLive: Bool
  /// Whether the output is read while it is written: a pipe, or a network address.
  let isWatched: Bool

  /// Ends the waiting for the receiver; `nil` for a file.
  var interrupt: Interrupt? { isWatched ? state.sinkInterrupt : nil }

  /// Runs a call that returns when the receiver has accepted the data.
  func waiting<R>(_ call: () throws -> R) rethrows -> R {
    guard isWatched else { return try call() }
    let now = state.clock.now
    state.contents.update { $0.sinkBusySince = now }
    defer { state.contents.update { $0.sinkBusySince = nil } }
    return try call()
  }

  func muxing<R>(_ call: () throws -> R) rethrows -> R { try timer.measure(.mux) { try waiting(call) } }

  func addLatency(since arrival: Double) {
    guard isLive else { return }
    let seconds = state.clock.now - arrival
    state.contents.update { contents in
      contents.latency.add(seconds)
      contents.recentLatency.add(seconds)
    }
  }
}
