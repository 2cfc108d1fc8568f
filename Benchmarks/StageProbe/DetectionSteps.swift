import VStreamCore
import VStreamDetection
import VStreamInference
import VStreamMedia
import VStreamTracking

/// Samples a network's input tensor from a grey frame.
private struct Sampling {
  private var sampler: RegionSampler
  private var tensor: [Float]
  private let frame: VideoFrame

  init(_ format: TensorFormat) throws {
    frame = try makeFrame { _ in grey }
    sampler = RegionSampler(format)
    tensor = [Float](repeating: 0, count: format.size.width * format.size.height * 3)
  }

  /// - Returns: the value in the middle of the tensor.
  mutating func run(_ region: RotatedBox) throws -> Float {
    try Self.fill(&tensor, with: region, of: frame, &sampler)
    return tensor[tensor.count / 2]
  }

  private static func fill(
    _ tensor: inout [Float], with region: RotatedBox, of frame: VideoFrame, _ sampler: inout RegionSampler
  ) throws {
    var span = tensor.mutableSpan
    try sampler.sample(frame, region: region, into: &span)
  }
}

/// Samples a whole frame for the object network.
struct ObjectSampling: Step {
  static let expected = 128
  private var sampling: Sampling

  init() throws { sampling = try Sampling(TensorFormat(size: PixelSize(width: 300, height: 300))) }

  mutating func run() throws -> Int {
    let whole = Box(x: 0, y: 0, width: Double(frameSize.width), height: Double(frameSize.height))
    return Int(try sampling.run(RotatedBox(whole)))
  }
}

/// Samples an upright square of the frame for the face mesh.
struct FaceSampling: Step {
  static let expected = 128
  private var sampling: Sampling

  init() throws {
    sampling = try Sampling(
      TensorFormat(size: PixelSize(width: 192, height: 192), alignment: .corners, scale: SIMD3(repeating: 1 / 255)))
  }

  mutating func run() throws -> Int {
    Int(255 * (try sampling.run(RotatedBox(Box(x: 210.5, y: 120.25, width: 240, height: 240)))))
  }
}

/// Detects what moves in a frame of 1920×1080 pixels: a column of 60.
struct MotionDetection: Step {
  static let expected = 1
  private var detector = MotionDetector()
  private let frame: VideoFrame
  private static let column = Box(x: 600, y: 0, width: 60, height: 1080)

  init() throws {
    let size = PixelSize(width: 1920, height: 1080)
    frame = try makeFrame(size: size) { x in (600..<660).contains(x) ? 226 : grey }
    _ = try detector.next(try makeFrame(size: size) { _ in grey })
  }

  /// - Returns: whether there is motion in the column, and nowhere else.
  mutating func run() throws -> Int {
    let motion = try detector.next(frame)
    return motion.hasMotion(in: Self.column) && !motion.hasMotion(in: Box(x: 900, y: 0, width: 60, height: 1080))
      ? 1 : 0
  }
}

/// Decodes the object network's outputs: 20 scores above the threshold, two for each of 10 objects.
struct Decoding: Step {
  static let expected = 10
  private let decoder = SSDDecoder(minimumScore: 0.1)
  private var encodings = [Float](repeating: 0, count: 1917 * 4)
  private var scores = [Float](repeating: 0.01, count: 1917 * 80)

  init() {
    for object in 0..<Self.expected {
      // The finest grid comes first, 19 cells per row and three anchors per cell.
      let anchor = 3 * (19 * 2 * (object / 2) + 9 * (object % 2))
      let classIndex = object % 2 == 0 ? 0 : 2
      scores[anchor * 80 + classIndex] = 0.9 - 0.05 * Float(object)
      // The next cell detects the object too, with an offset to the left; non-maximum suppression removes that box.
      scores[(anchor + 3) * 80 + classIndex] = 0.3
      encodings[(anchor + 3) * 4 + 1] = -5
    }
  }

  mutating func run() -> Int {
    let whole = Box(x: 0, y: 0, width: Double(frameSize.width), height: Double(frameSize.height))
    return decoder.decode(encodings: encodings.span, scores: scores.span, region: whole, frame: frameSize).count
  }
}

/// Tracks 20 objects that move back and forth, in rows with opposite directions. They overlap, are sometimes missed, and
/// sometimes have a low score. The motion repeats after 80 frames.
struct Tracking: Step {
  static let expected = 20
  private var tracker = Tracker()
  private var detections: [DetectedObject] = []
  private var frame = 0

  init() {
    for _ in 0..<3 { _ = run() }
  }

  /// - Returns: the number of objects that were reported or missed.
  mutating func run() -> Int {
    detections.removeAll(keepingCapacity: true)
    for index in 0..<Self.expected where !isMissed(index) { detections.append(object(index)) }
    let found = tracker.update(detections, at: Double(frame) / 25)
    frame += 1
    return found.count + Self.expected - detections.count
  }

  private func isMissed(_ index: Int) -> Bool { frame >= 3 && (frame + 3 * index) % 16 == 15 }

  /// Never near a miss, as a missed object is not recovered by a low score.
  private func hasLowScore(_ index: Int) -> Bool { frame >= 3 && (frame + 3 * index) % 8 == 3 }

  private func object(_ index: Int) -> DetectedObject {
    let (column, row) = (index % 5, index / 5)
    let offset = 3 * abs(40 - frame % 80)
    let x = Double(row % 2 == 0 ? offset : 120 - offset) + 45 * Double(column)
    return DetectedObject(
      classIndex: 0, label: "person", score: hasLowScore(index) ? 0.3 : 0.6 + 0.01 * Double(index),
      box: Box(x: x, y: 20 + 90 * Double(row), width: 60, height: 120))
  }
}
