public import VStreamInference
public import VStreamScene

/// The networks that face detection needs, loaded once and shared by all stages.
public struct FaceModels: Sendable {
  let finder: Model
  /// `nil` if only boxes are requested.
  let mesh: Model?
  /// `nil` if the state of the eyes is not requested.
  let eye: Model?

  /// Loads the networks that the options need, from the catalogue's folders.
  ///
  /// - Throws: `VStreamError.missingDependency` if a model does not exist or cannot be read, or the detector does not
  ///   find a face that is drawn for this test.
  public init(for options: FaceDetectorOptions, configuration: ModelConfiguration) throws(VStreamError) {
    func load(_ known: KnownModel) throws(VStreamError) -> Model {
      try Model(path: try known.requirePath(), configuration: configuration)
    }
    let isFast = options.performanceMode == .fast
    finder = try load(isFast ? ModelCatalogue.blazeFaceShortRange : ModelCatalogue.blazeFaceFullRange)
    try DrawnFace.require(by: finder, isFast ? .short : .full)
    mesh = options.needsMesh ? try load(ModelCatalogue.faceMesh) : nil
    eye = options.classificationMode == .all ? try load(ModelCatalogue.iris) : nil
  }
}
