internal import VStreamCore
internal import VStreamMedia
internal import VStreamTracking

/// Delays frames by the look-back window, so that a subject is also covered in the frames before its first detection.
///
/// A frame cannot enter without its resolution, and leaves with the regions to cover in it. Late frames, which have only
/// predictions, and frames in long gaps between detections are covered whole; `finalWarnings` counts them. One owner
/// at a time.
struct RedactionBuffer {
  private let maximumBytes: Int
  /// Labels that possibly no detector has.
  private let uncertainLabels: Set<String>
  private var coverage: CoverageStep
  private var lookBack: CoverageLookBack
  /// The frames in `lookBack`, in its order, and the packets between them.
  private var waiting: [StreamItem] = []
  private var waitingBytes = 0
  private var gaps = DetectionGaps()
  private var releasedCount = 0
  /// Released frames for which detections were requested and did not come in time.
  private var lateCount = 0
  /// Released frames that are too far from detections.
  private var gapCount = 0
  private var wasLimited = false

  /// The longest time between two detections for a reliable path in seconds, measured on drawn faces
  /// (`SampleVideos/face-panning.mp4`); without a look-back window, after a detection.
  private static let longestGap = 0.5
  private static let longestGapWithoutLookBack = 0.15
  /// Times are rounded.
  private static let timeTolerance = 1e-6
  private var longestGap: Double { lookBack.seconds > 0 ? Self.longestGap : Self.longestGapWithoutLookBack }
  private var warnings: [Message] = []

  /// - Parameters:
  ///   - lookBack: how long frames wait.
  ///   - maximumBytes: the memory that they may take. Packets between them do not count: a frame that left early for them
  ///     might show a redacted subject.
  ///   - uncertainLabels: labels that possibly no detector has.
  init(
    _ coverage: CoverageStep, _ lookBack: CoverageLookBack, maximumBytes: Int, uncertainLabels: Set<String> = []
  ) {
    self.uncertainLabels = uncertainLabels
    self.coverage = coverage
    self.lookBack = lookBack
    self.maximumBytes = maximumBytes
  }

  mutating func add(_ job: consuming FrameJob, _ resolution: ResolvedDetections) {
    let (size, seconds) = (job.frame.size, job.frame.time.seconds)
    let regions = coverage.cover(resolution, in: size, at: seconds)
    lookBack.add(regions, at: seconds, in: resolution.shot, left: coverage.left(at: seconds))
    gaps.add(seconds, isDetected: resolution.found != nil, late: resolution.late.map(\.time.seconds))
    waitingBytes += job.frame.byteCount
    waiting.append(.frame(job))
  }

  /// Adds a packet, which is released between the frames that it was added between.
  mutating func add(_ packet: Packet) { waiting.append(.copy(packet)) }

  /// The next item that need not wait any longer.
  ///
  /// - Parameter isEnd: whether no more frames will be added.
  mutating func next(isEnd: Bool) -> StreamItem? {
    guard let first = waiting.first else { return nil }
    if case .frame = first, !isEnd, !lookBack.isReady, !isFull() { return nil }
    guard case .frame(var job) = waiting.removeFirst() else { return first }
    waitingBytes -= job.frame.byteCount
    releasedCount += 1
    let size = job.frame.size
    job.covered = lookBack.next(in: size)?.filter { $0.ellipse.bounds.clipped(to: size) != nil }
    let seconds = job.frame.time.seconds
    let isInGap = gaps.length(at: seconds) > longestGap + Self.timeTolerance
    if job.isLate {
      lateCount += 1
    } else if isInGap {
      gapCount += 1
    }
    if job.isLate || isInGap { job.covered = [.whole(size, at: seconds)] }
    return .frame(job)
  }

  /// The warnings since the previous call.
  mutating func takeWarnings() -> [Message] {
    defer { warnings = [] }
    return warnings
  }

  /// Warnings if frames were covered whole, or something was never found, once all have left.
  var finalWarnings: [Message] {
    var warnings = uncertainLabels.subtracting(coverage.coveredLabels).sorted().map { label in
      "'\(label)' was to be redacted, and no detection has that label (\(.redact))" as Message
    }
    if lateCount > 0 {
      warnings.append(
        "\(lateCount) of \(releasedCount) frames were released before their detections came, and are covered whole: "
          + "\(.late, "wait") waits for every frame's detections")
    }
    if gapCount > 0 {
      warnings.append(
        "\(gapCount) of \(releasedCount) frames are covered whole, as it is not known what moved in them: there are more than "
          + "\(longestGap) s between the frames that were detected (\(.detectEvery))")
    }
    return warnings
  }

  /// Whether no more frames may wait; warns once if that shortens the look-back window.
  private mutating func isFull() -> Bool {
    guard waitingBytes > maximumBytes else { return false }
    if !wasLimited {
      wasLimited = true
      warnings.append(
        "frames of \(lookBack.seconds) s take more than \(maximumBytes >> 20) MB: the look-back window is shorter "
          + "(\(lookBack.count) frames)")
    }
    return true
  }
}

extension RedactionBuffer {
  /// - Returns: `nil` if nothing is redacted.
  init?(_ configuration: PipelineConfiguration, mode: DetectionMode, flow: Flow) {
    guard let options = configuration.redaction, configuration.isRedacted else { return nil }
    let seconds = configuration.lookBackSeconds(mode: mode, flow: flow) ?? 0
    // A subject that appears between two frames with detections is found in the second.
    let interval = if case .every(let frames) = configuration.detectEvery { frames } else { 0 }
    let kinds = Dictionary(
      uniqueKeysWithValues: configuration.kinds.map { ($0, configuration.trackerOptions(of: $0)) })
    self.init(
      CoverageStep(labels: options.labels, mode: mode, kinds: kinds),
      CoverageLookBack(seconds: seconds, frames: seconds > 0 ? interval : 0),
      maximumBytes: options.maximumBufferedBytes,
      uncertainLabels: options.uncertainLabels)
  }
}

/// The times between detections of a stream: where they are long, it is not known where a subject was meanwhile.
///
/// A value, without a clock or a thread.
struct DetectionGaps: Hashable, Sendable {
  /// Ascending times of frames with detections, in seconds of stream time.
  private var detected: [Double] = []
  /// Time of the last frame.
  private var latest = -Double.infinity

  /// Times that differ by less are equal, since they are rounded.
  private static let timeTolerance = 1e-6

  /// Adds the next frame.
  ///
  /// - Parameter late: times of earlier frames whose detections came with it.
  mutating func add(_ time: Double, isDetected: Bool, late: [Double]) {
    latest = max(latest, time)
    detected += late + (isDetected ? [time] : [])
    if !late.isEmpty { detected.sort() }
  }

  /// The time from the last detection before a frame to the first one after it, or to the last frame that is known; 0 for a
  /// frame with detections, infinite before the first.
  mutating func length(at time: Double) -> Double {
    // Frames are asked for in their order: earlier detections are not needed again.
    let later = detected.firstIndex { $0 > time + Self.timeTolerance } ?? detected.endIndex
    guard later > 0 else { return .infinity }
    detected.removeFirst(later - 1)
    guard let last = detected.first, last < time - Self.timeTolerance else { return 0 }
    return (detected.count > 1 ? detected[1] : latest) - last
  }
}
