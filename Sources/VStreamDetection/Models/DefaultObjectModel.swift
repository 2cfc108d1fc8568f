package import VStreamCore
internal import VStreamSystem

/// The object detector that the command uses unless it is given another: one that the user has chosen, else the built-in one.
///
/// The choice is the name in a file beside the fetched models.
package enum DefaultObjectModel {
  private static let fileName = "default-object-model"
  /// Longest name that is read, in bytes.
  private static let maximumLength = 255

  /// Path of the file with the choice; `nil` for a user without a home.
  package static var path: String? { ModelCatalogue.fetchedFolder.map { "\($0)/\(fileName)" } }

  /// The name of the model: of the catalogue, or of a file among the fetched models.
  ///
  /// - Throws: `VStreamError.missingDependency` if the file of the choice is damaged, or the chosen model is missing.
  package static func name() throws(VStreamError) -> String {
    let builtIn = ModelCatalogue.standardObjectModel.name
    guard let path, let bytes = try Installation.contents(path) else { return builtIn }
    let name = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    let problem: String
    if bytes.count > maximumLength || name.isEmpty || bytes != Array("\(name)\n".utf8) {
      problem = "does not hold the name of a model"
    } else if let known = ModelCatalogue.objectModel(named: name) {
      if known.locate() != nil { return name }
      problem = "names '\(name)', which is not present ('vstream models get \(name)' downloads it)"
    } else if ModelCatalogue.fetchedFile(name) != nil {
      return name
    } else {
      problem = "names '\(name.printable)', and there is no such model"
    }
    throw VStreamError(
      .missingDependency, "the choice of the default object model, '\(path)', \(problem)", subject: path,
      remedy: "'vstream models use NAME' chooses another, 'vstream models use \(builtIn)' the built-in one")
  }

  /// Makes a model the default.
  ///
  /// - Parameter name: of the catalogue, or of a file among the fetched models.
  /// - Throws: `VStreamError`: `usage` for a name of no object detector; `missingDependency` if the model is not present or
  ///   cannot be read; `cannotCreateOutput`, `inputOutput` if the choice cannot be saved.
  package static func choose(_ name: String) throws(VStreamError) {
    if let known = ModelCatalogue.objectModel(named: name) {
      _ = try known.requirePath()
    } else {
      guard let file = ModelCatalogue.fetchedFile(name) else { throw unknown(name) }
      _ = try ModelCheck.describe(objectModel: file)
    }
    guard let path, let folder = ModelCatalogue.fetchedFolder else {
      throw VStreamError(.usage, "there is no home folder for models", remedy: "name a folder in VSTREAM_MODELS")
    }
    if name == ModelCatalogue.standardObjectModel.name {
      PartFile.remove(path)
      return
    }
    try Folder.createWithParents(folder)
    try PartFile.write(Array("\(name)\n".utf8), for: path)
    try PartFile.commit(path)
  }

  private static func unknown(_ name: String) -> VStreamError {
    let names = ModelCatalogue.objectModels.map(\.name) + ModelCatalogue.fetchedObjectModels
    if let other = ModelCatalogue.all.first(where: { $0.name == name }) {
      return VStreamError(
        .usage, "'\(name)' detects no objects but \(other.purpose.rawValue)",
        remedy: "models of objects: \(names.joined(separator: ", "))")
    }
    let similar = SimilarNames.of(name, in: names)
    return VStreamError(
      .usage, "'\(name)' is not the name of an object model",
      remedy: similar.isEmpty
        ? "models of objects: \(names.joined(separator: ", ")); 'vstream models get URL' fetches others"
        : "did you mean \(similar.joined(separator: " or "))?")
  }
}
