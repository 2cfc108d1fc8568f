package import VStreamCore
package import VStreamMedia

/// A stage that detects objects of one or more kinds in frames, one frame at a time.
package protocol FrameDetecting {
  /// - Returns: the observations without IDs, best first, down to the stage's own lowest score.
  /// - Throws: `VStreamError` if the frame cannot be sampled or a network fails.
  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections
}

/// A stage that can start on a frame before the one before it is finished.
///
/// The observations do not depend on how early the next frame is started.
package protocol OverlappingDetecting: FrameDetecting {
  /// The most frames in flight; 1 where starting a frame early gains nothing.
  var framesInFlight: Int { get }
  /// Starts inference on a frame, with fewer than `framesInFlight` in flight.
  mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws
  /// Waits for the observations of the frame that has been in flight longest.
  mutating func finish(timer: any StepTimer) throws -> Detections
}

/// Measures how long the steps of a detection take.
package protocol StepTimer {
  /// Runs `body`, which computes the network's input from a frame.
  func sampling<R>(_ body: () throws -> R) rethrows -> R
  /// Runs `body`, which runs the network.
  func inferring<R>(_ body: () throws -> R) rethrows -> R
}

/// Measures nothing.
package struct UntimedSteps: StepTimer {
  package init() {}
  package func sampling<R>(_ body: () throws -> R) rethrows -> R { try body() }
  package func inferring<R>(_ body: () throws -> R) rethrows -> R { try body() }
}
