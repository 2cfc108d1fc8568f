internal import VStreamCore
internal import VStreamPipeline
internal import VStreamReporting

/// The phase and the figures of a camera. A value: its owner passes in the events and the time.
struct CameraStatus: Sendable {
  enum Phase: String, Hashable, Sendable {
    /// The source is being opened.
    case connecting
    /// Frames arrive.
    case live
    /// The source was lost or could not be opened, and is retried.
    case lost
    case stopped
  }

  private(set) var phase = Phase.connecting
  /// Seconds of the clock since which it has been in this phase.
  private(set) var since: Double
  /// Why it is not live; `nil` if it is, or was not tried yet.
  private(set) var problem: VStreamError?
  /// Why an opened source is waiting; `nil` if it is not.
  private(set) var notice: Message?
  /// How often it was live again after a loss.
  private(set) var reconnects = 0
  private(set) var codec = ""
  private(set) var size = PixelSize(width: 0, height: 0)
  /// Of the runs before the present one.
  private var earlier = RunCounts()
  private var current = RunCounts()
  private(set) var rates = CameraRates()
  private(set) var latency = LatencyBuckets()
  /// The newest record, with the current tracks.
  private(set) var record: FrameRecord?
  private(set) var history = CountHistory()
  private var wasLive = false
  /// The camera's streams that are not open. Frames decoded before a loss may still arrive.
  private var missing: Set<CameraStream>

  init(_ streams: Set<CameraStream> = [.decoded], at now: Double) {
    since = now
    missing = streams
  }

  /// Of all runs.
  var counts: RunCounts { earlier + current }

  /// A run begins; the phase stays, as a file that is played again is live all the time.
  mutating func begin() {
    notice = nil
    earlier = counts
    current = RunCounts()
  }

  /// - Parameter video: its codec and size; `nil` if the stream is not shown.
  mutating func opened(
    _ stream: CameraStream, _ video: (codec: String, size: PixelSize)?, at now: Double
  ) {
    if let video { (codec, size) = video }
    missing.remove(stream)
    if phase != .live, phase != .lost { enter(.connecting, at: now) }
  }

  mutating func lost(_ stream: CameraStream, _ error: VStreamError?, at now: Double) {
    (problem, notice) = (error ?? problem, nil)
    record = nil
    missing.insert(stream)
    if phase != .lost { enter(.lost, at: now) }
  }

  mutating func stopped(at now: Double) {
    notice = nil
    enter(.stopped, at: now)
  }

  /// - Parameters:
  ///   - size: of the frames that the record refers to.
  ///   - seconds: its latency; `nil` for a frame that was not decoded, and waited for nothing.
  mutating func annotated(_ record: FrameRecord, _ size: PixelSize, latency seconds: Double?, at now: Double) {
    guard missing.isEmpty, phase != .stopped else { return }
    if phase != .live {
      if wasLive { reconnects += 1 }
      wasLive = true
      (problem, notice) = (nil, nil)
      enter(.live, at: now)
    }
    self.size = size
    self.record = record
    if let seconds { latency.add(seconds) }
    history.add(record.annotations.found.count, at: now)
  }

  mutating func progressed(_ counts: RunCounts, at now: Double) {
    current = counts
    rates.add(self.counts, at: now)
  }

  /// - Parameter messages: of the run.
  mutating func note(_ messages: [Message]) {
    if phase != .live, missing.isEmpty, messages.contains(.waitingForKeyFrame) { notice = .waitingForKeyFrame }
  }

  private mutating func enter(_ next: Phase, at now: Double) {
    guard phase != next, phase != .stopped else { return }
    phase = next
    since = now
  }
}

/// Rates per second over about the last five seconds.
struct CameraRates: Hashable, Sendable {
  private(set) var framesIn = 0.0
  private(set) var decoded = 0.0
  private(set) var detected = 0.0
  private(set) var passes = 0.0
  /// Frames for which the detectors had no time.
  private(set) var late = 0.0
  private var samples: [Sample] = []

  private struct Sample: Hashable, Sendable {
    let seconds: Double
    let counts: RunCounts
  }

  private static let window = 5.0
  private static let interval = 0.5

  mutating func add(_ counts: RunCounts, at now: Double) {
    if let last = samples.last, now - last.seconds < Self.interval { return }
    samples.append(Sample(seconds: now, counts: counts))
    while samples.count > 2, samples[1].seconds <= now - Self.window { samples.removeFirst() }
    guard let first = samples.first, now > first.seconds else { return }
    func rate(_ count: (RunCounts) -> Int) -> Double {
      Double(count(counts) - count(first.counts)) / (now - first.seconds)
    }
    framesIn = rate(\.framesIn)
    decoded = rate { $0.framesIn - $0.framesUndecoded }
    detected = rate(\.framesDetected)
    passes = rate(\.detectorPasses)
    late = rate { $0.framesLateForDetector + $0.framesDropped }
  }

  /// Whether the detectors had the time that a camera needs: they made its passes, or it did not want as many since little
  /// happened, and no frame was late.
  func meets(_ passesPerSecond: Double) -> Bool {
    passes >= Self.tolerance * passesPerSecond || late <= Self.fewLate * framesIn
  }

  private static let tolerance = 0.9
  /// The fraction of the frames that may be late now and then.
  private static let fewLate = 0.05
}

/// A histogram of latencies with the limits that the metrics state.
struct LatencyBuckets: Hashable, Sendable {
  /// In seconds.
  static let limits = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5]
  /// How many latencies each limit is the smallest for; the last ones exceed all.
  private var counts = [Int](repeating: 0, count: limits.count + 1)
  private(set) var total = 0.0
  private(set) var count = 0

  mutating func add(_ seconds: Double) {
    counts[Self.limits.firstIndex { seconds <= $0 } ?? Self.limits.count] += 1
    total += seconds
    count += 1
  }

  /// How many latencies do not exceed each limit.
  var cumulative: [Int] {
    var sum = 0
    return counts.dropLast().map { count in
      sum += count
      return sum
    }
  }

  /// The smallest limit that a fraction of the latencies does not exceed; `nil` if there is none.
  func limit(of fraction: Double) -> Double? {
    zip(Self.limits, cumulative).first { Double($0.1) >= fraction * Double(count) && count > 0 }?.0
  }
}

/// The most objects at once in each minute of the last hour.
struct CountHistory: Hashable, Sendable {
  /// Oldest first; `nil` for minutes without a frame.
  private(set) var minutes: [Int?] = []
  private var minute: Int?

  static let length = 60

  mutating func add(_ count: Int, at now: Double) {
    let number = Int(now / 60)
    if minute != number {
      let missing = minute.map { min(Self.length, max(0, number - $0 - 1)) } ?? 0
      minutes += [Int?](repeating: nil, count: missing) + [count]
      minutes.removeFirst(max(0, minutes.count - Self.length))
      minute = number
    } else if let last = minutes.last {
      minutes[minutes.count - 1] = max(last ?? 0, count)
    }
  }
}

extension RunCounts {
  static func + (one: RunCounts, other: RunCounts) -> RunCounts {
    let counts: [WritableKeyPath<RunCounts, Int>] = [
      \.framesIn, \.framesOut, \.framesDetected, \.framesPredicted, \.framesUndecoded, \.framesLateForDetector,
      \.framesDropped, \.framesRepeated, \.detectorRuns, \.detectorPasses, \.corruptPackets, \.clockSteps,
    ]
    return counts.reduce(into: one) { $0[keyPath: $1] += other[keyPath: $1] }
  }
}
