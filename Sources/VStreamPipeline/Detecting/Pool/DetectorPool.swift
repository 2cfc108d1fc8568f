internal import Dispatch
internal import Synchronization
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamScene

/// Detector threads that several live runs share: models are loaded once, and what one run does not need the others get.
///
/// Like the detectors of a single live run, they have a low priority: decoding takes precedence.
public final class DetectorPool: Sendable {
  /// A frame, and the member whose detectors are run on it.
  struct Job: Sendable {
    let member: PoolMember
    let task: DetectionTask
  }

  public let threadCount: Int
  let clock: any PipelineClock
  private let schedule: Monitor<PoolSchedule<Job>>
  private let threads = ThreadGroup()

  /// Starts the threads.
  public convenience init(threads: Int) { self.init(threads: threads, clock: SystemClock()) }

  init(threads count: Int, clock: any PipelineClock) {
    threadCount = max(1, count)
    self.clock = clock
    schedule = Monitor(PoolSchedule(), clock: clock)
    for _ in 0..<threadCount { threads.start(.low) { [schedule] in Self.run(schedule) } }
  }

  private static func run(_ schedule: Monitor<PoolSchedule<Job>>) {
    while true {
      let turn = schedule.wait { schedule -> PoolSchedule<Job>.Turn? in
        let turn = schedule.next()
        if case .nothing = turn { return nil }
        return turn
      }
      guard case .frame(let job, let id)? = turn else { return }
      job.member.detect(job.task)
      schedule.update { $0.complete(id) }
    }
  }

  /// Ends the threads, once the frames that wait are detected. Does not wait.
  public func stop() { schedule.update { $0.finish() } }

  /// Waits until the threads have ended, after `stop`.
  ///
  /// - Returns: `false` if that takes longer than `seconds`.
  public func waitUntilEnded(seconds: Double) -> Bool { threads.wait(until: .now() + seconds) }

  /// A new member.
  func join(_ share: PoolShare) -> PoolMember {
    PoolMember(number: schedule.update { $0.join(patience: share.patience) }, pool: self)
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
public struct PoolShare: Hashable, Sendable {
  /// Detector passes that it needs in a second.
  public var passesPerSecond: Double
  /// A run of weight 2 waits half as long as one of weight 1.
  public var weight: Double

  public init(passesPerSecond: Double, weight: Double = 1) {
    self.passesPerSecond = passesPerSecond
    self.weight = weight
  }

  /// Seconds that a frame may wait.
  var patience: Double { 1 / (max(passesPerSecond, 0.01) * max(weight, 0.01)) }
}

/// The detectors of one run in a pool, of which one frame at a time is detected.
final class PoolMember: Sendable {
  fileprivate let number: Int
  private let pool: DetectorPool
  private let detectors = Mutex(Detectors())

  private struct Detectors {
    /// `nil` until the models are loaded.
    var makers: [DetectorFactory.Maker]?
    var made: [any FrameDetecting] = []
    var state: RunState?
  }

  fileprivate init(number: Int, pool: DetectorPool) {
    self.number = number
    self.pool = pool
  }

  /// Sets the detectors, once their models are loaded; until then no frame is detected.
  func begin(_ makers: [DetectorFactory.Maker], state: RunState) {
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
    task.result.settle(detectors.withLock { Self.outcome(of: task.frame, &$0) })
    let seconds = pool.clock.now - start
    detectors.withLock { $0.state }?.contents.update { $0.detectionTimes.add(seconds) }
  }

  private static func outcome(of frame: VideoFrame, _ detectors: inout Detectors) -> PendingDetection.Outcome {
    guard let makers = detectors.makers else { return .superseded }
    do {
      if detectors.made.isEmpty { detectors.made = try makers.map { try $0() } }
      let timer = StageTimer()
      var found = Observations()
      for index in detectors.made.indices {
        found.merge(try detectors.made[index].detect(in: frame, timer: timer))
      }
      detectors.state?.add(timer)
      return .found(found)
    } catch {
      return .failed(VStreamError(any: error))
    }
  }
}
