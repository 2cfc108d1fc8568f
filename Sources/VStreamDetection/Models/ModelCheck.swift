package import VStreamCore
internal import VStreamInference
internal import VStreamMedia

/// Checks models: the file's checksum, whether it loads, and its shapes.
package enum ModelCheck {
  /// Checks a model of the catalogue.
  ///
  /// - Returns: the model's properties, as names and values.
  /// - Throws: `VStreamError.missingDependency` if the model is not installed, or is another than expected.
  package static func check(_ known: KnownModel) throws(VStreamError) -> [(name: String, value: String)] {
    let path = try known.requirePath()
    var found = [(name: "file", value: path)]
    // For a model converted from the publisher's file, only that file's checksum is known.
    if known.publisher != nil {
      let hash = try FileHash.sha256(of: path)
      guard hash == known.sourceSHA256 else {
        throw VStreamError(
          .missingDependency, "'\(path)' is not \(known.name): its SHA-256 is \(hash), not \(known.sourceSHA256)",
          remedy: "remove it; \(known.remedy)")
      }
      found.append(("SHA-256", "\(hash), as published"))
    }
    let model = try Model(path: path, configuration: ModelConfiguration(usesCache: false))
    let (inputs, outputs) = (model.inputs.map(\.shape), model.outputs.map(\.shape))
    guard inputs == known.inputs, outputs == known.outputs else {
      throw VStreamError(
        .missingDependency,
        "'\(path)' is not \(known.name): it takes \(inputs) and gives \(outputs), not \(known.inputs) and "
          + "\(known.outputs)", remedy: "\(known.remedy)")
    }
    return found + ports(of: model)
  }

  /// Determines how an object detector is read, and the score that starts a track with it.
  ///
  /// - Parameter path: of the model's file.
  /// - Parameter known: the model of the catalogue that it is; `nil` for another.
  /// - Returns: the model's properties, as names and values.
  /// - Throws: `VStreamError.missingDependency` if it cannot be read, or it is not clear how.
  package static func describe(
    objectModel path: String, known: KnownModel? = nil
  ) throws(VStreamError) -> [(name: String, value: String)] {
    let model = try ObjectModel(path: path, configuration: ModelConfiguration(usesCache: false))
    let score = try ModelCatalogue.score(ofObjectModel: known?.name ?? path)
    return [("file", path), ("SHA-256", try FileHash.sha256(of: path))] + ports(of: model.model) + model.summary
      + [("score", "\(score) starts a track")]
  }

  private static func ports(of model: Model) -> [(name: String, value: String)] {
    model.inputs.map { ("takes", $0.label) } + model.outputs.map { ("gives", $0.label) }
  }
}
