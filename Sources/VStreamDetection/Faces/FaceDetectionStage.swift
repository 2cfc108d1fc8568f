internal import VStreamInference
public import VStreamMedia
public import VStreamScene

/// Finds faces, any number of them: boxes, head angles, landmarks, contours and expressions, without IDs.
///
/// In stream mode a face that was found is followed by its mesh from its last points, and the detector looks only for new
/// faces: every `searchInterval`, when one is lost, and while there is none. A face of which no mesh can be made, being small or seen from the
/// side, is reported by its box alone. Where nothing is asked for that a mesh tells, the detector looks at the whole of every
/// frame; where that is not all (`accurate`), in stream mode, it looks closer wherever a face was, and at the rest in turns, all
/// of it every `searchInterval`.
///
/// `detect` and `faces` seek a face where it was on the frame before; `begin` and `end`, where it was two frames before, so
/// that two frames can be looked at side by side, and if it is not there, where it was on the frame before.
///
/// One owner at a time, in stream mode one for each stream, its frames in their order; the models are shared.
public struct FaceDetectionStage: OverlappingDetecting {
  public let options: FaceDetectorOptions
  private var finder: FaceFinder
  /// Where boxes are all that is asked for, and frames are looked at in turns.
  private var sweep: FaceSweep?
  /// `nil` where boxes are all that is asked for.
  private var meshes: NetworkPool<FaceMeshNetwork>?
  private var eyes: EyeNetwork?
  private var followed: [TrackedFaceMesh] = []
  private var faceCount = 0
  /// What is known of the next frames that are begun.
  private var plans = [Plan(), Plan()]
  private var begun: [InFlightFrame] = []
  /// Stream time of the last look for new faces that was begun ahead, and of the last that was taken; `nil` before the first.
  private var lastBegunSearch: Double?
  private var lastSearch: Double?
  /// Those that the last look found and that cannot be followed.
  private var unfollowed: [UnfollowedFace] = []

  /// How a frame is begun with.
  private struct Plan {
    /// Where followed faces are sought, by their numbers.
    var regions: [(face: Int, region: RotatedBox)] = []
    /// Whether new faces are looked for, whatever the time.
    var isSearchWanted = false
    /// When they were last.
    var lastSearch: Double?
  }

  /// A frame that is being looked at.
  private struct InFlightFrame {
    let frame: VideoFrame
    /// By the numbers of faces.
    var looks: [Int: FaceMeshNetwork] = [:]
    /// The look for new faces; `nil` if that was not begun ahead.
    var search: FaceFinder.Looks?
  }

  /// A face of which no mesh can be made.
  private struct UnfollowedFace {
    let box: Box
    /// When that was tried, in seconds of the stream.
    let tried: Double
  }

  /// The lowest score of a mesh that is one of a face.
  private static let minimumMeshScore = 0.5
  /// Meshes whose boxes overlap more than this are of one face.
  private static let duplicateIoU = 0.5
  /// Times that are equal but for rounding count as equal.
  private static let timeTolerance = 1e-6

  /// - Throws: `VStreamError.missingDependency` if a model is another than it should be.
  public init(_ models: FaceModels, options: FaceDetectorOptions) throws(VStreamError) {
    self.options = options
    finder = try FaceFinder(models.finder, options)
    if options.needsMesh, let mesh = models.mesh {
      meshes = try NetworkPool { () throws(VStreamError) in try FaceMeshNetwork(mesh) }
    }
    if options.classificationMode == .all, let eye = models.eye { eyes = try EyeNetwork(eye) }
    if options.rotatesCrops { sweep = FaceSweep(interval: options.searchInterval) }
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    Observations(faces: try faces(in: frame, timer: timer))
  }

  /// The faces in a frame, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be looked at or a network fails.
  public mutating func faces(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedFace] {
    if let faces = try sweep?.faces(in: frame, with: &finder, timer: timer) { return faces.map(Self.boxed) }
    guard meshes != nil else { return try boxes(in: frame, timer) }
    return try faces(in: try begun(frame, nextPlan, timer), timer)
  }

  public var mayOverlap: Bool { meshes != nil || sweep != nil }

  public mutating func begin(_ frame: VideoFrame, timer: any StepTimer) throws {
    if try sweep?.begin(frame, with: &finder, timer: timer) != nil { return }
    begun.append(try begun(frame, plans[0], timer))
    plans.removeFirst()
  }

  public mutating func end(timer: any StepTimer) throws -> Observations {
    if let faces = try sweep?.end(with: &finder, timer: timer) { return Observations(faces: faces.map(Self.boxed)) }
    let begun = begun.removeFirst()
    defer { plans.append(nextPlan) }
    return Observations(faces: try meshes == nil ? boxes(in: begun.frame, timer) : faces(in: begun, timer))
  }

  private mutating func boxes(in frame: VideoFrame, _ timer: any StepTimer) throws -> [DetectedFace] {
    try foundFaces(in: frame, timer).map(Self.boxed)
  }

  /// What all looks at a frame find.
  private mutating func foundFaces(in frame: VideoFrame, _ timer: any StepTimer) throws -> [FaceCandidate] {
    try finder.finish(finder.start(in: frame, timer: timer), timer: timer)
  }

  /// A face of which the box is all that is known.
  private static func boxed(_ face: FaceCandidate) -> DetectedFace { DetectedFace(score: face.score, box: face.box) }

  /// How a later frame is to be begun with, by what is known now.
  private var nextPlan: Plan {
    guard options.detectorMode == .stream else { return Plan(isSearchWanted: true) }
    return Plan(
      regions: followed.map { ($0.number, $0.mesh.nextRegion) },
      isSearchWanted: followed.isEmpty || !unfollowed.isEmpty, lastSearch: lastSearch)
  }

  private mutating func begun(
    _ frame: VideoFrame, _ plan: Plan, _ timer: any StepTimer
  ) throws -> InFlightFrame {
    var begun = InFlightFrame(frame: frame)
    for (face, region) in plan.regions { begun.looks[face] = try startMesh(in: frame, region: region, timer) }
    let seconds = frame.time.seconds
    let isDue = plan.lastSearch.map { hasSearchInterval(since: max($0, lastBegunSearch ?? $0), seconds) } ?? false
    if plan.isSearchWanted || isDue {
      if finder.isSinglePass { begun.search = try finder.start(in: frame, timer: timer) }
      lastBegunSearch = seconds
    }
    return begun
  }

  private mutating func faces(in begun: InFlightFrame, _ timer: any StepTimer) throws -> [DetectedFace] {
    let (frame, seconds) = (begun.frame, begun.frame.time.seconds)
    var boxes: [DetectedFace] = []
    var isLost = false
    if options.detectorMode == .stream { isLost = try follow(begun, at: seconds, timer) } else { followed = [] }
    if begun.search != nil || isLost || isSearchDue(at: seconds) {
      let candidates = try begun.search.map { try finder.finish($0, timer: timer) }
      let new = try take(candidates ?? foundFaces(in: frame, timer), in: frame, at: seconds, timer)
      boxes = new.map(Self.boxed)
      lastSearch = seconds
    }
    return try (boxes + followed.map { try described($0, in: frame, timer) }).sorted { $0.score > $1.score }
  }

  private func isSearchDue(at seconds: Double) -> Bool {
    guard options.detectorMode == .stream, let lastSearch, unfollowed.isEmpty, !followed.isEmpty else { return true }
    return hasSearchInterval(since: lastSearch, seconds)
  }

  private func hasSearchInterval(since last: Double, _ seconds: Double) -> Bool {
    let passed = seconds - last
    return passed < 0 || passed > options.searchInterval - Self.timeTolerance
  }

  /// Finds the faces of the frame before again.
  ///
  /// - Returns: whether one of them was lost.
  private mutating func follow(_ begun: InFlightFrame, at seconds: Double, _ timer: any StepTimer) throws -> Bool {
    var seen: [Int: FaceMesh] = [:]
    for (face, look) in begun.looks { seen[face] = try finishMesh(look, timer) }
    let before = followed
    followed = []
    for var face in before {
      var sight = seen[face.number].flatMap { isFace($0, in: begun.frame) ? $0 : nil }
      if sight == nil { sight = try mesh(in: begun.frame, region: face.mesh.nextRegion, timer) }
      guard let sight else { continue }
      face.follow(sight, at: seconds)
      followed.append(face)
    }
    return followed.count < before.count
  }

  /// The mesh of a face in a square of the frame; `nil` if there is none, or it is one that is followed already.
  private mutating func mesh(
    in frame: VideoFrame, region: RotatedBox, _ timer: any StepTimer
  ) throws -> FaceMesh? {
    guard let look = try startMesh(in: frame, region: region, timer) else { return nil }
    let mesh = try finishMesh(look, timer)
    return isFace(mesh, in: frame) ? mesh : nil
  }

  private mutating func startMesh(
    in frame: VideoFrame, region: RotatedBox, _ timer: any StepTimer
  ) throws -> FaceMeshNetwork? {
    guard var network = try meshes?.take() else { return nil }
    try network.start(in: frame, region: region, timer: timer)
    return network
  }

  private mutating func finishMesh(_ network: FaceMeshNetwork, _ timer: any StepTimer) throws -> FaceMesh {
    let mesh = try network.finish(timer: timer)
    meshes?.giveBack(network)
    return mesh
  }

  /// Whether a mesh is that of a face in the frame, and of none that has another mesh already.
  private func isFace(_ mesh: FaceMesh, in frame: VideoFrame) -> Bool {
    let box = mesh.box
    return mesh.score >= Self.minimumMeshScore && box.width < 1e5 && box.height < 1e5
      && box.clipped(to: frame.size) != nil && !followed.contains { $0.mesh.box.iou(box) > Self.duplicateIoU }
  }

  /// Takes what was found, and follows from now on what is not followed yet.
  ///
  /// - Returns: those that cannot be followed. It is tried anew every `searchInterval`.
  private mutating func take(
    _ candidates: [FaceCandidate], in frame: VideoFrame, at seconds: Double, _ timer: any StepTimer
  ) throws -> [FaceCandidate] {
    let known = followed.count
    let before = unfollowed
    unfollowed = []
    var boxes: [FaceCandidate] = []
    for candidate in candidates {
      if let index = followed.indices.prefix(known).first(where: { followed[$0].isSame(as: candidate.box) }) {
        followed[index].confirm(candidate)
        continue
      }
      let tried = before.first { $0.box.iou(candidate.box) > Self.duplicateIoU }?.tried
      let isTried = tried.map { !hasSearchInterval(since: $0, seconds) } ?? false
      if !isTried, let mesh = try mesh(in: frame, region: candidate.meshRegion, timer) {
        faceCount += 1
        followed.append(
          TrackedFaceMesh(mesh, number: faceCount, foundBy: candidate, isSmoothed: options.isSmoothed, at: seconds))
      } else {
        unfollowed.append(UnfollowedFace(box: candidate.box, tried: isTried ? tried ?? seconds : seconds))
        boxes.append(candidate)
      }
    }
    return boxes
  }

  /// All that is asked for of a face.
  private mutating func described(
    _ followed: TrackedFaceMesh, in frame: VideoFrame, _ timer: any StepTimer
  ) throws -> DetectedFace {
    let mesh = followed.steady
    var face = DetectedFace(score: followed.score, box: followed.box)
    let needsPose = options.angleMode == .all || options.classificationMode == .all
    let pose = needsPose ? HeadPose(mesh.points) : nil
    if options.angleMode == .all { face.angles = pose?.angles }
    if options.landmarkMode == .all { face.landmarks = FaceMeshMap.landmarks(of: mesh) }
    if options.contourMode == .all { face.contours = FaceMeshMap.contours(of: mesh) }
    guard options.classificationMode == .all else { return face }
    face.smiling = pose.map { FaceExpression.smiling(mesh, $0) }
    face.rightEyeOpen = try open(
      mesh[FaceMeshMap.rightEyeOuterCorner], mesh[FaceMeshMap.rightEyeInnerCorner], isMirrored: true, frame, timer)
    face.leftEyeOpen = try open(
      mesh[FaceMeshMap.leftEyeInnerCorner], mesh[FaceMeshMap.leftEyeOuterCorner], isMirrored: false, frame, timer)
    return face
  }

  /// How likely the eye between two corners is open.
  private mutating func open(
    _ right: Point, _ left: Point, isMirrored: Bool, _ frame: VideoFrame, _ timer: any StepTimer
  ) throws -> Double? {
    let openness = try eyes?.openness(in: frame, from: right, to: left, isMirrored: isMirrored, timer: timer)
    return openness.map(FaceExpression.open)
  }
}
