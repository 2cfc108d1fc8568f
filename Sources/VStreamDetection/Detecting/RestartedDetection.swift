public import VStreamMedia
public import VStreamScene

/// Detects with a new detector from each cell of a grid on, so that what is detected in a cell depends on its frames alone.
///
/// Frames in flight where a cell begins are finished by the detector that started them. One owner at a time.
public struct RestartedDetection: OverlappingDetecting {
  private let grid: TimeGrid
  private let make: () throws -> any FrameDetecting
  private var cell: Int64?
  /// The oldest one that has frames in flight first, that of the current cell last.
  private var detectors: [(detector: any OverlappingDetecting, inFlight: Int)] = []
  public private(set) var framesInFlight: Int

  /// - Parameter make: makes a detector that has seen no frame.
  /// - Throws: the error of `make`.
  public init(at grid: TimeGrid, _ make: @escaping () throws -> any FrameDetecting) throws {
    self.grid = grid
    self.make = make
    let first = Self.overlapping(try make())
    framesInFlight = first.framesInFlight
    detectors = [(first, 0)]
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    try restart(for: frame)
    return try detectors[detectors.count - 1].detector.detect(in: frame, timer: timer)
  }

  public mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    try restart(for: frame)
    let current = detectors.count - 1
    try detectors[current].detector.start(frame, timer: timer)
    detectors[current].inFlight += 1
  }

  public mutating func finish(timer: any StepTimer) throws -> Observations {
    // One that failed to start a frame may be followed by another.
    while detectors.count > 1, detectors[0].inFlight == 0 { detectors.removeFirst() }
    detectors[0].inFlight -= 1
    return try detectors[0].detector.finish(timer: timer)
  }

  private mutating func restart(for frame: VideoFrame) throws {
    let new = grid.cell(of: frame.time)
    defer { cell = new }
    guard let cell, cell != new else { return }
    let made = Self.overlapping(try make())
    detectors.removeAll { $0.inFlight == 0 }
    detectors.append((made, 0))
  }

  private static func overlapping(_ detector: any FrameDetecting) -> any OverlappingDetecting {
    detector as? any OverlappingDetecting ?? OneByOne(detector: detector)
  }

  /// A detector of one frame at a time.
  private struct OneByOne: OverlappingDetecting {
    var detector: any FrameDetecting
    private var found: [Observations] = []
    let framesInFlight = 1

    init(detector: any FrameDetecting) { self.detector = detector }

    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
      try detector.detect(in: frame, timer: timer)
    }

    mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
      found.append(try detector.detect(in: frame, timer: timer))
    }

    mutating func finish(timer: any StepTimer) throws -> Observations { found.removeFirst() }
  }
}
