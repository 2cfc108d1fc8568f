public import VStreamDetection
internal import VStreamInference
internal import VStreamScene

/// The detectors that there are, as a run takes them.
extension DetectorFactory {
  /// A detector of objects.
  ///
  /// - Parameters:
  ///   - path: the model's file.
  ///   - classes: what of all that the model knows is wanted; `nil` for all.
  ///   - required: classes that the model has to know beside.
  ///   - minimumScore: the score that starts a track; detections down to 0.1 may continue one.
  ///   - isTiled: whether parts of each frame are looked at as well.
  ///   - device: OpenVINO's name of the device.
  public static func objects(
    model path: String, classes: [String]? = nil, requiring required: [String] = [], minimumScore: Double = 0.5,
    isTiled: Bool = false, device: String = "CPU"
  ) -> DetectorFactory {
    DetectorFactory(.objects) { workers, threads in
      let configuration = ModelConfiguration(device: device, streams: workers, threads: threads)
      let model = try ObjectModel(path: path, configuration: configuration)
      _ = try model.labels.indices(of: required)
      let options = ObjectDetectionOptions(
        minimumScore: min(0.1, minimumScore), classes: try classes.map { try model.labels.indices(of: $0) },
        isTiled: isTiled)
      return { try ObjectDetectionStage(model, options: options) }
    }
  }

  /// A detector of faces; where more than boxes is asked for, or closer looks are taken in turns, one that follows them.
  ///
  /// - Parameter device: OpenVINO's name of the device.
  public static func faces(_ options: FaceDetectorOptions, device: String = "CPU") -> DetectorFactory {
    let adapted = { @Sendable (use: DetectorRequirements) in
      var options = options
      options.detectorMode = use.mode
      options.searchInterval = min(options.searchInterval, use.latestFind ?? .infinity)
      return options
    }
    let follows = { @Sendable (use: DetectorRequirements) in options.needsMesh || adapted(use).rotatesCrops }
    return DetectorFactory(.faces, follows: follows) { use, workers, threads in
      let options = adapted(use)
      // Of two frames that are followed, each may have several looks; else as many run side by side as there are workers.
      let concurrentPasses = options.needsMesh ? 2 : options.rotatesCrops ? threads : workers
      let models = try FaceModels(
        for: options, configuration: .sideBySide(concurrentPasses, device: device, threads: threads))
      return { try FaceDetectionStage(models, options: options) }
    }
  }

  /// A detector of poses, which follows people.
  ///
  /// - Parameter device: OpenVINO's name of the device.
  public static func poses(_ options: PoseDetectorOptions, device: String = "CPU") -> DetectorFactory {
    DetectorFactory(following: .poses) { use, threads in
      var options = options
      options.detectorMode = use.mode
      let models = try PoseModels(configuration: .sideBySide(2, device: device, threads: threads))
      return { [options] in try PoseDetectionStage(models, options: options) }
    }
  }
}

extension ModelConfiguration {
  /// For a detector that takes so many looks side by side: a thread for each, as the networks are small.
  fileprivate static func sideBySide(_ looks: Int, device: String, threads: Int) -> ModelConfiguration {
    ModelConfiguration(
      device: device, streams: min(looks, threads), threads: min(looks, threads), precision: .float32)
  }
}
