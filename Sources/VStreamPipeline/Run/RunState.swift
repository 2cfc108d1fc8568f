internal import Dispatch
internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting

/// The state that the threads of a run share: its counts and messages, the first error, the wish to stop; and the threads'
/// reports once they have ended.
final class RunState: Sendable {
  struct Contents: Sendable {
    var hasStarted = false
    var start = RunStart()
    var counts = RunCounts()
    var error: VStreamError?
    var wasStopped = false
    /// The moment of the clock when the run was stopped.
    var stoppedAt: Double?
    /// The moment since which the writer has been waiting for its sink; `nil` while it does not wait.
    var sinkBusySince: Double?
    /// Whether the output could be created, so that records and other files may be.
    var isOutputOpen = false
    /// Indices of the streams that the output cannot hold.
    var omittedStreams: Set<Int> = []
    var warnings: [Message] = []
    /// Warnings and notices that have not been reported yet.
    var messages: [Message] = []
    /// Number of current tracks.
    var tracks = 0
    /// The durations of the detection passes that ended.
    var detectionTimes = DetectionTimes()
    var latency = DurationHistogram()
    /// Latencies since the previous progress report.
    var recentLatency = DurationHistogram()
    var stages: [Stage: DurationHistogram] = [:]
    /// The mean lengths of the channels between the stages.
    var queues: [(name: String, mean: Double)] = []
    /// Whether the input came back after a loss with other codec parameters, which the output's header does not have.
    var hasOtherParameters = false
    /// `nil` if all frames are encoded.
    var groups: WrittenGroups?
    var reader = ReaderReport()
    var annotator = AnnotatorReport()
    /// `nil` until the counts of written frames are final.
    var writer: WriterReport?

    /// The counts of a run that has ended: frames in flight when it failed count as dropped.
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
  /// Interrupts reading from the input.
  let interrupt = Interrupt()
  /// Interrupts writing to the sink.
  let sinkInterrupt = Interrupt()
  let clock: any PipelineClock
  private let stopping: Monitor<Bool>

  init(clock: any PipelineClock = SystemClock()) {
    self.clock = clock
    stopping = Monitor(false, clock: clock)
  }

  /// Ends the run with an error; the first one is reported.
  func fail(_ error: any Error) {
    contents.update { contents in
      if contents.error == nil { contents.error = VStreamError(any: error) }
    }
    stopping.update { $0 = true }
    interrupt.trigger()
  }

  /// - Throws: `VStreamError.usage` if it has started before.
  func begin() throws(VStreamError) {
    let hadStarted = contents.update { contents in
      defer { contents.hasStarted = true }
      return contents.hasStarted
    }
    guard !hadStarted else {
      throw VStreamError(.usage, "a pipeline runs once", remedy: "make another one for another run")
    }
  }

  /// Stops the reader; frames that were read are processed.
  func stop() {
    contents.update { contents in
      contents.wasStopped = true
      contents.stoppedAt = clock.now
    }
    stopping.update { $0 = true }
    interrupt.trigger()
  }

  /// Whether a stopped run is waiting for a sink that does not accept data.
  var isSinkStuck: Bool {
    let (stoppedAt, busySince) = contents.read { ($0.stoppedAt, $0.sinkBusySince) }
    guard let stoppedAt, let busySince else { return false }
    return clock.now - max(stoppedAt, busySince) > Self.grace
  }

  private static let grace = 2.0

  var isStopping: Bool { stopping.read { $0 } }

  /// Waits until a moment of the clock, or until the run is to end.
  ///
  /// - Returns: `false` if the run is to end.
  func wait(until moment: Double) -> Bool {
    if moment <= clock.now { return !isStopping }
    return stopping.wait(until: moment) { $0 ? true : nil } == nil
  }

  /// Adds a warning, which is reported at once and in the result.
  func warn(_ warning: Message) {
    contents.update { contents in
      contents.warnings.append(warning)
      contents.messages.append("warning: \(warning)")
    }
  }

  /// Adds a notice, which is reported at once only.
  func notify(_ notice: Message) { contents.update { $0.messages.append(notice) } }

  func count(_ change: @Sendable (inout RunCounts) -> Void) { contents.update { change(&$0.counts) } }

  /// Adds the measurements of a thread.
  func add(_ timer: StageTimer) {
    let measured = timer.histograms
    contents.update { contents in
      for (stage, histogram) in measured {
        contents.stages[stage, default: DurationHistogram()].merge(histogram)
      }
    }
  }
}

/// The start of a run: its plan's facts, and the measurements at that moment.
struct RunStart: Sendable {
  /// The moment of the clock; `nil` until the input was open.
  var moment: Double?
  /// The process's processor time and number of allocations.
  var processorSeconds = 0.0
  var allocations = 0
  var framesExpected: Int?
  var mode = DetectionMode.stream
  var flow = Flow(isLive: false, readsAtFrameRate: false, hold: nil, dropsAtEntrance: false)
  /// Parts of the input that are kept in the output and not redacted.
  var unredacted: [UnredactedPart] = []
  /// Omissions of a redacted output, in words.
  var omitted: [String] = []
}

/// The results of the reader thread.
struct ReaderReport: Sendable {
  /// Whether the input has frames before or after the part that is processed.
  var hasFramesBeforePart = false
  var hasFramesAfterPart = false
}

/// The results of the annotator thread.
struct AnnotatorReport: Sendable {
  var tracksByLabel: [String: Int] = [:]
  var counted: RegionCounts?
  var framesRedacted = 0
  /// Omissions of a redacted output, in words, besides those of its plan.
  var omitted: [String] = []
  /// The covered regions of each frame, if they are recorded.
  var coveredEllipses: [[Ellipse]] = []
  /// Ages of the detections of live frames.
  var detectionAge = DurationHistogram()
}

/// The results of the writer thread.
struct WriterReport: Sendable {
  var firstFrameAt: Double?
  /// The measurements at the end of the warm-up frames, which rates exclude.
  var warm: (seconds: Double, processor: Double, allocations: Int, copies: Int)?
  /// Number of copies of frames' pixels that drawing required.
  var framesCopied = 0
  /// The playable file that a run left whose input was not processed to its end; `nil` if the output is complete.
  var incompletePath: String?
  /// Whether the reader of standard output closed it, and the run went on for its other files.
  var wasClosedByReader = false
}
