internal import VStreamCore
package import VStreamDetection
internal import VStreamInference

/// The models of one or more runs' detectors, each loaded once for a configuration. Concurrent callers wait for the load.
package final class DetectorModels: Sendable {
  enum Identity: Hashable, Sendable {
    /// `size`: that of the network's input, other than its file's.
    case objects(path: String, size: PixelSize? = nil)
    case faces(needsMesh: Bool, classifies: Bool, isChecked: Bool)
    case poses
    case custom(CustomDetector, DetectorRequirements)
  }

  private struct Loaded: Sendable {
    let configuration: ModelConfiguration
    let model: any Sendable
    var isChecked = false
  }

  /// Loads of different models do not wait for each other.
  private final class Entry: Sendable {
    let loaded = Lock<Loaded?>(nil)
  }

  private let entries = Lock<[Identity: Entry]>([:])
  private let files = Lock<[CheckedModelFile]>([])

  package init() {}

  /// The model files whose checksums were compared, each once.
  package var checkedFiles: [CheckedModelFile] { files.withLock { $0 } }

  func add(checked more: [CheckedModelFile]) {
    files.withLock { files in files += more.filter { !files.contains($0) } }
  }

  /// A model, which is loaded unless it was loaded last with the same configuration.
  ///
  /// - Parameter check: run once for a loaded model; `nil` if it need not be checked.
  /// - Throws: the error of `load` or `check`, which are tried again by the next call.
  func load<Model: Sendable>(
    _ identity: Identity, _ configuration: ModelConfiguration, check: ((Model) throws -> Void)? = nil,
    _ load: () throws -> Model
  ) throws -> Model {
    let entry = entries.withLock { entries in
      let entry = entries[identity] ?? Entry()
      entries[identity] = entry
      return entry
    }
    return try entry.loaded.withLock { loaded -> Result<Model, any Error> in
      Result {
        let model: Model
        if let known = loaded, known.configuration == configuration, let found = known.model as? Model {
          model = found
        } else {
          model = try load()
          loaded = Loaded(configuration: configuration, model: model)
        }
        if let check, loaded?.isChecked == false {
          try check(model)
          loaded?.isChecked = true
        }
        return model
      }
    }.get()
  }
}
