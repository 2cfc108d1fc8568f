internal import VStreamDetection
internal import VStreamInference
internal import VStreamScene

extension DetectorFactory {
  /// Detects objects.
  ///
  /// - Parameters:
  ///   - path: the model's file.
  ///   - classes: the classes to detect; `nil` for all of the model's.
  ///   - required: further classes that the model has to have.
  ///   - minimumScore: the score that starts a track; detections down to 0.1 may continue one.
  ///   - isTiled: whether tiles of each frame are inferred as well.
  ///   - isExhaustive: whether frames are searched again for the required classes where one may fill them.
  ///   - isSecondSearch: whether all frames are.
  ///   - device: OpenVINO's name of the device.
  public static func objects(
    model path: String, classes: [String]? = nil, requiring required: [String] = [], minimumScore: Double = 0.5,
    isTiled: Bool = false, isExhaustive: Bool = false, isSecondSearch: Bool = false, device: String = "CPU"
  ) -> DetectorFactory {
    var factory = DetectorFactory(.objects) { detectors, threads in
      let configuration = ModelConfiguration(device: device, streams: detectors, threads: threads)
      let model = try ObjectModel(path: path, configuration: configuration)
      let classIndices = try model.labels.indices(of: required)
      let options = ObjectDetectionOptions(
        minimumScore: min(0.1, minimumScore), classes: try classes.map { try model.labels.indices(of: $0) },
        isTiled: isTiled,
        margin: isExhaustive || isSecondSearch
          ? .init(classes: classIndices, minimumScore: minimumScore, isAlways: isSecondSearch) : nil)
      return { try ObjectDetectionStage(model, options: options) }
    }
    factory.modelPaths = { () throws(VStreamError) in [path] }
    let tiles = isTiled ? ["objects: tiles"] : []
    factory.searches = ["objects: whole frame"] + tiles + (isSecondSearch ? ["objects: frame with a margin"] : [])
    return factory
  }
}
