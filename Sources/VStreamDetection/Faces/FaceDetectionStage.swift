internal import VStreamInference
public import VStreamMedia
public import VStreamScene

/// Detects any number of faces: boxes, head angles, landmarks, contours and expressions, without IDs.
///
/// If more than boxes is requested, faces are tracked by their meshes (`MeshFaceSearch`). Otherwise the detector runs on every
/// frame; with several crops a frame (`accurate`) in stream mode, they are searched in rotation (`ScheduledFaceSearch`).
///
/// `detect` and `faces` search for a known face where it was on the frame before; `start` and `finish` where it was two frames
/// before, so that two frames can be in flight, and then where it was on the frame before.
///
/// One owner at a time, in stream mode one for each stream, its frames in their order; the models are shared.
public struct FaceDetectionStage: OverlappingDetecting {
  public let options: FaceDetectorOptions
  private var finder: FaceFinder
  /// Searches single images in another way.
  private var second: FaceFinder?
  /// Set if only boxes of a stream are requested.
  private var scheduled: ScheduledFaceSearch?
  /// `nil` if only boxes are requested.
  private var meshes: MeshFaceSearch?
  /// Searches for boxes alone, without a schedule.
  private var inFlight: [FaceFinder.Search] = []

  /// - Throws: `VStreamError.missingDependency` if a model has other inputs or outputs than expected.
  public init(_ models: FaceModels, options: FaceDetectorOptions) throws(VStreamError) {
    self.options = options
    finder = try FaceFinder(models.finder, options)
    second = try models.second.map { model throws(VStreamError) in
      var fast = FaceDetectorOptions()
      fast.minimumScore = options.minimumScore
      return try FaceFinder(model, fast)
    }
    if options.needsMesh, let mesh = models.mesh {
      meshes = try MeshFaceSearch(options, meshModel: mesh, eyeModel: models.eye)
    }
    if options.schedulesCrops { scheduled = ScheduledFaceSearch(options) }
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    Observations(faces: try faces(in: frame, timer: timer))
  }

  /// The faces in a frame, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled or a network fails.
  public mutating func faces(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedFace] {
    if let faces = try meshes?.faces(in: frame, with: &finder, timer: timer) { return faces }
    if let found = try scheduled?.faces(in: frame, with: &finder, timer: timer) {
      return found.map(DetectedFace.init(boxOf:))
    }
    return try faces(in: frame, finder.start(on: frame, timer: timer), timer)
  }

  /// The faces of a search without a schedule, and of the second one.
  private mutating func faces(
    in frame: VideoFrame, _ search: FaceFinder.Search, _ timer: any StepTimer
  ) throws -> [DetectedFace] {
    var candidates = try finder.finish(search, timer: timer)
    if var second {
      defer { self.second = second }
      let more = try second.finish(second.start(on: frame, timer: timer), timer: timer)
      candidates = weightedSuppression(candidates + more, maximumIoU: BlazeFaceDecoder.maximumIoU)
    }
    return candidates.map(DetectedFace.init(boxOf:))
  }

  public var framesInFlight: Int { meshes != nil || scheduled != nil ? 2 : 1 }

  public mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    if try meshes?.start(frame, with: &finder, timer: timer) != nil { return }
    if try scheduled?.start(frame, with: &finder, timer: timer) != nil { return }
    inFlight.append(try finder.start(on: frame, timer: timer))
  }

  public mutating func finish(timer: any StepTimer) throws -> Observations {
    if let faces = try meshes?.finish(with: &finder, timer: timer) { return Observations(faces: faces) }
    if let found = try scheduled?.finish(with: &finder, timer: timer) {
      return Observations(faces: found.map(DetectedFace.init(boxOf:)))
    }
    let search = inFlight.removeFirst()
    return Observations(faces: try faces(in: search.frame, search, timer))
  }
}
