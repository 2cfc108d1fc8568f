internal import VStreamCore
package import VStreamDetection
internal import VStreamInference
package import VStreamTracking

/// How objects are searched for.
package struct ObjectSearch: Hashable, Sendable {
  /// The path of the model's file.
  package var model: String
  /// The classes to detect; `nil` for all of the model's.
  package var classes: [String]?
  /// Classes for which frames are searched again, with a margin, where one may fill them.
  package var required: [String] = []
  /// Options of the tracker; detections down to 0.1 may continue a track.
  package var tracking: TrackerOptions
  /// Runs of the network on parts of a stream's frames, where they gain most; `nil` for the whole of each frame.
  package var budget: PassBudget?
  /// Whether tiles of each frame are searched as well, where there is no budget of passes.
  package var isTiled = false
  /// Whether all frames are searched again with a margin, to verify a redaction.
  package var isVerification = false
  /// OpenVINO's name of the device.
  package var device = "CPU"

  package init(
    model: String, classes: [String]? = nil, requiring required: [String] = [],
    tracking: TrackerOptions = TrackerOptions(), budget: PassBudget? = nil
  ) {
    (self.model, self.classes, self.required) = (model, classes, required)
    (self.tracking, self.budget) = (tracking, budget)
  }

  /// Frames of a file that are in flight while their regions are planned: a constant, as other numbers give other plans.
  private static let plannedFramesInFlight = 4
  /// Regions of a live frame that are inferred at the same time.
  private static let liveRegions = 2

  var hasMargin: Bool { isVerification || !required.isEmpty }

  func budget(_ requirements: DetectorRequirements) -> PassBudget? { requirements.mode == .stream ? budget : nil }

  func load(
    _ requirements: DetectorRequirements, _ detectors: Int, _ threads: Int, from models: DetectorModels
  ) throws -> DetectorSpec.Maker {
    let budget = budget(requirements)
    let framesInFlight = requirements.isLive ? 1 : Self.plannedFramesInFlight
    // Regions are inferred side by side, on one thread each if there are as many: threads that wait for each other lose
    // most where other programs take the processors.
    let regions = requirements.isLive ? Self.liveRegions : framesInFlight
    let configuration = ModelConfiguration(
      device: device, streams: budget == nil ? detectors : max(detectors, min(regions, threads)), threads: threads)
    let check = { (network: ObjectModel) in
      models.add(checked: try CheckedModelFile.files(of: model))
      try DrawnPerson.require(by: network, at: model)
    }
    let network = try models.load(
      .objects(path: model), configuration, check: requirements.checksModels ? check : nil
    ) { try ObjectModel(path: model, configuration: configuration) }
    let margin = ObjectDetectionOptions.MarginRule(
      classes: try network.labels.indices(of: required), minimumScore: tracking.minimumScore,
      isAlways: isVerification)
    let options = ObjectDetectionOptions(
      minimumScore: min(0.1, tracking.minimumScore), classes: try classes.map { try network.labels.indices(of: $0) },
      isTiled: isTiled, margin: hasMargin ? margin : nil)
    guard let budget else { return { try ObjectDetectionStage(network, options: options) } }
    let resize = { @Sendable [model] (size: PixelSize) in
      try models.load(.objects(path: model, size: size), configuration) {
        try network.resized(to: size, configuration: configuration)
      }
    }
    // Live frames do not wait for it. A file's first frames do not need it.
    if requirements.isLive, let small = network.smallInput { _ = try resize(small) }
    return { [tracking] in
      PlannedObjectDetection(
        network, resize: resize, options: options, budget: budget, tracking: tracking, framesInFlight: framesInFlight)
    }
  }
}
