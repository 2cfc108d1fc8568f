public import VStreamDetection
internal import VStreamInference
internal import VStreamScene

/// The factories of the detectors in `VStreamDetection`.
extension DetectorFactory {
  /// Detects objects.
  ///
  /// - Parameters:
  ///   - path: the model's file.
  ///   - classes: the classes to detect; `nil` for all of the model's.
  ///   - required: further classes that the model has to have.
  ///   - minimumScore: the score that starts a track; detections down to 0.1 may continue one.
  ///   - isTiled: whether tiles of each frame are inferred as well.
  ///   - device: OpenVINO's name of the device.
  public static func objects(
    model path: String, classes: [String]? = nil, requiring required: [String] = [], minimumScore: Double = 0.5,
    isTiled: Bool = false, device: String = "CPU"
  ) -> DetectorFactory {
    DetectorFactory(.objects) { detectors, threads in
      let configuration = ModelConfiguration(device: device, streams: detectors, threads: threads)
      let model = try ObjectModel(path: path, configuration: configuration)
      _ = try model.labels.indices(of: required)
      let options = ObjectDetectionOptions(
        minimumScore: min(0.1, minimumScore), classes: try classes.map { try model.labels.indices(of: $0) },
        isTiled: isTiled)
      return { try ObjectDetectionStage(model, options: options) }
    }
  }

  /// Detects faces; tracks them where more than boxes is requested, or where crops are searched in rotation.
  ///
  /// - Parameter device: OpenVINO's name of the device.
  public static func faces(_ options: FaceDetectorOptions, device: String = "CPU") -> DetectorFactory {
    let adapted = { @Sendable (requirements: DetectorRequirements) in
      var options = options
      options.detectorMode = requirements.mode
      options.searchInterval = min(options.searchInterval, requirements.maximumDetectionDelay ?? .infinity)
      return options
    }
    let needsFrameOrder = { @Sendable (requirements: DetectorRequirements) in
      options.needsMesh || adapted(requirements).schedulesCrops
    }
    return DetectorFactory(.faces, needsFrameOrder: needsFrameOrder) { requirements, detectors, threads in
      let options = adapted(requirements)
      // A tracking detector has two frames in flight, each with several inferences; others one inference a detector.
      let inferences = options.needsMesh ? 2 : options.schedulesCrops ? threads : detectors
      let models = try FaceModels(
        for: options, configuration: .concurrent(inferences, device: device, threads: threads))
      return { try FaceDetectionStage(models, options: options) }
    }
  }

  /// Detects poses, and tracks the people.
  ///
  /// - Parameter device: OpenVINO's name of the device.
  public static func poses(_ options: PoseDetectorOptions, device: String = "CPU") -> DetectorFactory {
    DetectorFactory(tracking: .poses) { requirements, threads in
      var options = options
      options.detectorMode = requirements.mode
      let models = try PoseModels(configuration: .concurrent(2, device: device, threads: threads))
      return { [options] in try PoseDetectionStage(models, options: options) }
    }
  }
}

extension ModelConfiguration {
  /// For a small network with several concurrent inferences, each of which runs on one thread.
  fileprivate static func concurrent(_ inferences: Int, device: String, threads: Int) -> ModelConfiguration {
    ModelConfiguration(
      device: device, streams: min(inferences, threads), threads: min(inferences, threads), precision: .float32)
  }
}
