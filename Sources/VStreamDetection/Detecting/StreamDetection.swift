package import VStreamCore
package import VStreamMedia

/// Detects in the frames of one stream, in their order: with a new detector from each cell of a grid on, and in a limited number of
/// frames a second.
///
/// Frames in flight where a cell begins are finished by the detector that started them. One owner at a time.
package struct StreamDetection: OverlappingDetecting {
  private let grid: TimeGrid?
  private let make: () throws -> any FrameDetecting
  private var cell: Int64?
  /// The oldest one that has frames in flight first, that of the current cell last.
  private var detectors: [(detector: any OverlappingDetecting, inFlight: Int)] = []
  /// Whether the frames in flight are searched, in their order.
  private var areSearched: [Bool] = []
  package let framesInFlight: Int

  /// Seconds of the stream between two searches; `nil` to search every frame.
  private let interval: Double?
  /// The stream time from which on the next frame is searched.
  private var due = -Double.infinity
  private var last = -Double.infinity

  /// Times that differ by rounding count as equal.
  private static let tolerance = 1e-6

  /// - Parameters:
  ///   - grid: where the detector is replaced by one that has seen no frame, so that the detections of a cell depend on its frames
  ///     alone; `nil` for nowhere.
  ///   - framesPerSecond: frames of each second that are searched, on average and at most; `nil` for all.
  ///   - make: makes a detector that has seen no frame.
  /// - Throws: the error of `make`.
  package init(
    restartingAt grid: TimeGrid? = nil, framesPerSecond: Double? = nil,
    _ make: @escaping () throws -> any FrameDetecting
  ) throws {
    self.grid = grid
    self.make = make
    interval = framesPerSecond.map { 1 / $0 }
    let first = Self.overlapping(try make())
    framesInFlight = first.framesInFlight
    detectors = [(first, 0)]
  }

  /// - Returns: no list of any kind for a frame that is not searched.
  package mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    try restart(for: frame)
    guard isDue(at: frame.time.seconds) else { return Detections() }
    return try detectors[detectors.count - 1].detector.detect(in: frame, timer: timer)
  }

  package mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    try restart(for: frame)
    let isSearched = isDue(at: frame.time.seconds)
    if isSearched {
      try detectors[detectors.count - 1].detector.start(frame, timer: timer)
      detectors[detectors.count - 1].inFlight += 1
    }
    areSearched.append(isSearched)
  }

  package mutating func finish(timer: any StepTimer) throws -> Detections {
    guard areSearched.removeFirst() else { return Detections() }
    // One that failed to start a frame may be followed by another.
    while detectors.count > 1, detectors[0].inFlight == 0 { detectors.removeFirst() }
    detectors[0].inFlight -= 1
    return try detectors[0].detector.finish(timer: timer)
  }

  private mutating func restart(for frame: VideoFrame) throws {
    let next = grid?.cell(of: frame.time)
    defer { cell = next }
    guard let cell, next != cell else { return }
    (due, last) = (-.infinity, -.infinity)
    let made = Self.overlapping(try make())
    detectors.removeAll { $0.inFlight == 0 }
    detectors.append((made, 0))
  }

  private mutating func isDue(at now: Double) -> Bool {
    guard let interval else { return true }
    let hasJumpedBack = now < last
    last = now
    guard hasJumpedBack || now > due - Self.tolerance else { return false }
    // After a pause the missed searches are not caught up on.
    due = (!hasJumpedBack && due > now - interval ? due : now) + interval
    return true
  }

  private static func overlapping(_ detector: any FrameDetecting) -> any OverlappingDetecting {
    detector as? any OverlappingDetecting ?? OneByOne(detector: detector)
  }

  /// A detector of one frame at a time.
  private struct OneByOne: OverlappingDetecting {
    var detector: any FrameDetecting
    private var found: [Detections] = []
    let framesInFlight = 1

    init(detector: any FrameDetecting) { self.detector = detector }

    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
      try detector.detect(in: frame, timer: timer)
    }

    mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
      found.append(try detector.detect(in: frame, timer: timer))
    }

    mutating func finish(timer: any StepTimer) throws -> Detections { found.removeFirst() }
  }
}
