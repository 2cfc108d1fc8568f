package import VStreamCore
package import VStreamInference
package import VStreamMedia

/// Detects the poses of people: 33 landmarks each, in three dimensions, without IDs.
///
/// In stream mode a person is tracked by their landmarks, and the detector runs only for others: while nobody is tracked,
/// when a person is lost, and every `searchInterval` while fewer than `maxPoses` are tracked. If several are wanted, it runs on
/// crops of the frame as well as the whole: on all of them in accurate and single-image mode and on a stream's first frame,
/// then on one after the other. Two tracked bodies that coincide are merged.
///
/// A person is searched for where their landmarks were two frames before, so that two frames can be in flight; one who has
/// just been detected, where they were on the frame before.
///
/// One owner at a time, in stream mode one for each stream, its frames in their order; the models are shared.
package struct PoseDetectionStage: OverlappingDetecting {
  package let options: PoseDetectorOptions
  private let interval: SearchInterval
  private var finder: PoseFinder
  private var passes: LandmarkPasses
  private var tracked: [TrackedPose] = []
  /// The crops for tracked people on the next two frames, with the people's numbers.
  private var plannedCrops = PlannedSearches<(person: Int, crop: RotatedBox)>()
  private var inFlight: [InFlightFrame] = []
  private var peopleCount = 0
  /// Stream time of the last search for new people; `nil` before the first.
  private var lastSearch: Double?
  private var searchCount = 0

  private struct InFlightFrame {
    let frame: VideoFrame
    var passes: [(person: Int, pass: LandmarkPasses.Pass)] = []
  }

  /// The lowest score of a person's landmarks.
  private static let minimumBodyScore = 0.5
  /// Results with a side of this length or more, in pixels, are discarded as invalid.
  private static let sizeLimit = 1e5

  /// - Throws: `VStreamError.missingDependency` if a model has other inputs or outputs than expected.
  package init(_ models: PoseModels, options: PoseDetectorOptions) throws(VStreamError) {
    self.options = options
    interval = SearchInterval(seconds: options.searchSeconds)
    finder = try PoseFinder(models.finder, minimumScore: options.minimumScore)
    passes = try LandmarkPasses(models.landmarks, addsMirrored: options.performanceMode == .accurate)
  }

  package mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    Detections(poses: try poses(in: frame, timer: timer))
  }

  /// The poses in a frame, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled or a network fails.
  package mutating func poses(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedPose] {
    try start(frame, timer: timer)
    return try finishPoses(timer)
  }

  package var framesInFlight: Int { 2 }

  package mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    var started = InFlightFrame(frame: frame)
    for (person, crop) in plannedCrops.start(inShot: frame.shot).searches where Self.isValid(crop, in: frame) {
      started.passes.append((person, try passes.start(on: frame, crop: crop, timer: timer)))
    }
    inFlight.append(started)
  }

  package mutating func finish(timer: any StepTimer) throws -> Detections {
    Detections(poses: try finishPoses(timer))
  }

  private mutating func finishPoses(_ timer: any StepTimer) throws -> [DetectedPose] {
    let started = inFlight.removeFirst()
    if plannedCrops.finish(inShot: started.frame.shot) { (tracked, lastSearch) = ([], nil) }
    defer { plannedCrops.add(tracked.map { ($0.number, $0.nextCrop) }) }
    let (frame, seconds) = (started.frame, started.frame.time.seconds)
    let isLost = try update(started, timer)
    if isLost || isSearchDue(at: seconds) {
      try search(frame, timer)
      lastSearch = seconds
    }
    let poses = tracked.map(\.smoothed.pose).sorted { $0.score > $1.score }
    if options.detectorMode == .singleImage { tracked = [] }
    return poses
  }

  /// Updates the tracked people with their landmarks on the next frame.
  ///
  /// - Returns: whether one of them was lost.
  private mutating func update(_ started: InFlightFrame, _ timer: any StepTimer) throws -> Bool {
    var bodies: [Int: BodyLandmarks] = [:]
    for (person, pass) in started.passes { bodies[person] = try passes.finish(pass, timer: timer) }
    let before = tracked
    tracked = []
    for var pose in before {
      let body = try bodies[pose.number] ?? newBody(in: started.frame, crop: pose.nextCrop, timer)
      guard let body, isNew(body, in: started.frame) else { continue }
      pose.update(body, at: started.frame.time.seconds)
      tracked.append(pose)
    }
    return tracked.count < before.count
  }

  // MARK: Search for new people

  private func isSearchDue(at seconds: Double) -> Bool {
    guard let lastSearch, !tracked.isEmpty, options.performanceMode == .base else { return true }
    return tracked.count < options.maxPoses && interval.isOver(since: lastSearch, at: seconds)
  }

  /// Searches for people who are not tracked yet, and tracks them from now on.
  private mutating func search(_ frame: VideoFrame, _ timer: any StepTimer) throws {
    try search(frame, crop: Box.square(around: frame.size), minimumScore: options.minimumScore, timer)
    let raised = PoseCrops.raised(options.minimumScore)
    for crop in nextCrops(of: frame.size) where tracked.count < options.maxPoses {
      try search(frame, crop: crop, minimumScore: raised, timer)
    }
  }

  /// The crops that are searched beside the whole frame: of a stream, one at each search after the first.
  private mutating func nextCrops(of frame: PixelSize) -> [Box] {
    guard options.maxPoses > 1 else { return [] }
    let all = PoseCrops.crops(of: frame)
    if lastSearch == nil || options.performanceMode == .accurate || options.detectorMode == .singleImage { return all }
    searchCount += 1
    return [all[searchCount % all.count]]
  }

  private mutating func search(
    _ frame: VideoFrame, crop: Box, minimumScore: Double, _ timer: any StepTimer
  ) throws {
    for candidate in try finder.candidates(in: frame, region: crop, timer: timer) {
      guard tracked.count < options.maxPoses else { return }
      guard candidate.score >= minimumScore, !tracked.contains(where: { $0.isSame(as: candidate) }),
        var body = try newBody(in: frame, crop: candidate.landmarkCrop, timer)
      else { continue }
      if options.performanceMode == .accurate {
        // Landmarks locate the body more precisely than the detector does.
        guard let refined = try newBody(in: frame, crop: body.nextCrop, timer) else { continue }
        body = refined
      }
      peopleCount += 1
      tracked.append(
        TrackedPose(body, number: peopleCount, isSmoothed: options.isSmoothed, at: frame.time.seconds))
    }
  }

  /// The body in a crop of the frame; `nil` if there is none, or it is that of a tracked person.
  private mutating func newBody(
    in frame: VideoFrame, crop: RotatedBox, _ timer: any StepTimer
  ) throws -> BodyLandmarks? {
    guard Self.isValid(crop, in: frame) else { return nil }
    let body = try passes.finish(try passes.start(on: frame, crop: crop, timer: timer), timer: timer)
    return isNew(body, in: frame) ? body : nil
  }

  private static func isValid(_ crop: RotatedBox, in frame: VideoFrame) -> Bool {
    crop.width > 1 && crop.width < sizeLimit && crop.angle.isFinite && crop.upright.clipped(to: frame.size) != nil
  }

  /// Whether landmarks are those of a person in the frame, other than the tracked ones.
  private func isNew(_ body: BodyLandmarks, in frame: VideoFrame) -> Bool {
    body.score >= Self.minimumBodyScore && body.box.width < Self.sizeLimit && body.box.height < Self.sizeLimit
      && body.box.clipped(to: frame.size) != nil && body.size > 0 && !tracked.contains { $0.isSame(as: body) }
  }
}

/// The networks that pose detection needs, loaded once and shared by all stages.
package struct PoseModels: Sendable {
  let finder: Model
  let landmarks: Model

  /// Loads them from the catalogue's folders.
  ///
  /// - Throws: `VStreamError.missingDependency` if a model does not exist or cannot be read.
  package init(configuration: ModelConfiguration) throws(VStreamError) {
    finder = try Model(path: try ModelCatalogue.poseDetector.requirePath(), configuration: configuration)
    landmarks = try Model(path: try ModelCatalogue.poseLandmarks.requirePath(), configuration: configuration)
  }
}

/// The crops of a frame that are searched for people beside the whole, if several are wanted: the detector is trained for
/// one person, and may not detect any of several side by side.
enum PoseCrops {
  /// Side of a crop, as a fraction of the frame's longer side. With larger or smaller ones, fewer people were detected in
  /// portraits side by side.
  private static let sideFraction = 0.6
  /// How much the minimum score is raised for crops, as a fraction of its distance to 1: more passes give more false
  /// detections.
  private static let scoreRaise = 0.2

  static func crops(of frame: PixelSize) -> [Box] {
    let side = sideFraction * Double(max(frame.width, frame.height))
    return Box.crops(covering: frame, side: side, overlap: side / 2)
  }

  /// The minimum score of a person in a crop.
  ///
  /// - Parameter minimumScore: the lowest score of a person in the whole frame.
  static func raised(_ minimumScore: Double) -> Double { minimumScore + scoreRaise * (1 - minimumScore) }
}

/// The passes of the landmark network, several in flight at once. One owner at a time; the model is shared.
struct LandmarkPasses {
  /// A pass in flight.
  struct Pass {
    fileprivate let unmirrored: BodyNetwork
    fileprivate let mirrored: BodyNetwork?
  }

  /// Whether each crop is also run mirrored, and the results are averaged.
  private let addsMirrored: Bool
  private var networks: NetworkPool<BodyNetwork>

  init(_ model: Model, addsMirrored: Bool) throws(VStreamError) {
    self.addsMirrored = addsMirrored
    networks = try NetworkPool { () throws(VStreamError) in try BodyNetwork(model) }
  }

  mutating func start(on frame: VideoFrame, crop: RotatedBox, timer: any StepTimer) throws -> Pass {
    func started(isMirrored: Bool) throws -> BodyNetwork {
      var network = try networks.take()
      try network.start(on: frame, crop: crop, isMirrored: isMirrored, timer: timer)
      return network
    }
    let unmirrored = try started(isMirrored: false)
    return Pass(unmirrored: unmirrored, mirrored: addsMirrored ? try started(isMirrored: true) : nil)
  }

  /// Waits for the body of a pass.
  mutating func finish(_ pass: Pass, timer: any StepTimer) throws -> BodyLandmarks {
    let body = try pass.unmirrored.finish(timer: timer)
    networks.putBack(pass.unmirrored)
    guard let network = pass.mirrored else { return body }
    let other = try network.finish(timer: timer)
    networks.putBack(network)
    return body.mean(with: other)
  }
}
