internal import Dispatch
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

/// What the threads of a run share: how it goes, and whether it is to end.
final class RunState: Sendable {
  struct Contents: Sendable {
    var counts = RunCounts()
    /// The moment of the clock when the run began; `nil` until its input was open.
    var startedAt: Double?
    var framesExpected: Int?
    var mode = DetectionMode.stream
    var flow = Flow(isLive: false, isPaced: false, hold: nil, dropsAtEntrance: false)
    var error: VStreamError?
    var wasStopped = false
    /// The moment of the clock when the run was stopped.
    var stoppedAt: Double?
    /// The moment since when the writer waits for its sink; `nil` while it does not.
    var sinkBusySince: Double?
    var warnings: [Message] = []
    /// Warnings and news that have not been told yet.
    var messages: [Message] = []
    var stages: [Stage: DurationHistogram] = [:]
    var tracksByLabel: [String: Int] = [:]
    var tracks = 0
    var counted: RegionCounts?
    var framesRedacted = 0
    /// How often a frame's pixels were copied to be drawn on.
    var framesCopied = 0
    /// What was covered in each frame, where that is kept.
    var covers: [[Ellipse]] = []
    var firstFrameAt: Double?
    /// When the frames had left that rates do not count: the clock, and what was used and done by then.
    var warmAt: (seconds: Double, processor: Double, allocations: Int, copies: Int)?
    /// Processor time of the process when the run began, and how often it had taken memory.
    var processorAtStart = 0.0
    var allocationsAtStart = 0
    /// How many frames waited on average where one stage hands them to the next.
    var queues: [(name: String, mean: Double)] = []
    /// The durations of the detection passes that ended.
    var detectionTimes = DetectionTimes()
    var latency = DurationHistogram()
    /// Latencies since they were last asked for.
    var recentLatency = DurationHistogram()
    var detectionAge = DurationHistogram()
    /// Whether no frame will be counted as written any more.
    var writerHasEnded = false

    /// The counts of a run that has ended: what was on its way when one broke off counts as dropped.
    var settledCounts: RunCounts {
      var counts = counts
      if error != nil {
        counts.framesDropped = max(counts.framesDropped, counts.framesIn + counts.framesRepeated - counts.framesOut)
      }
      return counts
    }
  }

  /// The number of detection passes, and their durations.
  struct DetectionTimes: Sendable {
    private(set) var count = 0
    private(set) var seconds = 0.0
    /// The shortest since the previous `takeShortest`.
    private(set) var shortest = Double.infinity

    mutating func add(_ seconds: Double) {
      count += 1
      self.seconds += seconds
      shortest = min(shortest, seconds)
    }

    mutating func takeShortest() -> Double {
      defer { shortest = .infinity }
      return shortest
    }
  }

  let contents = Monitor(Contents())
  /// Ends the waiting for the input.
  let interrupt = Interrupt()
  /// Ends the waiting for whoever takes the output.
  let sinkInterrupt = Interrupt()
  let clock: any PipelineClock
  private let stopping: Monitor<Bool>

  init(clock: any PipelineClock = SystemClock()) {
    self.clock = clock
    stopping = Monitor(false, clock: clock)
  }

  /// Keeps the first error, and has the run end.
  func fail(_ error: any Error) {
    contents.update { contents in
      if contents.error == nil { contents.error = VStreamError(any: error) }
    }
    stopping.update { $0 = true }
    interrupt.trigger()
  }

  /// Has the reader stop; what was read goes its way to the end.
  func stop() {
    contents.update { contents in
      contents.wasStopped = true
      contents.stoppedAt = clock.now
    }
    stopping.update { $0 = true }
    interrupt.trigger()
  }

  /// Whether a run that is to stop waits for a sink that takes nothing.
  var isSinkStuck: Bool {
    let (stoppedAt, busySince) = contents.read { ($0.stoppedAt, $0.sinkBusySince) }
    guard let stoppedAt, let busySince else { return false }
    return clock.now - max(stoppedAt, busySince) > Self.grace
  }

  private static let grace = 2.0

  var isStopping: Bool { stopping.read { $0 } }

  /// Waits until a moment of the clock, or until the run is to end.
  ///
  /// - Returns: whether the moment has come.
  func wait(until moment: Double) -> Bool {
    if moment <= clock.now { return !isStopping }
    return stopping.wait(until: moment) { $0 ? true : nil } == nil
  }

  /// Says what could be worked around: while the run goes and at its end.
  func warn(_ warning: Message) {
    contents.update { contents in
      contents.warnings.append(warning)
      contents.messages.append("warning: \(warning)")
    }
  }

  /// Says what a user wants to hear of while the run goes.
  func tell(_ text: Message) { contents.update { $0.messages.append(text) } }

  func count(_ change: @Sendable (inout RunCounts) -> Void) { contents.update { change(&$0.counts) } }

  /// Adds what a thread measured.
  func add(_ timer: StageTimer) {
    let measured = timer.histograms
    contents.update { contents in
      for (stage, histogram) in measured {
        contents.stages[stage, default: DurationHistogram()].merge(histogram)
      }
    }
  }
}
