package import VStreamCore
internal import VStreamTracking

/// Plans the regions of each frame that are searched for objects, from the tracks of earlier frames.
///
/// A plan is made from the tracks as they were `framesInFlight` frames before, however many results have arrived since: it
/// depends on the frames and their results only.
package struct ObjectSearchPlanner {
  private let framesInFlight: Int
  private var planner: InferencePlanner
  /// The network's runs for the next frame, on average.
  package var passes: Double {
    get { planner.passes }
    set { planner.passes = newValue }
  }
  /// Whether gaps between frames are undecoded frames without motion.
  package var idlesInGaps = false
  /// Whether the last planned frame had no motion and nothing new.
  package private(set) var isStill = false
  private var ignored = IgnoredMotion()
  /// The motion that is searched in the frames whose results have not been added.
  private var searchedMotion: [[Box]] = []
  private var tracker: Tracker
  /// The results that the tracker has not been given yet.
  private var results: [Result] = []
  /// Of the frame before.
  private var last: (motion: MotionMap, time: Double)?
  /// Of the last frame that was planned.
  private var shot = 0
  private var planCount = 0
  private var resultCount = 0

  private struct Result {
    let index: Int
    let time: Double
    let shot: Int
    let objects: [DetectedObject]
    let search: FrameSearch
  }

  /// How far tracks reach beyond their boxes when motion is attributed to them, in fractions of the box.
  private static let trackMargin = 0.2
  /// The farthest that motion gets from frame to frame, in fractions of its box, and the most seconds between such frames.
  private static let motionMargin = 0.5
  private static let motionInterval = 0.06
  /// Seconds between frames from which on there were others that were not decoded.
  private static let longestInterval = 0.5
  /// The least score of a detection that is taken for an object where something moves, as a fraction of the minimum score.
  private static let plausibleScore = 0.7

  /// - Parameters:
  ///   - passes: the network's runs for a frame, on average.
  ///   - inputs: the sizes of the network's input.
  ///   - tracking: options of the tracker whose tracks plans are made from.
  ///   - framesInFlight: a constant of the run: other values give other plans.
  init(passes: Double, inputs: SearchInputs, tracking: TrackerOptions, framesInFlight: Int) {
    self.framesInFlight = max(1, framesInFlight)
    planner = InferencePlanner(passes: passes, inputs: inputs)
    tracker = Tracker(tracking)
  }

  /// The regions of the next frame.
  ///
  /// - Parameters:
  ///   - frame: its size, upright.
  ///   - time: its stream time in seconds.
  ///   - motion: where something moves in it.
  ///   - shot: the number of its shot.
  package mutating func plan(_ frame: PixelSize, at time: Double, motion: MotionMap, shot: Int = 0) -> FrameSearch {
    while let result = results.first, result.index <= planCount - framesInFlight {
      results.removeFirst()
      tracker.change(toShot: result.shot)
      _ = tracker.update(result.objects, searched: result.search, at: result.time)
    }
    tracker.change(toShot: shot)
    if shot != self.shot {
      self.shot = shot
      last = nil
      planner.restart()
    }
    planCount += 1
    if idlesInGaps, let last, isStill, time - last.time > Self.longestInterval {
      tracker.idle(until: time) { !motion.hasMotion(in: $0.buffered(by: Self.trackMargin)) }
    }
    var scene = InferencePlanner.Scene(frame: frame, time: time)
    let snapshots = tracker.snapshots(at: time)
    scene.tracks = snapshots.map { track in
      InferencePlanner.TrackedObject(
        box: track.object.box, isTentative: track.object.id == nil, isLost: track.isLost,
        isMoving: motion.hasMotion(in: track.object.box), scale: track.searchScale,
        wholeSearches: track.wholeSearches, observedAt: track.observedAt)
    }
    scene.moving = motion.regions(outside: snapshots.map { $0.object.box.buffered(by: Self.trackMargin) }).filter {
      wasMoving(near: $0, before: time)
    }
    scene.isGlobal = motion.isGlobal
    last = (motion, time)
    let search = planner.plan(scene)
    searchedMotion.append(planner.searchedMotion)
    scene.moving.removeAll(where: ignored.contains)
    isStill = scene.isStill
    return search
  }

  /// Whether anything moved near a box on the frame before, if that was just before: noise does not last.
  private func wasMoving(near box: Box, before time: Double) -> Bool {
    guard let last, time - last.time <= Self.motionInterval else { return true }
    return last.motion.hasMotion(in: box.buffered(by: Self.motionMargin))
  }

  /// Adds the result of the oldest planned frame that has none yet.
  ///
  /// - Parameter shot: the number of its shot.
  package mutating func add(_ objects: [DetectedObject], foundBy search: FrameSearch, at time: Double, shot: Int = 0) {
    ignored.add(searchedMotion.removeFirst(), found: objects.filter(isPlausible).map(\.box), at: time)
    results.append(Result(index: resultCount, time: time, shot: shot, objects: objects, search: search))
    resultCount += 1
  }

  /// Whether a detection may be an object, however doubtful.
  private func isPlausible(_ object: DetectedObject) -> Bool {
    object.score >= Self.plausibleScore * tracker.options.minimumScore
  }
}
