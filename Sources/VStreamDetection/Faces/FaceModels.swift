package import VStreamCore
package import VStreamInference

/// The networks that face detection needs, loaded once and shared by all stages.
package struct FaceModels: Sendable {
  let finder: Model
  /// `nil` if only boxes are requested.
  let mesh: Model?
  /// `nil` if the state of the eyes is not requested.
  let eye: Model?
  /// The networks' files with their checksums, if these were checked.
  package let files: [CheckedModelFile]

  /// Loads the networks that the options need, from the catalogue's folders.
  ///
  /// - Parameter checksFiles: whether the files' checksums are compared with the known ones.
  /// - Throws: `VStreamError.missingDependency` if a model does not exist, cannot be read or is damaged, or the detector does
  ///   not find a face that is drawn for this test.
  package init(
    for options: FaceDetectorOptions, configuration: ModelConfiguration, checksFiles: Bool = false
  ) throws(VStreamError) {
    var files: [CheckedModelFile] = []
    func load(_ known: KnownModel) throws(VStreamError) -> Model {
      let path = try known.requirePath()
      if checksFiles { files += try CheckedModelFile.files(of: path) }
      return try Model(path: path, configuration: configuration)
    }
    finder = try load(ModelCatalogue.centerFace)
    try DrawnFace.require(by: finder)
    mesh = options.needsMesh ? try load(ModelCatalogue.faceMesh) : nil
    eye = options.classificationMode == .all ? try load(ModelCatalogue.iris) : nil
    self.files = files
  }
}
