package import VStreamCore
internal import VStreamInference
internal import VStreamMedia
internal import VStreamSystem

/// A file of a model, with the checksum that it had when the model was loaded.
///
/// A network that was damaged may run without an error and detect nothing. The checksums that are known are those of the
/// catalogue, and those in the file `SHA256SUMS` beside the model, as `sha256sum` prints them: `scripts/bootstrap` writes it
/// when it converts the models, which differ from machine to machine.
package struct CheckedModelFile: Hashable, Sendable {
  /// The file's name, without its folder.
  package let name: String
  /// SHA-256 in hexadecimal.
  package let sha256: String
  /// Whether this checksum is known, and so the file is intact.
  package let isKnown: Bool

  private static let sums = "SHA256SUMS"

  /// Computes the checksums of a model's files, and compares them with the known ones.
  ///
  /// - Throws: `VStreamError.missingDependency` if a file is damaged, or it belongs to a model of the catalogue and no checksum
  ///   of it is known; `inputOutput` if it cannot be read.
  package static func files(of path: String) throws(VStreamError) -> [CheckedModelFile] {
    let known = ModelCatalogue.all.first { $0.locate() == path }
    let recorded = try recordedSums(in: Path.folder(of: path))
    return try Model.files(of: path).map { file throws(VStreamError) in
      let name = String(Path.name(of: file))
      let hash = try FileHash.sha256(of: file)
      let published = known?.publisher != nil && known?.file == name ? known?.sourceSHA256 : nil
      guard let expected = published ?? recorded[name] else {
        guard known == nil else { throw unknown(file) }
        return CheckedModelFile(name: name, sha256: hash, isKnown: false)
      }
      guard hash == expected.lowercased() else { throw damaged(file, hash, expected, known) }
      return CheckedModelFile(name: name, sha256: hash, isKnown: true)
    }
  }

  /// The checksums by the files' names; empty without a file of them.
  private static func recordedSums(in folder: String) throws(VStreamError) -> [String: String] {
    let path = "\(folder)/\(sums)"
    guard FileCheck.isReadable(path) else { return [:] }
    var found: [String: String] = [:]
    for line in String(decoding: try ReadableFile.bytes(of: path), as: UTF8.self).split(whereSeparator: \.isNewline) {
      // A space or asterisk before the name stands for its reading mode.
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].count == 64 else { continue }
      found[String(parts[1].drop { $0 == " " || $0 == "*" })] = String(parts[0])
    }
    return found
  }

  private static func damaged(
    _ file: String, _ hash: String, _ expected: String, _ known: KnownModel?
  ) -> VStreamError {
    VStreamError(
      .missingDependency, "the model's file '\(file)' is damaged: its SHA-256 is \(hash), not \(expected)",
      subject: file,
      remedy: known.map { "remove it; \($0.remedy)" } ?? "restore it, or correct \(sums) beside it")
  }

  private static func unknown(_ file: String) -> VStreamError {
    VStreamError(
      .missingDependency, "it is unknown whether the model's file '\(file)' is intact: no \(sums) beside it lists it",
      subject: file, remedy: "\(Installation.completeSetUpCommand) writes \(sums); copy it together with the models")
  }
}

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
