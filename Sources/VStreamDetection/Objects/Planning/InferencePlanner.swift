internal import VStreamCore
internal import VStreamTracking

/// Decides which regions of each frame the network is run on, within a budget of passes.
///
/// The whole frame is searched at regular intervals. The remaining budget goes to crops around known objects and
/// motion, each of the size at which the network detects such objects best, or to the whole frame where it detects most of
/// them reliably. Without motion or uncertainty, only the whole frame is searched, once a second.
///
/// Pure: plans depend only on the inputs of this call and of earlier ones.
struct InferencePlanner {
  /// Passes a frame, on average. May change from frame to frame, where these stand for different durations.
  var passes: Double
  /// The sizes of the network's input.
  let inputs: SearchInputs

  /// The input of a frame's plan.
  struct Scene {
    var frame: PixelSize
    /// Stream time in seconds.
    var time: Double
    /// The tracks of a fixed number of frames before, predicted for this one.
    var tracks: [TrackedObject] = []
    /// Boxes around motion outside tracks.
    var moving: [Box] = []
    /// Whether the whole image changed: the camera moved, or another scene began.
    var isGlobal = false

    /// Whether nothing moves, and nothing is new.
    var isStill: Bool {
      !isGlobal && moving.isEmpty && !tracks.contains { $0.isMoving || $0.isTentative && !$0.isLost }
    }
  }

  /// A track as the planner sees it.
  struct TrackedObject {
    var box: Box
    /// Whether it has no ID yet.
    var isTentative: Bool
    /// Whether the last search for it did not find it.
    var isLost: Bool
    /// Whether anything moves where it is.
    var isMoving: Bool
    /// Of the search that found it last.
    var scale: Double
    /// How many searches of the whole frame found it, of how many; recent ones count more.
    var wholeSearches = SearchCount()
    /// Stream time in seconds.
    var observedAt: Double
  }

  /// Passes that were not needed and may be made up for.
  private var saved = 0.0
  private var framesSinceWhole = 0
  /// Frames of a new scene whose whole is still to be searched.
  private var newFrames = Rule.newFrames
  private var wasGlobal = true
  private var lastTime = Double.infinity
  private var wholeAt = -Double.infinity
  /// The latest plans, newest last, and the moving regions that they show.
  private var history: [(search: FrameSearch, moving: [Box])] = []
  private var frame = PixelSize(width: 0, height: 0)
  /// Boxes around motion in the last planned frame that is searched at a suitable scale.
  var searchedMotion: [Box] { history.last?.moving ?? [] }

  private enum Rule {
    /// Seconds between searches of the whole frame where nothing happens.
    static let restInterval = 1.0
    /// Frames after which a still object is searched for again at the earliest.
    static let pendingFrames = 4
    /// Seconds after which a still object is searched for again, which searches of the whole frame have not found meanwhile.
    static let stillInterval = 1.6
    /// Frames between searches of the whole frame, with a budget of at least a pass a frame.
    static let wholeInterval = 4.0
    /// The first frames of a scene that are searched wholly, so that its objects get their IDs.
    static let newFrames = 2
    /// The most passes that are saved, in frames of the budget; and at least. As many may be owed: searches of the whole frame
    /// that are due take no more from later frames.
    static let savedFrames = 4.0
    static let savedPasses = 2.0
    /// The weight of a known object, which has just been searched for.
    static let trackWeight = 1.0
    /// Added for each frame since an object was searched for.
    static let ageWeight = 0.5
    /// The weight of motion outside known objects.
    static let movingWeight = 0.6
    /// Frames after which a moving region that was searched has its whole weight again.
    static let recovery = 25.0
    /// The least overlap of moving regions that count as the same.
    static let sameMotion = 0.35
    /// A search at this fraction of the scale that found an object is another observation of it.
    static let scaleFraction = 0.7
    /// A search of the whole frame that finds an object this often is another observation of it, too.
    static let goodRecall = 0.85
    /// Plans that are remembered, in frames.
    static let historyFrames = 60
  }

  init(passes: Double, inputs: SearchInputs) {
    self.passes = passes
    self.inputs = inputs
  }

  /// The regions to search in a frame, the whole frame first if it is among them.
  mutating func plan(_ scene: Scene) -> FrameSearch {
    if scene.frame != frame {
      frame = scene.frame
      restart()
    }
    saved = max(-Rule.savedPasses, min(saved + passes, max(Rule.savedFrames * passes, Rule.savedPasses)))
    let targets = targets(scene)
    let isActive = !targets.isEmpty || scene.isGlobal
    var regions: [FrameSearch.Region] = []
    framesSinceWhole += 1
    if isWholeDue(scene, isActive) {
      regions.append(cover.whole)
      saved -= 1
    }
    let budget = min(saved, passes.rounded(.up) + 1)
    let chosen = cover.regions(for: targets, budget: budget, hasWhole: !regions.isEmpty)
    regions += chosen
    var search = FrameSearch(frame: frame, regions: regions)
    for region in chosen { saved -= inputs.cost(of: inputs.size(for: region, in: search)) }
    if let index = regions.firstIndex(where: { search.isWhole($0.box) }) {
      search.regions.swapAt(0, index)
      framesSinceWhole = 0
      wholeAt = scene.time
    }
    let moving = scene.moving.filter { box in
      search.scale(of: box).map { $0 >= Rule.scaleFraction * cover.scale(for: box) } == true
    }
    history.append((search, moving))
    if history.count > Rule.historyFrames { history.removeFirst() }
    return search
  }

  /// Notes that nothing is known of the next frame.
  mutating func restart() {
    history = []
    newFrames = Rule.newFrames
  }

  private var cover: CropCover { CropCover(frame: frame, inputs: inputs) }

  private mutating func isWholeDue(_ scene: Scene, _ isActive: Bool) -> Bool {
    let hasGap = scene.time - lastTime > Rule.restInterval
    if hasGap || scene.isGlobal && !wasGlobal { newFrames = Rule.newFrames }
    lastTime = scene.time
    wasGlobal = scene.isGlobal
    newFrames -= 1
    if newFrames >= 0 || scene.time < wholeAt || scene.time - wholeAt >= Rule.restInterval { return true }
    guard isActive, saved >= 1 else { return false }
    let interval = max(Rule.wholeInterval, (2 / passes).rounded(.up))
    return framesSinceWhole >= Int(interval) || scene.isGlobal
  }

  /// A box that crops should show, with its weight.
  private func targets(_ scene: Scene) -> [CropCover.Target] {
    var targets: [CropCover.Target] = []
    for track in scene.tracks {
      guard let visible = track.box.clipped(to: frame) else { continue }
      let recall = track.wholeSearches.rate(expected: cover.expectedWholeRecall(of: visible))
      let age = framesSinceSearch(of: track.box, scale: track.scale, wholeRecall: recall)
      let isRecent = scene.time - track.observedAt < Rule.stillInterval
      // The results of the last frames may not be known yet.
      let isPending = age < Rule.pendingFrames
      if !track.isMoving, track.isLost || isPending || isRecent && !track.isTentative { continue }
      targets.append(
        CropCover.Target(
          box: visible, weight: Rule.trackWeight + Rule.ageWeight * Double(age),
          wholeQuality: recall.inARow))
    }
    for box in scene.moving {
      let age = history.reversed().prefix { plan in !plan.moving.contains { $0.iou(box) > Rule.sameMotion } }.count
      targets.append(
        CropCover.Target(
          box: box, weight: Rule.movingWeight * min(1, Double(age + 1) / Rule.recovery),
          wholeQuality: cover.expectedWholeRecall(of: box).inARow))
    }
    return targets.filter { $0.weight > 0 }
  }

  /// Frames since a plan last searched a box, at nearly a scale at least; 0 for the frame before this one.
  private func framesSinceSearch(of box: Box, scale: Double, wholeRecall: Double) -> Int {
    for (age, plan) in history.reversed().enumerated() {
      guard let searched = plan.search.scale(of: box) else { continue }
      if searched >= Rule.scaleFraction * scale { return age }
      if wholeRecall >= Rule.goodRecall, plan.search.regions.contains(where: { plan.search.isWhole($0.box) }) {
        return age
      }
    }
    return history.count
  }
}

extension Double {
  /// The probability that six searches in a row find an object which each finds with this one: the whole frame is worth no
  /// more than that beside crops, as a track whose object is found from time to time is lost from time to time.
  fileprivate var inARow: Double {
    let threeTimes = self * self * self
    return threeTimes * threeTimes
  }
}
