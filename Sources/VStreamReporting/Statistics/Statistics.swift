internal import VStreamSystem

/// The numbers of frames by their outcome. At the end of a run, framesIn = framesOut + framesDropped − framesRepeated, and
/// framesOut = framesDetected + framesPredicted.
public struct RunCounts: Hashable, Sendable {
  /// Frames that were decoded.
  public var framesIn = 0
  /// Frames that reached the sink.
  public var framesOut = 0
  /// Frames that left with their own detection.
  public var framesDetected = 0
  /// Frames that left with tracks predicted to their time.
  public var framesPredicted = 0
  /// Frames of a live video that were not decoded, as nothing moved, nothing was searched for, or detectors had no time.
  public var framesUndecoded = 0
  /// Predicted frames whose own detection was not ready in time.
  public var framesLateForDetector = 0
  /// Frames that were dropped at the input, or that were in flight when a run was aborted.
  public var framesDropped = 0
  /// Frames that were repeated in place of one that could not be decoded.
  public var framesRepeated = 0
  /// Detections that were used, in time or late.
  public var detectorRuns = 0
  /// Runs of the object network, one for each region of a frame.
  public var detectorPasses = 0
  /// Packets that could not be decoded, or only partly.
  public var corruptPackets = 0
  /// How often the clock of a live input was set.
  public var clockSteps = 0

  public init() {}

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
public enum Stage: String, CaseIterable, Hashable, Sendable {
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
public struct Statistics: Sendable {
  public var counts = RunCounts()
  /// From the first packet read to the file closed.
  public var wallSeconds = 0.0
  /// From the start of the process to the first annotated frame sent to the encoder; `nil` if there was none.
  public var firstFrameSeconds: Double?
  /// The process's peak memory.
  public var peakMemoryBytes = 0
  /// From packet read to packet written; live only.
  public var latency: DurationHistogram?
  /// The age in stream time of the detection that a frame shows; live only.
  public var detectionAge: DurationHistogram?
  public var stages: [Stage: DurationHistogram] = [:]
  /// Processor time of all threads, in seconds.
  public var processorSeconds = 0.0
  /// The mean number of frames in each queue between stages.
  public var queues: [(name: String, mean: Double)] = []
  /// The run without its warm-up frames.
  public var steady = SteadyState()

  public init() {}

  /// The figures of a run from a frame on.
  public struct SteadyState: Hashable, Sendable {
    public var frames = 0
    public var seconds = 0.0
    /// Processor time of all threads.
    public var processorSeconds = 0.0
    /// Memory allocations of all libraries; `nil` if they were not counted.
    public var allocations: Int?
    /// Copies of a frame's pixels for drawing.
    public var copies = 0

    public init() {}

    public var allocationsPerFrame: Double? { allocations.map { frames > 0 ? Double($0) / Double(frames) : 0 } }
    public var copiesPerFrame: Double { frames > 0 ? Double(copies) / Double(frames) : 0 }
    public var framesPerSecond: Double { seconds > 0 ? Double(frames) / seconds : 0 }
    public var processorMilliseconds: Double { frames > 0 ? processorSeconds * 1000 / Double(frames) : 0 }
  }

  public var framesPerSecond: Double { wallSeconds > 0 ? Double(counts.framesOut) / wallSeconds : 0 }

  /// One JSON object on one line.
  public var json: String { TextBuffer.json { add(to: &$0) } }

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
