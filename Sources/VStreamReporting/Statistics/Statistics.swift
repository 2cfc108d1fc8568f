internal import VStreamCore
internal import VStreamSystem

/// The numbers of frames by their outcome. At the end of a run, framesIn = framesOut + framesDropped − framesRepeated, and
/// framesOut = framesDetected + framesPredicted.
package struct RunCounts: Hashable, Sendable {
  /// Frames that were decoded.
  package var framesIn = 0
  /// Frames that reached the sink.
  package var framesOut = 0
  /// Frames that left with their own detection.
  package var framesDetected = 0
  /// Frames that left with tracks predicted to their time.
  package var framesPredicted = 0
  /// Frames of a live video that were not decoded, as nothing moved, nothing was searched for, or detectors had no time.
  package var framesUndecoded = 0
  /// Predicted frames whose own detection was not ready in time.
  package var framesLateForDetector = 0
  /// Frames that were dropped at the input, or that were in flight when a run was aborted.
  package var framesDropped = 0
  /// Frames that were repeated in place of one that could not be decoded.
  package var framesRepeated = 0
  /// Detections that were used, in time or late.
  package var detectorRuns = 0
  /// Runs of the object network, one for each region of a frame.
  package var detectorPasses = 0
  /// Packets that could not be decoded, or only partly.
  package var corruptPackets = 0
  /// How often the clock of a live input was set.
  package var clockSteps = 0

  package init() {}

  func add(to json: inout TextBuffer) {
    json.add("framesIn", framesIn)
    json.add("framesOut", framesOut)
    json.add("framesDetected", framesDetected)
    json.add("framesPredicted", framesPredicted)
    json.add("framesLateForDetector", framesLateForDetector)
    json.add("framesDropped", framesDropped)
    json.add("framesRepeated", framesRepeated)
    json.add("detectorRuns", detectorRuns)
    json.add("detectorPasses", detectorPasses)
    json.add("corruptPackets", corruptPackets)
    json.add("clockSteps", clockSteps)
  }
}

/// A step that every frame or packet goes through.
package enum Stage: String, CaseIterable, Hashable, Sendable {
  case demux
  case decode
  case sample
  case infer
  case track
  case draw
  case encode
  case mux
}

/// The statistics of a run.
package struct Statistics: Sendable {
  package var counts = RunCounts()
  /// From the first packet read to the file closed.
  package var wallSeconds = 0.0
  /// From the start of the process to the first annotated frame sent to the encoder; `nil` if there was none.
  package var firstFrameSeconds: Double?
  /// The process's peak memory.
  package var peakMemoryBytes = 0
  /// From packet read to packet written; live only.
  package var latency: DurationHistogram?
  /// The age in stream time of the detection that a frame shows; live only.
  package var detectionAge: DurationHistogram?
  package var stages: [Stage: DurationHistogram] = [:]
  /// Processor time of all threads, in seconds.
  package var processorSeconds = 0.0
  /// The mean number of frames in each queue between stages.
  package var queues: [(name: String, mean: Double)] = []
  /// The run without its warm-up frames.
  package var steady = SteadyState()

  package init() {}

  /// The figures of a run from a frame on.
  package struct SteadyState: Hashable, Sendable {
    package var frames = 0
    package var seconds = 0.0
    /// Processor time of all threads.
    package var processorSeconds = 0.0
    /// Memory allocations of all libraries; `nil` if they were not counted.
    package var allocations: Int?
    /// Copies of a frame's pixels for drawing.
    package var copies = 0

    package init() {}

    package var allocationsPerFrame: Double? { allocations.map { frames > 0 ? Double($0) / Double(frames) : 0 } }
    package var copiesPerFrame: Double { frames > 0 ? Double(copies) / Double(frames) : 0 }
    package var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
    package var processorMilliseconds: Double { frames > 0 ? processorSeconds * 1000 / Double(frames) : 0 }
  }

  package var framesPerSecond: Double { wallSeconds > 0 ? Double(counts.framesOut) / wallSeconds : 0 }

  /// One JSON object on one line.
  package var json: String { TextBuffer.json { add(to: &$0) } }

  func add(to json: inout TextBuffer) {
    counts.add(to: &json)
    json.add("wallSeconds", wallSeconds, places: 3)
    json.add("fps", framesPerSecond, places: 2)
    if let firstFrameSeconds { json.add("firstFrameSeconds", firstFrameSeconds, places: 3) }
    json.add("peakRSSBytes", peakMemoryBytes)
    json.add("cpuSeconds", processorSeconds, places: 3)
    json.addObject("framesWaiting") { all in
      for queue in queues { all.add(queue.name, queue.mean, places: 2) }
    }
    if let latency {
      json.addObject("latencyMs") { latency.addPercentiles(to: &$0, suffix: "") }
    }
    if let detectionAge {
      json.addObject("detectionAgeMs") { detectionAge.addPercentiles(to: &$0, suffix: "") }
    }
    json.addObject("stages") { all in
      for stage in Stage.allCases {
        guard let histogram = stages[stage] else { continue }
        all.addObject(stage.rawValue) { one in
          one.add("count", histogram.count)
          one.add("totalMs", histogram.total * 1000, places: 3)
          histogram.addPercentiles(to: &one, suffix: "Ms")
        }
      }
    }
  }
}

/// The current state of a run: rates of the last second, counts and latency.
package struct LiveStatus: Hashable, Sendable {
  /// Since the start of the run.
  package var seconds: Double
  package var counts: RunCounts
  /// Frames per second that came in, left, and were detected.
  package var rates: RateMeter.Rates
  /// From packet read to packet written, of recent frames; the 95th percentile is shown.
  package var latency: DurationHistogram
  /// The current number of tracks.
  package var tracks: Int

  package init(
    seconds: Double, counts: RunCounts, rates: RateMeter.Rates, latency: DurationHistogram, tracks: Int
  ) {
    self.seconds = seconds
    self.counts = counts
    self.rates = rates
    self.latency = latency
    self.tracks = tracks
  }

  private var latencySeconds: Double? { latency.count > 0 ? latency.percentile(0.95) : nil }

  /// One JSON object on one line.
  package var json: String {
    TextBuffer.json { json in
      json.add("type", "status")
      json.add("seconds", seconds, places: 3)
      json.add("fpsIn", rates.framesIn, places: 2)
      json.add("fpsOut", rates.framesOut, places: 2)
      json.add("fpsDetected", rates.detected, places: 2)
      counts.add(to: &json)
      if let latencySeconds { json.add("latencyMs", latencySeconds * 1000, places: 3) }
      json.add("tracks", tracks)
    }
  }

  /// `30 fps in  30 out  15 detected  3 late  0 dropped  45 ms  4 tracks`.
  package var text: String {
    var parts = [
      "\(Int(clamping: rates.framesIn)) fps in", "\(Int(clamping: rates.framesOut)) out",
      "\(Int(clamping: rates.detected)) detected", "\(counts.framesLateForDetector) late",
      "\(counts.framesDropped) dropped",
    ]
    if let latencySeconds { parts.append("\(Int(clamping: latencySeconds * 1000)) ms") }
    parts.append("\(tracks) \(tracks == 1 ? "track" : "tracks")")
    return parts.joined(separator: "  ")
  }
}

/// Frames per second, over about the last second.
package struct RateMeter: Sendable {
  package struct Rates: Hashable, Sendable {
    package var framesIn = 0.0
    package var framesOut = 0.0
    package var detected = 0.0

    package init() {}
  }

  /// Counts with their times, over slightly more than a second.
  private var history: [(seconds: Double, counts: RunCounts)] = []

  package init() {}

  /// The rates at a time, from the counts until then.
  ///
  /// - Parameter seconds: since the start of the run; not earlier than in the last call.
  package mutating func rates(of counts: RunCounts, at seconds: Double) -> Rates {
    if history.isEmpty { history.append((0, RunCounts())) }
    history.append((seconds, counts))
    // The first entry is one second old, or the oldest there is.
    while history.count > 2, history[1].seconds <= seconds - 1 { history.removeFirst() }
    let (since, before) = history[0]
    guard seconds > since else { return Rates() }
    var rates = Rates()
    rates.framesIn = Double(counts.framesIn - before.framesIn) / (seconds - since)
    rates.framesOut = Double(counts.framesOut - before.framesOut) / (seconds - since)
    rates.detected = Double(counts.framesDetected - before.framesDetected) / (seconds - since)
    return rates
  }
}

/// A histogram of durations with constant memory; percentiles are too long by at most 3.2 %.
///
/// It adds a duration in 15 ns, where HdrHistogram of two digits takes 20 ns (20 million durations, one thread).
package struct DurationHistogram: Hashable, Sendable {
  /// The number of buckets per doubling of the duration.
  private static let bucketsPerDoubling = 32
  /// From 1 to 2^30 microseconds, about 18 minutes; durations outside count in the first and last bucket.
  private static let doublings = 30

  private var buckets = [Int](repeating: 0, count: bucketsPerDoubling * doublings + 1)
  package private(set) var count = 0
  /// Sum of all durations, in seconds.
  package private(set) var total = 0.0
  /// The longest duration, in seconds.
  package private(set) var longest = 0.0

  package init() {}

  /// - Parameter seconds: a duration; a negative one or NaN counts as 0.
  package mutating func add(_ seconds: Double) {
    let seconds = seconds > 0 && seconds.isFinite ? seconds : 0
    count += 1
    total += seconds
    longest = max(longest, seconds)
    buckets[Self.index(of: seconds)] += 1
  }

  /// The duration that a fraction of all durations does not exceed; 0 for an empty histogram.
  ///
  /// - Parameter fraction: 0…1.
  package func percentile(_ fraction: Double) -> Double {
    guard count > 0 else { return 0 }
    let rank = max(1, Int((fraction * Double(count)).rounded(.up)))
    var seen = 0
    for index in buckets.indices {
      seen += buckets[index]
      if seen >= rank { return min(Self.upperEnd(of: index), longest) }
    }
    return longest
  }

  private static func index(of seconds: Double) -> Int {
    let microseconds = seconds * 1e6
    guard microseconds > 1 else { return 0 }
    let exponent = min(Int(microseconds.exponent), doublings - 1)
    let within = microseconds / Double(sign: .plus, exponent: exponent, significand: 1) - 1
    return 1 + exponent * bucketsPerDoubling + min(Int(within * Double(bucketsPerDoubling)), bucketsPerDoubling - 1)
  }

  private static func upperEnd(of index: Int) -> Double {
    guard index > 0 else { return 1e-6 }
    let (exponent, part) = (index - 1).quotientAndRemainder(dividingBy: bucketsPerDoubling)
    let power = Double(sign: .plus, exponent: exponent, significand: 1)
    return power * (1 + Double(part + 1) / Double(bucketsPerDoubling)) * 1e-6
  }

  /// Adds all durations of another histogram.
  package mutating func merge(_ other: DurationHistogram) {
    for index in buckets.indices { buckets[index] += other.buckets[index] }
    count += other.count
    total += other.total
    longest = max(longest, other.longest)
  }

  func addPercentiles(to json: inout TextBuffer, suffix: String) {
    json.add("p50\(suffix)", percentile(0.5) * 1000, places: 3)
    json.add("p95\(suffix)", percentile(0.95) * 1000, places: 3)
    json.add("p99\(suffix)", percentile(0.99) * 1000, places: 3)
    if suffix.isEmpty { json.add("max", longest * 1000, places: 3) }
  }
}
