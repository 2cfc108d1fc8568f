public import VStreamInference
public import VStreamScene

/// The networks that face detection needs, loaded once and shared by all stages.
public struct FaceModels: Sendable {
  let finder: Model
  /// The fast mode's, if it is asked as well.
  let second: Model?
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
    finder = try load(Self.finder(for: options))
    try DrawnFace.require(by: finder, options.performanceMode == .fast ? .short : .full)
    second = options.isSecondSearch ? try load(ModelCatalogue.blazeFaceShortRange) : nil
    if let second { try DrawnFace.require(by: second, .short) }
    mesh = options.needsMesh ? try load(ModelCatalogue.faceMesh) : nil
    eye = options.classificationMode == .all ? try load(ModelCatalogue.iris) : nil
  }

  private static func finder(for options: FaceDetectorOptions) -> KnownModel {
    options.performanceMode == .fast ? ModelCatalogue.blazeFaceShortRange : ModelCatalogue.blazeFaceFullRange
  }

  /// The files of the networks that find faces.
  ///
  /// - Throws: `VStreamError.missingDependency` if one does not exist.
  public static func paths(for options: FaceDetectorOptions) throws(VStreamError) -> [String] {
    let second = options.isSecondSearch ? [ModelCatalogue.blazeFaceShortRange] : []
    return try ([finder(for: options)] + second).map { known throws(VStreamError) in try known.requirePath() }
  }
}
