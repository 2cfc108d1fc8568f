package import VStreamCore
internal import VStreamSystem
internal import VStreamTracking

/// Where models are searched for, and the object detectors that are chosen by a name.
extension ModelCatalogue {
  package static var objectModels: [KnownModel] { all.filter { $0.purpose == .objects } }

  /// An object detector of the catalogue; `nil` if the name is of none.
  package static func objectModel(named name: String) -> KnownModel? { objectModels.first { $0.name == name } }

  /// Path of an object detector, given its name in the catalogue, a path, or the name of a file among the fetched models;
  /// `nil` if there is none of these.
  ///
  /// - Throws: `VStreamError.missingDependency` if the model is known and not installed.
  package static func locateObjectModel(_ name: String) throws(VStreamError) -> String? {
    if let known = objectModel(named: name) { return try known.requirePath() }
    if FileCheck.isReadable(name) { return name }
    return fetchedFile(name)
  }

  /// The same, for a model that must exist.
  ///
  /// - Throws: `VStreamError.missingDependency` also if there is none of these.
  package static func objectModelPath(_ name: String) throws(VStreamError) -> String {
    if let path = try locateObjectModel(name) { return path }
    throw VStreamError(
      .missingDependency, "'\(name)' is neither a known object detector nor a file",
      remedy: "known: \(objectModels.map(\.name).joined(separator: ", "))")
  }

  /// The score that starts a track by default with an object detector: of the description beside its file, else of the
  /// catalogue, else 0.5. The model need not exist.
  ///
  /// - Parameter name: as `locateObjectModel` takes it.
  /// - Throws: `VStreamError.missingDependency` if the description is invalid.
  package static func score(ofObjectModel name: String) throws(VStreamError) -> Double {
    let known = objectModel(named: name)
    let path = known?.locate() ?? (FileCheck.isReadable(name) ? name : fetchedFile(name))
    let described = try path.flatMap { (path) throws(VStreamError) in try DetectorDescription(beside: path)?.score }
    return described ?? known?.score ?? TrackerOptions().minimumScore
  }

  /// Path of a file among the fetched models; `nil` if there is none of the name.
  static func fetchedFile(_ name: String) -> String? {
    guard !name.contains("/"), modelEndings.contains(where: name.hasSuffix) else { return nil }
    return fetchedFolder.map { "\($0)/\(name)" }.flatMap { FileCheck.isReadable($0) ? $0 : nil }
  }

  /// The names of files among the fetched models that may be object detectors and are not of the catalogue, in alphabetical
  /// order.
  package static var fetchedObjectModels: [String] {
    let known = Set(all.map(\.file))
    let names = fetchedFolder.flatMap { try? Folder.names(in: $0) } ?? []
    return names.filter { name in
      modelEndings.contains(where: name.hasSuffix) && !known.contains(name) && fetchedFile(name) != nil
    }.sorted()
  }

  /// How the names of files end that may be an object detector.
  private static let modelEndings = [".onnx", ".xml", ".tflite"]

  /// Folders with models, in the order they are searched.
  package static var folders: [String] {
    let named = Installation.environment("VSTREAM_MODELS").map { [$0] } ?? []
    let beside = ["/../share/vstream/models", "/models"].map { Installation.programFolder + $0 }
    let fetched = userFolder.map { [$0] } ?? []
    return named + beside + fetched + (Installation.dependencyFolder.map { [$0 + "/models"] } ?? [])
  }

  /// The folder that models are fetched into: `$VSTREAM_MODELS`, else the user's; `nil` for a user without a home.
  package static var fetchedFolder: String? { Installation.environment("VSTREAM_MODELS") ?? userFolder }

  /// The user's folder for models: `$XDG_DATA_HOME/vstream/models`, else `~/.local/share/vstream/models`; `nil` for a user
  /// without a home.
  static var userFolder: String? {
    let root =
      Installation.environment("XDG_DATA_HOME") ?? Installation.environment("HOME").map { $0 + "/.local/share" }
    return root.map { $0 + "/vstream/models" }
  }
}
