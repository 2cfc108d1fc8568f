internal import VStreamMedia

/// A frame that is to be looked at, and the place for what is found.
struct DetectionTask: Sendable {
  let frame: VideoFrame
  let result: PendingDetection
}

/// Where detectors take their frames from.
final class DetectionQueue: Sendable {
  private enum Kind {
    /// Every frame, in order; who offers waits for room.
    case every(Channel<DetectionTask>)
    /// The newest frame; who offers never waits.
    case newest(Monitor<LateFrameGate<DetectionTask>>)
  }

  private let kind: Kind

  /// A feed that waits for its detectors.
  init(everyFrameUpTo waiting: Int) { kind = .every(Channel(capacity: waiting)) }

  /// A feed for one detector, which late frames pass by.
  init(newestFrameUntil clock: any PipelineClock) { kind = .newest(Monitor(LateFrameGate(), clock: clock)) }

  /// - Returns: `false` if nobody will look any more.
  func offer(_ task: DetectionTask) -> Bool {
    switch kind {
    case .every(let channel): return channel.send(task)
    case .newest(let gate):
      gate.update { $0.offer(task) }?.result.settle(.superseded)
      return true
    }
  }

  /// Waits for a detector's next frame.
  ///
  /// - Returns: `nil` at the end.
  func next() -> DetectionTask? {
    switch kind {
    case .every(let channel): return channel.receive()
    case .newest(let gate):
      let turn = gate.wait { gate -> LateFrameGate<DetectionTask>.Turn? in
        let turn = gate.next()
        if case .nothing = turn { return nil }
        return turn
      }
      guard case .frame(let task)? = turn else { return nil }
      return task
    }
  }

  /// Whether every frame is to be looked at.
  var hasEveryFrame: Bool {
    if case .every = kind { true } else { false }
  }

  /// A detector's next frame, if it is there and every frame is to be looked at.
  func nextIfThere() -> DetectionTask? {
    guard case .every(let channel) = kind else { return nil }
    return channel.receiveIfThere()
  }

  /// Has a frame that has left unseen no longer wait here.
  func withdraw(_ result: PendingDetection) {
    guard case .newest(let gate) = kind else { return }
    gate.update { gate in gate.withdraw { $0.result === result } }?.result.settle(.superseded)
  }

  func finish() {
    switch kind {
    case .every(let channel): channel.finish()
    case .newest(let gate): gate.update { $0.finish() }
    }
  }
}
