public import VStreamDetection
internal import VStreamInference

/// The models of one or more runs' detectors, each loaded once. Concurrent callers wait for the load.
public final class DetectorModels: Sendable {
  enum Identity: Hashable, Sendable {
    case objects(path: String, device: String)
    case faces(FaceDetectorOptions, isChecked: Bool)
    case poses
    case custom(ObjectIdentifier, DetectorRequirements)
  }

  private struct Contents: Sendable {
    var loaded: [Identity: (configuration: ModelConfiguration, model: any Sendable)] = [:]
    var files: [CheckedModelFile] = []
  }

  private let contents = Lock(Contents())

  public init() {}

  /// The model files whose checksums were compared, each once.
  public var checkedFiles: [CheckedModelFile] { contents.withLock { $0.files } }

  func add(checked files: [CheckedModelFile]) {
    contents.withLock { contents in contents.files += files.filter { !contents.files.contains($0) } }
  }

  /// A model, which is loaded unless it was loaded last with the same configuration.
  ///
  /// - Throws: the error of `load`, which is tried again by the next call.
  func load<Model: Sendable>(
    _ identity: Identity, _ configuration: ModelConfiguration, _ load: () throws -> Model
  ) throws -> Model {
    try contents.withLock { contents -> Result<Model, any Error> in
      if let known = contents.loaded[identity], known.configuration == configuration, let model = known.model as? Model
      {
        return .success(model)
      }
      return Result {
        let model = try load()
        contents.loaded[identity] = (configuration, model)
        return model
      }
    }.get()
  }
}
