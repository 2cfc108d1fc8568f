public import VStreamInference
public import VStreamScene

/// The networks that pose detection needs, loaded once and shared by all stages.
public struct PoseModels: Sendable {
  let finder: Model
  let landmarks: Model

  /// Loads them from the catalogue's folders.
  ///
  /// - Throws: `VStreamError.missingDependency` if a model does not exist or cannot be read.
  public init(configuration: ModelConfiguration) throws(VStreamError) {
    finder = try Model(path: try ModelCatalogue.poseDetector.requirePath(), configuration: configuration)
    landmarks = try Model(path: try ModelCatalogue.poseLandmarks.requirePath(), configuration: configuration)
  }
}
