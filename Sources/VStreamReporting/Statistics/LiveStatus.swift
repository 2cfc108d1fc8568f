internal import VStreamScene
internal import VStreamSystem

/// The current state of a run: rates of the last second, counts and latency.
public struct LiveStatus: Hashable, Sendable {
  /// Since the start of the run.
  public var seconds: Double
  public var counts: RunCounts
  /// Frames per second that came in, left, and were detected.
  public var rates: RateMeter.Rates
  /// From packet read to packet written, of recent frames; the 95th percentile is shown.
  public var latency: DurationHistogram
  /// The current number of tracks.
  public var tracks: Int

  public init(
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
  public var json: String {
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
  public var text: String {
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
public struct RateMeter: Sendable {
  public struct Rates: Hashable, Sendable {
    public var framesIn = 0.0
    public var framesOut = 0.0
    public var detected = 0.0

    public init() {}
  }

  /// Counts with their times, over slightly more than a second.
  private var history: [(seconds: Double, counts: RunCounts)] = []

  public init() {}

  /// The rates at a time, from the counts until then.
  ///
  /// - Parameter seconds: since the start of the run; not before that of the last call.
  public mutating func rates(of counts: RunCounts, at seconds: Double) -> Rates {
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
