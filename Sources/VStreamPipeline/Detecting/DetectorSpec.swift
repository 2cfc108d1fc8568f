package import VStreamCore
package import VStreamDetection
internal import VStreamInference
package import VStreamReporting

/// The detection of one kind in the frames of a run: the same value for the command, the library and cameras.
package struct DetectorSpec: Sendable {
  /// Makes one detector; called once on each detector thread.
  package typealias Maker = @Sendable () throws -> any FrameDetecting

  package enum Detector: Sendable {
    case objects(ObjectSearch)
    case faces(FaceDetectorOptions)
    case poses(PoseDetectorOptions)
    case custom(CustomDetector)
  }

  package let detector: Detector
  /// Frames of each second of a stream that are searched, on average and at most; `nil` for all. Objects have a budget of passes.
  package var framesPerSecond: Double?

  package init(_ detector: Detector, framesPerSecond: Double? = nil) {
    self.detector = detector
    self.framesPerSecond = framesPerSecond
  }

  /// A detector of the user's own whose frames are independent.
  ///
  /// - Parameter load: loads what all detectors share, for `detectors` of them on `threads` threads in all.
  package init(
    _ kind: DetectionKind, load: @escaping @Sendable (_ detectors: Int, _ threads: Int) throws -> Maker
  ) {
    self.init(
      .custom(CustomDetector(kind, needsFrameOrder: false) { _, detectors, threads in try load(detectors, threads) }))
  }

  /// A detector of the user's own that tracks its detections from frame to frame.
  package init(
    tracking kind: DetectionKind,
    load: @escaping @Sendable (_ requirements: DetectorRequirements, _ threads: Int) throws -> Maker
  ) {
    self.init(
      .custom(
        CustomDetector(kind, needsFrameOrder: true) { requirements, _, threads in try load(requirements, threads) }))
  }

  package var kind: DetectionKind {
    switch detector {
    case .objects: .objects
    case .faces: .faces
    case .poses: .poses
    case .custom(let own): own.kind
    }
  }

  /// Whether one detector is given all frames in their order, as its detections depend on earlier frames.
  func needsFrameOrder(_ requirements: DetectorRequirements) -> Bool {
    if framesPerSecond != nil { return true }
    return switch detector {
    case .objects(let search): search.budget(requirements) != nil
    case .faces(let options): options.needsMesh || requirements.mode == .stream
    case .poses: true
    case .custom(let own): own.needsFrameOrder
    }
  }

  /// Loads the models, for `detectors` detectors on `threads` threads in all.
  func load(
    _ requirements: DetectorRequirements, _ detectors: Int, _ threads: Int, from models: DetectorModels
  ) throws -> Maker {
    let make = try maker(requirements, detectors, threads, models)
    let needsFrameOrder = needsFrameOrder(requirements)
    let grid = needsFrameOrder ? requirements.grid : nil
    guard grid != nil || framesPerSecond != nil else { return make }
    return { [framesPerSecond] in try StreamDetection(restartingAt: grid, framesPerSecond: framesPerSecond, make) }
  }

  private func maker(
    _ requirements: DetectorRequirements, _ detectors: Int, _ threads: Int, _ models: DetectorModels
  ) throws -> Maker {
    switch detector {
    case .objects(let search): return try search.load(requirements, detectors, threads, from: models)
    case .faces(var options):
      options.detectorMode = requirements.mode
      if requirements.isPaced || framesPerSecond != nil { options.searchSeconds = 0 }
      // In a stream, one detector has two frames in flight, each with several inferences; otherwise one a detector.
      let configuration = ModelConfiguration.concurrent(
        needsFrameOrder(requirements) ? 2 : detectors, device: options.device, threads: threads)
      let networks = try models.load(
        .faces(
          needsMesh: options.needsMesh, classifies: options.classificationMode == .all,
          isChecked: requirements.checksModels), configuration
      ) {
        try FaceModels(for: options, configuration: configuration, checksFiles: requirements.checksModels)
      }
      models.add(checked: networks.files)
      return { [options] in try FaceDetectionStage(networks, options: options) }
    case .poses(var options):
      options.detectorMode = requirements.mode
      let configuration = ModelConfiguration.concurrent(2, device: options.device, threads: threads)
      let networks = try models.load(.poses, configuration) { try PoseModels(configuration: configuration) }
      return { [options] in try PoseDetectionStage(networks, options: options) }
    case .custom(let own):
      let configuration = ModelConfiguration(streams: detectors, threads: threads)
      return try models.load(.custom(own, requirements), configuration) {
        try own.load(requirements, detectors, threads)
      }
    }
  }
}

/// A detector of the user's own.
package final class CustomDetector: Hashable, Sendable {
  typealias Loader =
    @Sendable (_ requirements: DetectorRequirements, _ detectors: Int, _ threads: Int) throws -> DetectorSpec.Maker

  let kind: DetectionKind
  let needsFrameOrder: Bool
  let load: Loader

  init(_ kind: DetectionKind, needsFrameOrder: Bool, load: @escaping Loader) {
    (self.kind, self.needsFrameOrder, self.load) = (kind, needsFrameOrder, load)
  }

  package static func == (one: CustomDetector, other: CustomDetector) -> Bool { one === other }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A run's requirements of its detectors.
package struct DetectorRequirements: Hashable, Sendable {
  /// How its frames are related.
  package var mode: DetectionMode
  /// Whether only some of the frames are detected, each in the whole.
  package var isPaced = false
  /// Whether late frames are dropped, so that a detector has one frame at a time.
  package var isLive = false
  /// Whether the checksums of models are compared with the known ones, as for redaction.
  package var checksModels = false
  /// Where detectors start afresh; `nil` for a stream that is one whole.
  package var grid: TimeGrid?

  package init(
    mode: DetectionMode, isPaced: Bool = false, isLive: Bool = false, checksModels: Bool = false,
    grid: TimeGrid? = nil
  ) {
    (self.mode, self.isPaced, self.isLive) = (mode, isPaced, isLive)
    (self.checksModels, self.grid) = (checksModels, grid)
  }
}

extension DetectorSpec {
  /// Whether faces may have landmarks or contours.
  var hasFaceShapes: Bool {
    guard case .faces(let options) = detector else { return kind == .faces }
    return [options.landmarkMode, options.contourMode].contains(.all)
  }

  /// The searched regions, in words for a receipt.
  package var searches: [String] {
    switch detector {
    case .objects(let search):
      let margin = search.hasMargin ? ", with a margin, and rotated by quarter turns" : ""
      return ["objects: the whole frame\(margin)\(search.isTiled ? ", and in tiles" : "")"]
    case .faces(let options): return [options.searches]
    case .poses, .custom: return []
    }
  }

  /// The omitted searches, in words for a receipt.
  package var omissions: [String] {
    switch detector {
    case .objects(let search): search.isTiled ? [] : ["objects that only --accuracy accurate finds, in tiles"]
    case .faces: ["smaller faces", "heads without a visible face"]
    case .poses, .custom: []
    }
  }
}

extension ModelConfiguration {
  /// For a small network with several concurrent inferences, each on one thread.
  fileprivate static func concurrent(_ inferences: Int, device: String, threads: Int) -> ModelConfiguration {
    ModelConfiguration(
      device: device, streams: min(inferences, threads), threads: min(inferences, threads), precision: .float32)
  }
}

/// The options of detectors as records' headers state them.
extension FaceDetectorOptions {
  package var recorded: [(name: String, value: RecordHeader.OptionValue)] {
    let parts = [("landmarks", landmarkMode), ("contours", contourMode), ("classification", classificationMode)]
    return [
      ("faceMode", .text(performanceMode.rawValue)),
      ("faceParts", .list(parts.filter { $0.1 == .all }.map(\.0))), ("minFaceSize", .number(effectiveMinFaceSize)),
    ]
  }
}

extension PoseDetectorOptions {
  package var recorded: [(name: String, value: RecordHeader.OptionValue)] {
    [("poseMode", .text(performanceMode.rawValue)), ("maxPoses", .integer(maxPoses))]
  }
}
