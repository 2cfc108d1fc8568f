internal import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene
internal import VStreamTracking

/// A detector of things with more than a box, and the tracker of its stream.
struct StreamTracker<Detector: FrameDetecting, Thing: Observation> {
  private var detector: Detector
  /// Where in what is found the things are.
  private let things: KeyPath<Observations, [Thing]?>
  /// `nil` where each picture stands for itself.
  private var tracker: ObservationTracker<Thing>?

  init(_ detector: Detector, _ things: KeyPath<Observations, [Thing]?>, tracking: TrackerOptions?) {
    self.detector = detector
    self.things = things
    tracker = tracking.map(ObservationTracker.init)
  }

  mutating func look(at frame: VideoFrame) throws(VStreamError) -> [Thing] {
    do {
      let found = try detector.detect(in: frame, timer: UntimedSteps())[keyPath: things] ?? []
      return tracker?.update(found, at: frame.time.seconds) ?? found
    } catch {
      throw VStreamError(any: error)
    }
  }
}

extension ModelConfiguration {
  /// For a detector that looks at one picture after the other: the networks are small, and more threads would wait for each
  /// other.
  static func oneByOne(device: String) -> ModelConfiguration {
    ModelConfiguration(device: device, threads: 1, precision: .float32)
  }
}
