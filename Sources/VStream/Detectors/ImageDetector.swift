public import VStreamCore
public import VStreamMedia

/// A detector of one image after another: `ObjectDetector`, `FaceDetector`, `PoseDetector`.
public protocol ImageDetector: Sendable {
  /// `DetectedObject`, `DetectedFace` or `DetectedPose`.
  associatedtype Found: Detection

  /// Detects in an image. Blocks the calling thread.
  func results(in frame: VideoFrame) throws(VStreamError) -> [Found]
  /// Detects in an image, on a thread of the detector.
  func process(_ frame: VideoFrame) async throws -> [Found]
}

extension ObjectDetector: ImageDetector {}
extension FaceDetector: ImageDetector {}
extension PoseDetector: ImageDetector {}

/// What happens to frames that come while a detector is busy.
public enum LateFrames: Hashable, Sendable {
  /// They wait: for files.
  case wait
  /// All but the newest are dropped: for cameras, whose results shall be of now.
  case drop
}

extension ImageDetector {
  /// Detects in each frame of a sequence.
  ///
  ///     for try await result in detector.results(for: VideoFrames(contentsOf: "/dev/video0"), late: .drop) {
  ///       print(result.frame.time, result.found.count, "after", result.dropped, "dropped frames")
  ///     }
  ///
  /// - Parameters:
  ///   - frames: of one stream, in their order.
  ///   - late: what happens to frames that come while the detector is busy.
  public func results<Frames: AsyncSequence & Sendable>(
    for frames: Frames, late: LateFrames = .wait
  ) -> DetectorResults<Self, Frames> where Frames.Element == VideoFrame {
    DetectorResults(detector: self, frames: frames, late: late)
  }
}

/// The frames of a sequence and what was detected in each; see `ImageDetector.results(for:late:)`.
///
/// Throws what the sequence throws, and the detector's errors. A loop that is left, or whose task is cancelled, ends the reading.
public struct DetectorResults<Detector: ImageDetector, Frames: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Frames.Element == VideoFrame {
  /// A frame with its detections.
  public struct Element: Sendable {
    /// The frame, as the sequence gave it.
    public let frame: VideoFrame
    /// Its detections.
    public let found: [Detector.Found]
    /// The frames between the result before and this one, which were dropped.
    public let dropped: Int
  }

  let detector: Detector
  let frames: Frames
  let late: LateFrames

  public func makeAsyncIterator() -> Iterator {
    Iterator(detector: detector, source: late == .wait ? .all(frames.makeAsyncIterator()) : .newest(numbered()))
  }

  /// The frames with their numbers, of which the newest is kept.
  private func numbered() -> AsyncThrowingStream<(Int, VideoFrame), any Error>.Iterator {
    let frames = frames
    let (stream, continuation) = AsyncThrowingStream<(Int, VideoFrame), any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    let task = Task {
      var number = 0
      do {
        for try await frame in frames {
          continuation.yield((number, frame))
          number += 1
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream.makeAsyncIterator()
  }

  /// Asks for a frame, and detects in it, when it is asked for a result.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate enum Source {
      case all(Frames.AsyncIterator)
      case newest(AsyncThrowingStream<(Int, VideoFrame), any Error>.Iterator)
    }

    fileprivate let detector: Detector
    fileprivate var source: Source
    /// The number of the next frame.
    private var next = 0

    fileprivate init(detector: Detector, source: Source) {
      self.detector = detector
      self.source = source
    }

    public mutating func next() async throws -> Element? {
      let number: Int
      let frame: VideoFrame
      switch source {
      case .all(var frames):
        let taken = try await frames.next()
        source = .all(frames)
        guard let taken else { return nil }
        (number, frame) = (next, taken)
      case .newest(var frames):
        let taken = try await frames.next()
        source = .newest(frames)
        guard let taken else {
          try Task.checkCancellation()
          return nil
        }
        (number, frame) = taken
      }
      defer { next = number + 1 }
      return Element(frame: frame, found: try await detector.process(frame), dropped: number - next)
    }
  }
}
