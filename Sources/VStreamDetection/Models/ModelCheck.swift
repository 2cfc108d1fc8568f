internal import VStreamInference
internal import VStreamMedia
public import VStreamScene

/// Whether a model is what it should be: its file's fingerprint, whether it loads, and its shapes.
public enum ModelCheck {
  /// Looks at a model of the catalogue.
  ///
  /// - Returns: what was found, line by line: what, and how.
  /// - Throws: `VStreamError.missingDependency` if the model is not there, or is not what it should be.
  public static func check(_ known: KnownModel) throws(VStreamError) -> [(name: String, value: String)] {
    let path = try known.requirePath()
    var found = [(name: "file", value: path)]
    // Of a model that is made of the publisher's file, only that one's fingerprint is known.
    if known.publisher != nil {
      let hash = try FileHash.sha256(of: path)
      guard hash == known.sourceSHA256 else {
        throw VStreamError(
          .missingDependency, "'\(path)' is not \(known.name): its SHA-256 is \(hash), and not \(known.sourceSHA256)",
          remedy: "remove it; \(known.remedy)")
      }
      found.append(("SHA-256", "\(hash), as its publisher gave it"))
    }
    let model = try Model(path: path, configuration: ModelConfiguration(usesCache: false))
    let (inputs, outputs) = (model.inputs.map(\.shape), model.outputs.map(\.shape))
    guard inputs == known.inputs, outputs == known.outputs else {
      throw VStreamError(
        .missingDependency,
        "'\(path)' is not \(known.name): it takes \(inputs) and gives \(outputs), instead of \(known.inputs) and "
          + "\(known.outputs)", remedy: "\(known.remedy)")
    }
    return found + ports(of: model)
  }

  /// How a detector of objects of one's own is read.
  ///
  /// - Returns: what was found, line by line: what, and how.
  /// - Throws: `VStreamError.missingDependency` if it cannot be read, or if it is not clear how to read it.
  public static func describe(objectModel path: String) throws(VStreamError) -> [(name: String, value: String)] {
    let model = try ObjectModel(path: path, configuration: ModelConfiguration(usesCache: false))
    return [("file", path), ("SHA-256", try FileHash.sha256(of: path))] + ports(of: model.model) + model.summary
  }

  private static func ports(of model: Model) -> [(name: String, value: String)] {
    model.inputs.map { ("takes", $0.label) } + model.outputs.map { ("gives", $0.label) }
  }
}
