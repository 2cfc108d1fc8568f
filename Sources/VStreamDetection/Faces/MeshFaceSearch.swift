internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

/// Detects faces and computes their meshes.
///
/// In stream mode a face is tracked by its mesh, without the detector, which searches for new faces (`FaceFinder`). A face without
/// a mesh, being small or in profile, is reported by its box alone. One owner at a time, in stream mode one for each stream,
/// its frames in their order.
struct MeshFaceSearch {
  private let options: FaceDetectorOptions
  private let interval: SearchInterval
  private var tracker: FaceMeshTracker
  private var describer: FaceDescriber
  /// The crops of the tracked faces in the next two frames.
  private var plannedCrops = PlannedSearches<(face: Int, crop: RotatedBox)>()
  private var inFlight: [InFlightFrame] = []
  /// Faces of the last frame that have no mesh.
  private var untracked: [UntrackedFace] = []

  private struct InFlightFrame {
    let frame: VideoFrame
    var passes: FaceMeshTracker.Passes
    var search: FaceFinder.Search
  }

  /// A face without a mesh.
  private struct UntrackedFace {
    let box: Box
    /// Time of the last attempt to compute one, in seconds of the stream.
    let lastAttempt: Double
  }

  init(_ options: FaceDetectorOptions, meshModel: Model, eyeModel: Model?) throws(VStreamError) {
    self.options = options
    interval = SearchInterval(seconds: options.searchSeconds)
    tracker = try FaceMeshTracker(meshModel, isSmoothed: options.isSmoothed)
    describer = try FaceDescriber(options, eyeModel: eyeModel)
  }

  /// Starts on the next frame. At most two frames are in flight.
  mutating func start(_ frame: VideoFrame, with finder: inout FaceFinder, timer: any StepTimer) throws {
    let crops = plannedCrops.start(inShot: frame.shot).searches
    inFlight.append(try started(frame, crops, &finder, timer))
  }

  /// The faces in the frame that has been in flight longest, best first.
  mutating func finish(with finder: inout FaceFinder, timer: any StepTimer) throws -> [DetectedFace] {
    let started = inFlight.removeFirst()
    if plannedCrops.finish(inShot: started.frame.shot) {
      tracker.removeAll()
      untracked = []
    }
    defer { plannedCrops.add(options.detectorMode == .stream ? tracker.plannedCrops : []) }
    return try faces(in: started, &finder, timer)
  }

  private mutating func started(
    _ frame: VideoFrame, _ crops: [(face: Int, crop: RotatedBox)], _ finder: inout FaceFinder, _ timer: any StepTimer
  ) throws -> InFlightFrame {
    let passes = try tracker.start(on: frame, crops, timer: timer)
    let search = try finder.start(on: frame, timer: timer)
    return InFlightFrame(frame: frame, passes: passes, search: search)
  }

  private mutating func faces(
    in started: InFlightFrame, _ finder: inout FaceFinder, _ timer: any StepTimer
  ) throws -> [DetectedFace] {
    var isLost = false
    if options.detectorMode == .stream {
      isLost = try tracker.update(with: started.passes, in: started.frame, timer: timer)
    } else {
      tracker.removeAll()
    }
    let candidates = try finder.finish(started.search, wholly: isLost, timer: timer)
    let boxes = try take(candidates, in: started.frame, timer).map(DetectedFace.init(boxOf:))
    finder.replaceKnown(untracked.map(\.box))
    return try (boxes + tracker.faces.map { try describer.described($0, in: started.frame, timer: timer) })
      .sorted { $0.score > $1.score }
  }

  /// Confirms tracked faces by the candidates of a search, and tracks new ones from now on.
  ///
  /// - Returns: the candidates without a mesh. It is retried every `searchInterval`.
  private mutating func take(
    _ candidates: [FaceCandidate], in frame: VideoFrame, _ timer: any StepTimer
  ) throws -> [FaceCandidate] {
    let seconds = frame.time.seconds
    let knownCount = tracker.faces.count
    let before = untracked
    untracked = []
    var boxes: [FaceCandidate] = []
    for candidate in candidates {
      if tracker.confirm(by: candidate, amongFirst: knownCount) { continue }
      let lastAttempt = before.first { $0.box.iou(candidate.box) > FaceMeshTracker.duplicateIoU }?.lastAttempt
      let isRecent = lastAttempt.map { !interval.isOver(since: $0, at: seconds) } ?? false
      if !isRecent, try tracker.add(candidate, in: frame, timer: timer) { continue }
      untracked.append(
        UntrackedFace(box: candidate.box, lastAttempt: isRecent ? lastAttempt ?? seconds : seconds))
      boxes.append(candidate)
    }
    return boxes
  }
}

extension DetectedFace {
  /// A face with nothing but its box and score.
  init(boxOf candidate: FaceCandidate) { self.init(score: candidate.score, box: candidate.box) }
}

/// Computes the requested properties from a face's mesh. One owner at a time.
struct FaceDescriber {
  private let options: FaceDetectorOptions
  private var eyes: EyeNetwork?

  /// - Parameter eyeModel: `nil` if the state of the eyes is not requested.
  init(_ options: FaceDetectorOptions, eyeModel: Model?) throws(VStreamError) {
    self.options = options
    if options.classificationMode == .all, let eyeModel { eyes = try EyeNetwork(eyeModel) }
  }

  mutating func described(
    _ tracked: TrackedFaceMesh, in frame: VideoFrame, timer: any StepTimer
  ) throws -> DetectedFace {
    let mesh = tracked.smoothed
    var face = DetectedFace(score: tracked.score, box: tracked.box)
    let needsPose = options.angleMode == .all || options.classificationMode == .all
    let pose = needsPose ? HeadPose(mesh.points) : nil
    if options.angleMode == .all { face.angles = pose?.angles }
    if options.landmarkMode == .all { face.landmarks = FaceMeshMap.landmarks(of: mesh) }
    if options.contourMode == .all { face.contours = FaceMeshMap.contours(of: mesh) }
    guard options.classificationMode == .all else { return face }
    face.smiling = pose.map { FaceExpression.smiling(mesh, $0) }
    face.rightEyeOpen = try eyeOpen(
      mesh[FaceMeshMap.rightEyeOuterCorner], mesh[FaceMeshMap.rightEyeInnerCorner], isMirrored: true, frame, timer)
    face.leftEyeOpen = try eyeOpen(
      mesh[FaceMeshMap.leftEyeInnerCorner], mesh[FaceMeshMap.leftEyeOuterCorner], isMirrored: false, frame, timer)
    return face
  }

  /// How likely the eye between two corners is open.
  private mutating func eyeOpen(
    _ right: Point, _ left: Point, isMirrored: Bool, _ frame: VideoFrame, _ timer: any StepTimer
  ) throws -> Double? {
    let openness = try eyes?.openness(in: frame, from: right, to: left, isMirrored: isMirrored, timer: timer)
    return openness.map(FaceExpression.open)
  }
}
