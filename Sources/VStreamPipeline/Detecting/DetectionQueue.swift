internal import VStreamMedia

/// A frame to run detectors on, and its pending result.
struct DetectionTask: Sendable {
  let frame: VideoFrame
  let result: PendingDetection
}

/// The queue from which detector threads take their frames.
final class DetectionQueue: Sendable {
  private enum Kind {
    /// Every frame, in order; a full queue makes its sender wait.
    case every(Channel<DetectionTask>)
    /// The newest frame only; the sender never waits.
    case newest(Monitor<LateFrameGate<DetectionTask>>)
    /// The newest frame only, for the threads of a pool.
    case pooled(PoolMember)
  }

  private let kind: Kind

  /// A queue of every frame, which holds up to `capacity` of them.
  init(everyFrameUpTo capacity: Int) { kind = .every(Channel(capacity: capacity)) }

  /// A one-slot queue for one detector thread; the newest frame wins.
  init(newestFrameBy clock: any PipelineClock) { kind = .newest(Monitor(LateFrameGate(), clock: clock)) }

  /// The slot of one run in a pool, whose threads take its frames.
  init(_ member: PoolMember) { kind = .pooled(member) }

  /// The member of a pool whose slot this is; `nil` for a queue of the run's own threads.
  var member: PoolMember? {
    if case .pooled(let member) = kind { member } else { nil }
  }

  /// Whether detectors are run on every frame.
  var hasEveryFrame: Bool {
    if case .every = kind { true } else { false }
  }

  /// - Returns: `false` if the detector threads have ended.
  func offer(_ task: DetectionTask) -> Bool {
    switch kind {
    case .every(let channel): return channel.send(task)
    case .newest(let gate):
      gate.update { $0.offer(task) }?.result.settle(.superseded)
      return true
    case .pooled(let member):
      member.offer(task)
      return true
    }
  }

  /// Waits for the next frame.
  ///
  /// - Returns: `nil` at the end, and for the slot of a pool.
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
    case .pooled: return nil
    }
  }

  /// The next frame of a queue of every frame, if there is one; does not wait.
  func nextIfAvailable() -> DetectionTask? {
    guard case .every(let channel) = kind else { return nil }
    return channel.receiveIfAvailable()
  }

  /// Removes the frame of a result that is no longer needed, if it is still queued where only the newest is.
  func withdraw(_ result: PendingDetection) {
    switch kind {
    case .every: return
    case .newest(let gate):
      gate.update { gate in gate.withdraw { $0.result === result } }?.result.settle(.superseded)
    case .pooled(let member): member.withdraw(result)
    }
  }

  func finish() {
    switch kind {
    case .every(let channel): channel.finish()
    case .newest(let gate): gate.update { $0.finish() }
    case .pooled(let member): member.leave()
    }
  }
}
