public import VStreamInference
public import VStreamScene

/// The networks that a pose detector needs, loaded once and shared by all detectors.
public struct PoseModels: Sendable {
  let finder: Model
  let landmarks: Model

  /// Loads them from the catalogue's folders.
  ///
  /// - Throws: `VStreamError.missingDependency` if a model is not there or cannot be read.
  public init(configuration: ModelConfiguration) throws(VStreamError) {
    finder = try Model(path: try ModelCatalogue.poseDetector.requirePath(), configuration: configuration)
    landmarks = try Model(path: try ModelCatalogue.poseLandmarks.requirePath(), configuration: configuration)
  }
}
