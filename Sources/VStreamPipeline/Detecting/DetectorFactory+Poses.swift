public import VStreamDetection
internal import VStreamInference
internal import VStreamScene

extension DetectorFactory {
  /// Detects poses, and tracks the people.
  public static func poses(_ options: PoseDetectorOptions) -> DetectorFactory {
    DetectorFactory(tracking: .poses) { requirements, threads in
      var options = options
      options.detectorMode = requirements.mode
      let models = try PoseModels(configuration: .concurrent(2, device: options.device, threads: threads))
      return { [options] in try PoseDetectionStage(models, options: options) }
    }
  }
}
