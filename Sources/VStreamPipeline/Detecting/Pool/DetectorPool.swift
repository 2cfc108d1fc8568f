internal import Dispatch
internal import Synchronization
internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia

/// The detector threads of a live run, or of several, where the others get what one run does not need.
///
/// They have a low priority: decoding takes precedence.
package final class DetectorPool: Sendable {
  /// A frame, and the member whose detectors are run on it.
  struct Job: Sendable {
    let member: PoolMember
    let task: DetectionTask
  }

  package let threadCount: Int
  let clock: any PipelineClock
  private let schedule: Monitor<PoolSchedule<Job>>
  private let threads: ThreadGroup

  /// Starts the threads.
  package convenience init(threads: Int) { self.init(threads: threads, clock: SystemClock(), on: ThreadGroup()) }

  /// - Parameter group: the threads of the run whose own the pool is.
  init(threads count: Int, clock: any PipelineClock, on group: ThreadGroup) {
    threadCount = max(1, count)
    self.clock = clock
    threads = group
    schedule = Monitor(PoolSchedule(), clock: clock)
    for _ in 0..<count {
      group.start(.low) {
        while let job = self.next() {
          job.member.detect(job.task)
          self.complete(job)
        }
      }
    }
  }

  /// Waits for the next frame; `nil` at the end. Its member gets no other before this one is completed.
  func next() -> Job? {
    let turn = schedule.wait { schedule -> PoolSchedule<Job>.Turn? in
      let turn = schedule.next()
      if case .nothing = turn { return nil }
      return turn
    }
    guard case .frame(let job, _)? = turn else { return nil }
    return job
  }

  func complete(_ job: Job) { schedule.update { $0.complete(job.member.number) } }

  /// Ends the threads, once the frames that wait are detected. Does not wait.
  package func stop() { schedule.update { $0.finish() } }

  /// Waits until the threads have ended, after `stop`.
  ///
  /// - Returns: `false` if that takes longer than `seconds`.
  package func waitUntilEnded(seconds: Double) -> Bool { threads.wait(until: .now() + seconds) }

  /// A new member.
  func join(_ share: PoolShare) -> PoolMember {
    PoolMember(number: schedule.update { $0.join(deadlineAfter: share.relativeDeadline) }, pool: self)
  }

  fileprivate func offer(_ job: Job) -> DetectionTask? {
    let now = clock.now
    return schedule.update { $0.offer(job, by: job.member.number, at: now) }?.task
  }

  fileprivate func withdraw(_ result: PendingDetection, from number: Int) -> DetectionTask? {
    schedule.update { $0.withdraw(from: number) { $0.task.result === result } }?.task
  }

  fileprivate func leave(_ number: Int) -> DetectionTask? { schedule.update { $0.leave(number) }?.task }
}

/// How much of a pool's time a run gets, where there is not enough for all.
package struct PoolShare: Hashable, Sendable {
  /// Detector passes that it needs in a second.
  package var passesPerSecond: Double
  /// A run of weight 2 waits half as long as one of weight 1.
  package var weight: Double

  package init(passesPerSecond: Double, weight: Double = 1) {
    self.passesPerSecond = passesPerSecond
    self.weight = weight
  }

  /// Seconds from a frame's offer to its deadline.
  var relativeDeadline: Double { 1 / (max(passesPerSecond, 0.01) * max(weight, 0.01)) }
}

/// The detectors of one run in a pool, which detect one frame at a time.
final class PoolMember: Sendable {
  fileprivate let number: Int
  private let pool: DetectorPool
  private let detectors = Mutex(Detectors())

  private struct Detectors {
    /// `nil` until the models are loaded.
    var makers: [DetectorSpec.Maker]?
    var made: [any FrameDetecting] = []
    var state: RunState?
  }

  fileprivate init(number: Int, pool: DetectorPool) {
    self.number = number
    self.pool = pool
  }

  /// Sets the detectors, once their models are loaded; until then no frame is detected.
  func begin(_ makers: [DetectorSpec.Maker], state: RunState) {
    detectors.withLock { detectors in
      detectors.makers = makers
      detectors.state = state
    }
  }

  func offer(_ task: DetectionTask) {
    pool.offer(DetectorPool.Job(member: self, task: task))?.result.settle(.superseded)
  }

  func withdraw(_ result: PendingDetection) { pool.withdraw(result, from: number)?.result.settle(.superseded) }

  func leave() { pool.leave(number)?.result.settle(.superseded) }

  /// Runs the detectors on a frame and settles its result.
  fileprivate func detect(_ task: DetectionTask) {
    let start = pool.clock.now
    let state = detectors.withLock { detectors -> RunState? in
      guard let makers = detectors.makers else {
        task.result.settle(.superseded)
        return nil
      }
      task.settle {
        if detectors.made.isEmpty { detectors.made = try makers.map { try $0() } }
        let timer = StageTimer()
        defer { detectors.state?.add(timer) }
        var found = Detections()
        for index in detectors.made.indices {
          found.merge(try detectors.made[index].detect(in: task.frame, timer: timer))
        }
        return found
      }
      return detectors.state
    }
    let seconds = pool.clock.now - start
    state?.contents.update { $0.detectionTimes.add(seconds) }
  }
}
