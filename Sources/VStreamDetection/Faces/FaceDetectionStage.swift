package import VStreamCore
package import VStreamInference
package import VStreamMedia

/// Detects any number of faces: boxes, head angles, landmarks, contours and expressions, without IDs.
///
/// If more than boxes is requested, faces are tracked by their meshes (`MeshFaceSearch`). Otherwise the detector runs on known faces
/// in every frame.
///
/// One owner at a time, in stream mode one for each stream, its frames in their order; the models are shared.
package struct FaceDetectionStage: OverlappingDetecting {
  package let options: FaceDetectorOptions
  private var finder: FaceFinder
  /// `nil` if only boxes are requested.
  private var meshes: MeshFaceSearch?
  /// Searches for boxes alone.
  private var inFlight: [FaceFinder.Search] = []

  /// - Throws: `VStreamError.missingDependency` if a model has other inputs or outputs than expected.
  package init(_ models: FaceModels, options: FaceDetectorOptions) throws(VStreamError) {
    self.options = options
    finder = try FaceFinder(models.finder, options)
    if options.needsMesh, let mesh = models.mesh {
      meshes = try MeshFaceSearch(options, meshModel: mesh, eyeModel: models.eye)
    }
  }

  package mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    Detections(faces: try faces(in: frame, timer: timer))
  }

  /// The faces in a frame, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled or a network fails.
  package mutating func faces(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedFace] {
    try start(frame, timer: timer)
    return try finishFaces(timer)
  }

  package var framesInFlight: Int { meshes != nil || options.detectorMode == .stream ? 2 : 1 }

  package mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    if try meshes?.start(frame, with: &finder, timer: timer) != nil { return }
    inFlight.append(try finder.start(on: frame, timer: timer))
  }

  package mutating func finish(timer: any StepTimer) throws -> Detections {
    Detections(faces: try finishFaces(timer))
  }

  private mutating func finishFaces(_ timer: any StepTimer) throws -> [DetectedFace] {
    if let faces = try meshes?.finish(with: &finder, timer: timer) { return faces }
    return try finder.finish(inFlight.removeFirst(), timer: timer).map(DetectedFace.init(boxOf:))
  }
}

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
