internal import VStreamInference
public import VStreamMedia
public import VStreamScene

/// Finds the poses of people: 33 landmarks each, in three dimensions, without IDs.
///
/// In stream mode a person who was found is followed by their landmarks, and the detector looks only for others: while there
/// is nobody, when somebody is lost, and every `searchInterval` while fewer than `maxPoses` are followed. Where several are
/// wanted, it looks at squares of the frame as well as the whole: at all of them in accurate and single-image mode and on a
/// stream's first frame, then at one after the other. Two followed bodies that come to lie on one person are made one.
///
/// A person is sought where their landmarks were two frames before, so that two frames can be looked at side by side; one who
/// has just been found, where they were on the frame before.
///
/// One owner at a time, in stream mode one for each stream, its frames in their order; the models are shared.
public struct PoseDetectionStage: OverlappingDetecting {
  public let options: PoseDetectorOptions
  private var finder: PoseFinder
  private var looks: LandmarkPasses
  private var followed: [TrackedPose] = []
  /// Where those who are followed are sought on the next frames, by their numbers.
  private var plans: [[(person: Int, region: RotatedBox)]] = [[], []]
  private var begun: [InFlightFrame] = []
  private var peopleCount = 0
  /// Stream time of the last look for new people; `nil` before the first.
  private var lastSearch: Double?
  private var searchCount = 0

  /// A frame that is being looked at.
  private struct InFlightFrame {
    let frame: VideoFrame
    var looks: [(person: Int, look: LandmarkPasses.Look)] = []
  }

  /// The lowest score of landmarks that are those of a person.
  private static let minimumBodyScore = 0.5
  /// Times that are equal but for rounding count as equal.
  private static let timeTolerance = 1e-6

  /// - Throws: `VStreamError.missingDependency` if a model is another than it should be.
  public init(_ models: PoseModels, options: PoseDetectorOptions) throws(VStreamError) {
    self.options = options
    finder = try PoseFinder(models.finder, minimumScore: options.minimumScore)
    looks = try LandmarkPasses(models.landmarks, mirrorsPass: options.performanceMode == .accurate)
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    Observations(poses: try poses(in: frame, timer: timer))
  }

  /// The poses in a frame, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be looked at or a network fails.
  public mutating func poses(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedPose] {
    try begin(frame, timer: timer)
    return try endPoses(timer)
  }

  public var mayOverlap: Bool { true }

  public mutating func begin(_ frame: VideoFrame, timer: any StepTimer) throws {
    var begun = InFlightFrame(frame: frame)
    for (person, region) in plans[0] where Self.isSearchable(region, in: frame) {
      begun.looks.append((person, try looks.start(in: frame, region: region, timer: timer)))
    }
    self.begun.append(begun)
    plans.removeFirst()
  }

  public mutating func end(timer: any StepTimer) throws -> Observations {
    Observations(poses: try endPoses(timer))
  }

  private mutating func endPoses(_ timer: any StepTimer) throws -> [DetectedPose] {
    let begun = begun.removeFirst()
    defer { plans.append(followed.map { ($0.number, $0.nextRegion) }) }
    let (frame, seconds) = (begun.frame, begun.frame.time.seconds)
    let isLost = try follow(begun, timer)
    if isLost || isSearchDue(at: seconds) {
      try search(in: frame, at: seconds, timer)
      lastSearch = seconds
    }
    let found = followed.map(\.steady.pose).sorted { $0.score > $1.score }
    if options.detectorMode == .singleImage { followed = [] }
    return found
  }

  private func isSearchDue(at seconds: Double) -> Bool {
    guard let lastSearch, !followed.isEmpty, options.performanceMode == .base else { return true }
    guard followed.count < options.maxPoses else { return false }
    let passed = seconds - lastSearch
    return passed < 0 || passed > options.searchInterval - Self.timeTolerance
  }

  /// Finds the people of the frame before again.
  ///
  /// - Returns: whether one of them was lost.
  private mutating func follow(_ begun: InFlightFrame, _ timer: any StepTimer) throws -> Bool {
    var sights: [Int: BodyLandmarks] = [:]
    for (person, look) in begun.looks { sights[person] = try looks.finish(look, timer: timer) }
    let before = followed
    followed = []
    for var pose in before {
      let sight = try sights[pose.number] ?? body(in: begun.frame, region: pose.nextRegion, timer)
      guard let sight, isNewBody(sight, in: begun.frame) else { continue }
      pose.follow(sight, at: begun.frame.time.seconds)
      followed.append(pose)
    }
    return followed.count < before.count
  }

  /// Looks for people who are not followed yet, and follows them from now on.
  private mutating func search(in frame: VideoFrame, at seconds: Double, _ timer: any StepTimer) throws {
    try search(in: frame, region: Box.square(around: frame.size), at: seconds, timer)
    for square in squares(of: frame.size) where followed.count < options.maxPoses {
      try search(in: frame, region: square, moreConfident: PoseCrops.moreConfident, at: seconds, timer)
    }
  }

  /// The squares of a frame that are looked at beside the whole: of a stream one at each search, after the first.
  private mutating func squares(of frame: PixelSize) -> [Box] {
    guard options.maxPoses > 1 else { return [] }
    let all = PoseCrops.squares(of: frame)
    if lastSearch == nil || options.performanceMode == .accurate || options.detectorMode == .singleImage { return all }
    searchCount += 1
    return [all[searchCount % all.count]]
  }

  private mutating func search(
    in frame: VideoFrame, region: Box, moreConfident: Double = 0, at seconds: Double, _ timer: any StepTimer
  ) throws {
    for candidate in try finder.candidates(in: frame, region: region, timer: timer) {
      guard followed.count < options.maxPoses else { return }
      guard candidate.score >= options.minimumScore + moreConfident * (1 - options.minimumScore),
        !followed.contains(where: { $0.isSame(as: candidate) }),
        var body = try body(in: frame, region: candidate.region, timer)
      else { continue }
      if options.performanceMode == .accurate {
        // The landmarks tell better than the detector where the body is.
        guard let closer = try self.body(in: frame, region: body.nextRegion, timer) else { continue }
        body = closer
      }
      peopleCount += 1
      followed.append(TrackedPose(body, number: peopleCount, isSmoothed: options.isSmoothed, at: seconds))
    }
  }

  /// The body in a square of the frame; `nil` if there is none, or if it is one that is followed already.
  private mutating func body(
    in frame: VideoFrame, region: RotatedBox, _ timer: any StepTimer
  ) throws -> BodyLandmarks? {
    guard Self.isSearchable(region, in: frame) else { return nil }
    let body = try looks.finish(try looks.start(in: frame, region: region, timer: timer), timer: timer)
    return isNewBody(body, in: frame) ? body : nil
  }

  private static func isSearchable(_ region: RotatedBox, in frame: VideoFrame) -> Bool {
    region.width > 1 && region.width < 1e5 && region.angle.isFinite && region.upright.clipped(to: frame.size) != nil
  }

  /// Whether landmarks are those of a person in the frame, of whom none are known already.
  private func isNewBody(_ body: BodyLandmarks, in frame: VideoFrame) -> Bool {
    body.score >= Self.minimumBodyScore && body.box.width < 1e5 && body.box.height < 1e5
      && body.box.clipped(to: frame.size) != nil && body.size > 0 && !followed.contains { $0.isSame(as: body) }
  }
}
