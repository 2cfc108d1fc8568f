import VStreamCore
import VStreamInference
import VStreamMedia
import VStreamTestSupport
import VStreamTracking

@testable import VStreamDetection

/// The object detector, compiled once for all tests, with 32-bit floats so that results are the same on every machine.
enum SharedModel {
  private static let model = Result {
    try ObjectModel(
      path: try ModelCatalogue.ssdMobileNetV2.requirePath(),
      configuration: ModelConfiguration(precision: .float32, usesCache: false))
  }

  static func detector(
    _ options: ObjectDetectionOptions = ObjectDetectionOptions(minimumScore: 0.1)
  ) throws -> ObjectDetectionStage {
    try ObjectDetectionStage(try model.get(), options: options)
  }

  static func inputs() throws -> SearchInputs { try model.get().inputs }

  /// The model with an input of another size.
  static func resized(to size: PixelSize) throws -> ObjectModel {
    try model.get().resized(to: size, configuration: ModelConfiguration(precision: .float32, usesCache: false))
  }

  /// Detection in parts of frames.
  static func planned(_ budget: PassBudget, framesInFlight: Int = 1) throws -> PlannedObjectDetection {
    PlannedObjectDetection(
      try model.get(), resize: resized(to:), options: ObjectDetectionOptions(), budget: budget,
      tracking: TrackerOptions(),
      framesInFlight: framesInFlight)
  }
}

/// Frames of the sample videos.
enum SampleFrames {
  /// Decodes a clip up to the last requested frame.
  ///
  /// - Parameter numbers: frame numbers from 0, in ascending order.
  static func read(_ clip: String, at numbers: [Int]) throws -> [VideoFrame] {
    try read(path: Checkout.sample(clip), at: numbers)
  }

  static func read(path: String, at numbers: [Int]) throws -> [VideoFrame] {
    let media = try MediaReader(MediaInput(path))
    let decoder = try VideoDecoder(media.video)
    var wanted = numbers[...]
    var frames: [VideoFrame] = []
    var count = 0
    var isAtEnd = false
    while !wanted.isEmpty {
      if isAtEnd { throw VStreamError(.unreadableInput, "\(path) has only \(count) frames, none for \(wanted)") }
      var packet: Packet?
      switch try media.next() {
      case .packet(let next) where next.streamIndex == media.video.index: packet = next
      case .packet, .damaged: continue
      case .end: isAtEnd = true
      }
      for frame in try decoder.decode(packet).frames {
        if count == wanted.first {
          frames.append(frame)
          wanted.removeFirst()
        }
        count += 1
      }
    }
    return frames
  }
}

/// Measures nothing.
struct NoTimer: StepTimer {
  func sampling<R>(_ body: () throws -> R) rethrows -> R { try body() }
  func inferring<R>(_ body: () throws -> R) rethrows -> R { try body() }
}

/// Records the steps.
final class CountingTimer: StepTimer {
  private(set) var steps: [String] = []

  func sampling<R>(_ body: () throws -> R) rethrows -> R {
    steps.append("sampling")
    return try body()
  }

  func inferring<R>(_ body: () throws -> R) rethrows -> R {
    steps.append("inferring")
    return try body()
  }
}
