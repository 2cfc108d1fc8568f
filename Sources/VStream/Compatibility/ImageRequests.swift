public import VStreamCore
internal import VStreamDetection
public import VStreamMedia

public import struct FoundationEssentials.URL

/// Performs requests on an image, in the manner of Apple's Vision (of 2024).
///
///     let handler = ImageRequestHandler(url, orientation: .right)
///     let (faces, bodies) = try await handler.perform(DetectFaceLandmarksRequest(), DetectHumanBodyPoseRequest())
///
/// Results are in fractions of the upright image, from its lower left corner. The networks are loaded by the first request of
/// their kind and kept. May be used from any task.
public struct ImageRequestHandler: Sendable {
  private let image: @Sendable () throws(VStreamError) -> VideoFrame

  /// - Parameters:
  ///   - url: of an image file, or of a video, whose first frame is used.
  ///   - orientation: how the image is stored; `nil` for what the file says.
  public init(_ url: URL, orientation: ImageOrientation? = nil) {
    let location = url.location
    image = { () throws(VStreamError) in
      try DecodedFrames.first(of: MediaInput(location), orientation: orientation?.orientation)
    }
  }

  /// - Parameters:
  ///   - bytes: of an image file.
  ///   - orientation: how the image is stored; `nil` for what the file says.
  public init(_ bytes: [UInt8], orientation: ImageOrientation? = nil) {
    image = { () throws(VStreamError) in try VideoFrame(encoded: bytes, orientation: orientation) }
  }

  /// - Parameter frame: upright.
  public init(_ frame: VideoFrame) { image = { () throws(VStreamError) in frame } }

  /// Performs requests on the image, which is read once.
  ///
  /// - Returns: the result of each request, in their order.
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`, `missingDependency`; `CancellationError`.
  public func perform<each Request: ImageRequest>(
    _ requests: repeat each Request
  ) async throws -> (repeat (each Request).Result) {
    let frame = try image()
    return (repeat try await (each requests).perform(on: frame))
  }
}

/// What `ImageRequestHandler` performs.
public protocol ImageRequest: Sendable {
  /// What was found.
  associatedtype Result: Sendable

  /// Performs the request on an upright image.
  func perform(on frame: VideoFrame) async throws -> Result
}

/// A point in fractions of an image's sides, from its lower left corner.
public struct NormalizedPoint: Hashable, Sendable {
  /// Fraction of the width, from the left.
  public var x: Double
  /// Fraction of the height, from the bottom.
  public var y: Double

  init(_ point: Point, in size: PixelSize) {
    let normalized: Point = point.normalized(in: size)
    (x, y) = (normalized.x, normalized.y)
  }

  /// In pixels from the upper left corner of an image.
  public func toImageCoordinates(_ size: PixelSize) -> Point { Point(normalized: Point(x: x, y: y), in: size) }
}

/// A box in fractions of an image's sides; its origin is its lower left corner, measured from the image's.
public struct NormalizedRect: Hashable, Sendable {
  /// The lower left corner.
  public var origin: NormalizedPoint
  /// Fraction of the image's width.
  public var width: Double
  /// Fraction of the image's height.
  public var height: Double

  init(_ box: Box, in size: PixelSize) {
    let normalized: Box = box.normalized(in: size)
    origin = NormalizedPoint(Point(x: box.x, y: box.bottom), in: size)
    (width, height) = (normalized.width, normalized.height)
  }

  /// In pixels from the upper left corner of an image.
  public func toImageCoordinates(_ size: PixelSize) -> Box {
    Box(normalized: Box(x: origin.x, y: origin.y, width: width, height: height), in: size)
  }
}

/// A face in an image.
public struct FaceObservation: Hashable, Sendable {
  /// The face from brow to chin.
  public let boundingBox: NormalizedRect
  /// 0…1
  public let confidence: Double
  /// Degrees, as `HeadAngles` has them; `nil` if they were not asked for.
  public let (roll, yaw, pitch): (Double?, Double?, Double?)
  /// The points of each line of the face; empty if they were not asked for.
  public let landmarks: [FaceContour.Kind: [NormalizedPoint]]

  init(_ face: DetectedFace, in size: PixelSize) {
    boundingBox = NormalizedRect(face.box, in: size)
    confidence = face.score
    (roll, yaw, pitch) = (face.angles?.z, face.angles?.y, face.angles?.x)
    landmarks = Dictionary(
      uniqueKeysWithValues: (face.contours ?? []).map { contour in
        (contour.kind, contour.points.map { NormalizedPoint($0, in: size) })
      })
  }
}

/// A person's pose in an image.
public struct HumanBodyPoseObservation: Hashable, Sendable {
  /// A joint or another point of a body.
  public struct Joint: Hashable, Sendable {
    /// In fractions of the image; may lie outside of it.
    public let location: NormalizedPoint
    /// How likely it is in the image, 0…1.
    public let confidence: Double
  }

  /// Around all joints.
  public let boundingBox: NormalizedRect
  /// 0…1
  public let confidence: Double
  private let joints: [PoseLandmark.Kind: Joint]

  init(_ pose: DetectedPose, in size: PixelSize) {
    boundingBox = NormalizedRect(pose.box, in: size)
    confidence = pose.score
    joints = Dictionary(
      uniqueKeysWithValues: pose.landmarks.map { landmark in
        let location = NormalizedPoint(landmark.position, in: size)
        return (landmark.kind, Joint(location: location, confidence: landmark.inFrameLikelihood))
      })
  }

  /// A joint. One that is hidden or outside the image has nearly no confidence.
  public func joint(for kind: PoseLandmark.Kind) -> Joint? { joints[kind] }
  /// All 33 joints.
  public func allJoints() -> [PoseLandmark.Kind: Joint] { joints }
}

/// An object in an image.
public struct RecognizedObjectObservation: Hashable, Sendable {
  /// Around the object.
  public let boundingBox: NormalizedRect
  /// 0…1
  public let confidence: Double
  /// The name of its class.
  public let label: String

  init(_ object: DetectedObject, in size: PixelSize) {
    boundingBox = NormalizedRect(object.box, in: size)
    (confidence, label) = (object.score, object.label)
  }
}

/// Finds faces, with their angles.
public struct DetectFaceRectanglesRequest: ImageRequest {
  public init() {}

  public func perform(on frame: VideoFrame) async throws -> [FaceObservation] {
    try await SharedDetectors.faces.get().process(frame).map { FaceObservation($0, in: frame.size) }
  }
}

/// Finds faces, with their angles and lines.
public struct DetectFaceLandmarksRequest: ImageRequest {
  public init() {}

  public func perform(on frame: VideoFrame) async throws -> [FaceObservation] {
    try await SharedDetectors.faceLandmarks.get().process(frame).map { FaceObservation($0, in: frame.size) }
  }
}

/// Finds people's poses: of six people at most.
public struct DetectHumanBodyPoseRequest: ImageRequest {
  public init() {}

  public func perform(on frame: VideoFrame) async throws -> [HumanBodyPoseObservation] {
    try await SharedDetectors.poses.get().process(frame).map { HumanBodyPoseObservation($0, in: frame.size) }
  }
}

/// Finds objects of COCO's 80 classes.
public struct RecognizeObjectsRequest: ImageRequest {
  public init() {}

  public func perform(on frame: VideoFrame) async throws -> [RecognizedObjectObservation] {
    try await SharedDetectors.objects.get().process(frame).map { RecognizedObjectObservation($0, in: frame.size) }
  }
}

/// The detectors of requests, each made by its first request.
private enum SharedDetectors {
  static let faces = Result { try FaceDetector(FaceDetectorOptions(detectorMode: .singleImage)) }
  static let faceLandmarks = Result {
    var options = FaceDetectorOptions(detectorMode: .singleImage)
    options.contourMode = .all
    return try FaceDetector(options)
  }
  static let poses = Result {
    var options = PoseDetectorOptions(detectorMode: .singleImage)
    options.maxPoses = 6
    return try PoseDetector(options)
  }
  static let objects = Result { try ObjectDetector(ObjectDetectorOptions(detectorMode: .singleImage)) }
}
