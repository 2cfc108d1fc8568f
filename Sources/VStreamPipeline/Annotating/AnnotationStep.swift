package import VStreamCore
package import VStreamDetection
package import VStreamMedia
package import VStreamTracking

/// The annotation of one frame.
package struct Annotation: Sendable {
  package internal(set) var found = Detections()
  package internal(set) var source = AnnotationSource.detected
  /// The track events since the previous frame.
  package internal(set) var events: [TrackEvent] = []
  /// The counts of zones and lines up to this frame; `nil` if there are none.
  package internal(set) var counts: RegionCounts?
  /// The IDs of the tracks that ended since the previous frame, by kind.
  package internal(set) var ended: [DetectionKind: [Int]] = [:]
  /// The labels of the tracks that are reported for the first time; of single images, of all observations.
  package internal(set) var newLabels: [String] = []
  /// Detections whose results the frame's resolution contained.
  package internal(set) var runCount = 0
  /// Runs of the object network for them.
  package internal(set) var objectPassCount = 0
  /// Seconds of stream time since the last frame with detections; `nil` before the first.
  package internal(set) var detectionAge: Double?

  package init() {}
}

/// Turns the resolutions of one stream's frames, or of single images, into annotations: assigns IDs, predicts tracks,
/// selects prominent objects and counts in zones.
///
/// Pure: the result depends on the resolutions, times and sizes only.
package struct AnnotationStep {
  private let options: AnnotationOptions
  private var trackers: Trackers
  /// `nil` if all objects are reported.
  private var prominent: ProminentObjects?
  /// The IDs of current tracks that were reported, where not all objects are.
  private var reportedIDs: Set<Int> = []
  /// `nil` if nothing is counted, and before the first frame.
  private var counter: Counter?
  private var lastTime = 0.0

  package init(_ options: AnnotationOptions) {
    self.options = options
    trackers = Trackers(options.kinds.mapValues(\.tracker))
    prominent = options.maximumObjects.map(ProminentObjects.init(limit:))
  }

  /// - Parameters:
  ///   - resolution: of the frame.
  ///   - seconds: its stream time.
  ///   - size: its size, upright.
  package mutating func annotate(
    _ resolution: ResolvedDetections, at seconds: Double, in size: PixelSize
  ) -> Annotation {
    if counter == nil, options.mode == .stream, !options.counted.isEmpty {
      counter = options.counted.counter(in: size)
    }
    lastTime = max(lastTime, seconds)
    var annotation = Annotation()
    if let source = resolution.recordedSource {
      annotation.found = reported(resolution.found ?? Detections(), in: size)
      annotation.source = source
      if source == .detected { count(annotation.found, at: lastTime, in: &annotation) }
    } else {
      annotation.source = resolution.found?.wereSearchedFor == true ? .detected : .predicted
      let used = resolution.late.map(\.found) + [resolution.found].compactMap(\.self)
      annotation.runCount = used.count(where: \.wereSearchedFor)
      annotation.objectPassCount = used.reduce(0) { $0 + $1.objectPassCount }
      annotate(resolution, at: seconds, in: size, &annotation)
    }
    annotation.detectionAge = trackers.lastSearch.map { seconds - $0 }
    if options.mode == .singleImage { annotation.newLabels += annotation.found.all.map(\.label) }
    annotation.counts = counter?.counts
    return annotation
  }

  private mutating func annotate(
    _ resolution: ResolvedDetections, at seconds: Double, in size: PixelSize, _ annotation: inout Annotation
  ) {
    guard options.mode == .stream else {
      let ranked = resolution.found?.ranked { options.kinds[$0]?.minimumScore ?? 0 }
      annotation.found = reported(ranked ?? trackers.predicted(at: 0, in: 0), in: size)
      return
    }
    for late in resolution.late {
      _ = track(late.found, at: late.time.seconds, in: size, &annotation)
    }
    if resolution.isUnchanged {
      annotation.found = reported(trackers.idle(at: seconds, in: resolution.shot), in: size)
    } else if let found = resolution.found {
      annotation.found = track(found, at: seconds, in: size, &annotation)
    } else {
      annotation.found = reported(trackers.predicted(at: seconds, in: resolution.shot), in: size)
    }
  }

  private mutating func track(
    _ found: Detections, at seconds: Double, in size: PixelSize, _ annotation: inout Annotation
  ) -> Detections {
    let tracked = reported(trackers.update(found, at: seconds), in: size)
    count(tracked, at: seconds, in: &annotation)
    annotation.events += trackers.events
    for (kind, ids) in trackers.ended {
      annotation.ended[kind, default: []] += ids
      guard kind == .objects else { continue }
      for id in ids {
        counter?.remove(id)
        reportedIDs.remove(id)
      }
    }
    return tracked
  }

  /// Counts the observations of a frame with detections, and notes the labels of new tracks.
  private mutating func count(_ found: Detections, at seconds: Double, in annotation: inout Annotation) {
    var others = found
    if prominent != nil {
      // An object may become prominent after others with higher IDs, so a new one may have a lower ID.
      annotation.newLabels += (found.objects ?? []).filter { reportedIDs.insert($0.id ?? 0).inserted }.map(\.label)
      others.objects = nil
    }
    annotation.newLabels += trackers.newLabels(in: others)
    counter?.update(found.objects ?? [], at: seconds)
  }

  /// All observations, or those of the most prominent objects.
  private mutating func reported(_ found: Detections, in size: PixelSize) -> Detections {
    guard let objects = found.objects, let chosen = prominent?.select(objects, in: size) else { return found }
    var found = found
    found.objects = chosen
    return found
  }

  /// Ends the stream.
  ///
  /// - Returns: the exits of all tracks.
  package mutating func finish() -> [TrackEvent] { trackers.finish(at: lastTime) }

  /// The counts of zones and lines up to now; `nil` if there are none.
  package var counts: RegionCounts? { counter?.counts }
}

/// How detections become annotations.
package struct AnnotationOptions: Sendable {
  /// How the detections of one kind become annotations.
  package struct KindOptions: Sendable {
    /// Of streams.
    package var tracker: TrackerOptions
    /// The lowest score that is reported of single images.
    package var minimumScore: Double

    package init(tracker: TrackerOptions, minimumScore: Double) {
      self.tracker = tracker
      self.minimumScore = minimumScore
    }
  }

  package var mode: DetectionMode
  /// Of each kind that is detected.
  package var kinds: [DetectionKind: KindOptions]
  /// The number of objects that are reported in a frame, the most prominent ones; `nil` for all.
  package var maximumObjects: Int?
  /// The counting zones and lines; streams only.
  package var counted = CountedRegions()

  package init(mode: DetectionMode, kinds: [DetectionKind: KindOptions], maximumObjects: Int? = nil) {
    self.mode = mode
    self.kinds = kinds
    self.maximumObjects = maximumObjects
  }
}

extension TrackerOptions {
  /// For kinds whose detectors report confident detections only: the score that starts a track is set for
  /// objects, and need not be exceeded.
  var forConfidentDetections: TrackerOptions {
    var options = self
    options.minimumScore = min(options.minimumScore, Self.confidentScore)
    return options
  }

  private static let confidentScore = 0.5
}

/// Adds the objects' categories to the annotations of one stream: by the object's class, or by inference once for each track
/// and again when it has grown.
///
/// It runs on the annotator thread, as the category is part of the frame's record and depends on the frame's tracks. It does not
/// delay the run: in 4 s of street.avi there are 8 inferences, while the detector's threads run 80, and the run takes as long as
/// without categories.
package struct CategoryStep {
  private let makeClassifier: @Sendable () throws -> CategoryClassifier
  private var categories = TrackCategoryCache()
  /// `nil` before the first frame.
  private var classifier: CategoryClassifier?

  /// - Parameter makeClassifier: called once, at the first frame with objects.
  package init(_ makeClassifier: @escaping @Sendable () throws -> CategoryClassifier) {
    self.makeClassifier = makeClassifier
  }

  /// - Throws: `VStreamError` of the classifier.
  package mutating func categorise(
    _ annotation: inout Annotation, in frame: VideoFrame, timer: any StepTimer
  ) throws {
    categories.forget(annotation.ended[.objects] ?? [])
    guard let objects = annotation.found.objects else { return }
    var classifier = try classifier ?? makeClassifier()
    annotation.found.objects = try categories.categorise(objects, isDetected: annotation.source == .detected) { box in
      try classifier.category(of: box, in: frame, timer: timer)
    }
    self.classifier = classifier
  }
}
