public import VStreamDetection
internal import VStreamInference
internal import VStreamScene

extension DetectorFactory {
  /// Detects faces; tracks them where more than boxes is requested.
  public static func faces(_ options: FaceDetectorOptions) -> DetectorFactory {
    let adapted = { @Sendable (requirements: DetectorRequirements) in
      var options = options
      options.detectorMode = requirements.mode
      if requirements.isPaced { options.searchInterval = 0 }
      return options
    }
    let needsFrameOrder = { @Sendable (requirements: DetectorRequirements) in
      options.needsMesh || requirements.mode == .stream
    }
    let checkedFiles = CheckedFiles()
    var factory = DetectorFactory(
      .faces, needsFrameOrder: needsFrameOrder, checkedFiles: checkedFiles
    ) { requirements, detectors, threads in
      let options = adapted(requirements)
      // In a stream, one detector has two frames in flight, each with several inferences; otherwise one a detector.
      let inferences = needsFrameOrder(requirements) ? 2 : detectors
      let models = try FaceModels(
        for: options, configuration: .concurrent(inferences, device: options.device, threads: threads),
        checksFiles: requirements.checksModels)
      checkedFiles.add(models.files)
      return { try FaceDetectionStage(models, options: options) }
    }
    factory.hasFaceShapes = [options.landmarkMode, options.contourMode].contains(.all)
    factory.searches = [options.searches]
    factory.omissions = ["smaller faces", "heads without a visible face"]
    return factory
  }
}
