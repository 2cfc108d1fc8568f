public import VStreamInference
public import VStreamScene

/// The networks that a face detector needs, loaded once and shared by all detectors.
public struct FaceModels: Sendable {
  let finder: Model
  /// `nil` where boxes are all that is asked for.
  let mesh: Model?
  /// `nil` where nobody asks whether eyes are open.
  let eye: Model?

  /// Loads what the options need, from the catalogue's folders.
  ///
  /// - Throws: `VStreamError.missingDependency` if a model is not there or cannot be read.
  public init(for options: FaceDetectorOptions, configuration: ModelConfiguration) throws(VStreamError) {
    func load(_ known: KnownModel) throws(VStreamError) -> Model {
      try Model(path: try known.requirePath(), configuration: configuration)
    }
    let isFast = options.performanceMode == .fast
    finder = try load(isFast ? ModelCatalogue.blazeFaceShortRange : ModelCatalogue.blazeFaceFullRange)
    mesh = options.needsMesh ? try load(ModelCatalogue.faceMesh) : nil
    eye = options.classificationMode == .all ? try load(ModelCatalogue.iris) : nil
  }
}
