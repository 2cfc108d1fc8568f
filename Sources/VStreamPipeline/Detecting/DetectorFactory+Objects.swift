internal import VStreamDetection
internal import VStreamInference
internal import VStreamScene
public import VStreamTracking

extension DetectorFactory {
  /// Detects objects.
  ///
  /// - Parameters:
  ///   - path: the model's file.
  ///   - classes: the classes to detect; `nil` for all of the model's.
  ///   - required: further classes that the model has to have.
  ///   - tracking: options of the tracker; detections down to 0.1 may continue a track.
  ///   - passes: runs of the network for a frame of a stream, on average, each on the part of the frame where it gains most;
  ///     `nil` for the whole of each frame.
  ///   - isTiled: whether tiles of each frame are inferred as well, where there is no budget of passes.
  ///   - isExhaustive: whether frames are searched again for the required classes where one may fill them.
  ///   - isSecondSearch: whether all frames are.
  ///   - device: OpenVINO's name of the device.
  public static func objects(
    model path: String, classes: [String]? = nil, requiring required: [String] = [],
    tracking: TrackerOptions = TrackerOptions(), passes: Double? = nil,
    isTiled: Bool = false, isExhaustive: Bool = false, isSecondSearch: Bool = false, device: String = "CPU"
  ) -> DetectorFactory {
    let budget = { @Sendable (requirements: DetectorRequirements) in
      requirements.mode == .stream ? passes : nil
    }
    let isPlanned = { @Sendable (requirements: DetectorRequirements) in budget(requirements) != nil }
    let checkedFiles = CheckedFiles()
    var factory = DetectorFactory(
      .objects, needsFrameOrder: isPlanned, checkedFiles: checkedFiles
    ) { requirements, detectors, threads in
      if requirements.checksModels { checkedFiles.add(try CheckedModelFile.files(of: path)) }
      let framesInFlight = requirements.isLive ? 1 : Self.plannedFramesInFlight
      // Regions are inferred side by side, on one thread each if there are as many: threads that wait for each other lose
      // most where other programs take the processors.
      let concurrent = requirements.isLive ? Self.liveRegions : framesInFlight
      let streams = isPlanned(requirements) ? min(concurrent, threads) : detectors
      let configuration = ModelConfiguration(device: device, streams: streams, threads: threads)
      let model = try ObjectModel(path: path, configuration: configuration)
      if requirements.checksModels { try DrawnPerson.require(by: model, at: path) }
      let classIndices = try model.labels.indices(of: required)
      let minimumScore = tracking.minimumScore
      let options = ObjectDetectionOptions(
        minimumScore: min(0.1, minimumScore), classes: try classes.map { try model.labels.indices(of: $0) },
        isTiled: isTiled,
        margin: isExhaustive || isSecondSearch
          ? .init(classes: classIndices, minimumScore: minimumScore, isAlways: isSecondSearch) : nil)
      guard let passes = budget(requirements) else { return { try ObjectDetectionStage(model, options: options) } }
      return {
        try PlannedObjectDetection(
          model, options: options, passes: passes, tracking: tracking, framesInFlight: framesInFlight)
      }
    }
    let margin = isSecondSearch || isExhaustive ? ", with a margin, and rotated by quarter turns" : ""
    factory.searches = ["objects: the whole frame\(margin)\(isTiled ? ", and in tiles" : "")"]
    if !isTiled { factory.omissions = ["objects that only --accuracy accurate finds, in tiles"] }
    return factory
  }

  /// Frames of a file that are in flight while their regions are planned: a constant, as other numbers give other plans.
  private static let plannedFramesInFlight = 4
  /// Regions of a live frame that are inferred at the same time.
  private static let liveRegions = 2
}
