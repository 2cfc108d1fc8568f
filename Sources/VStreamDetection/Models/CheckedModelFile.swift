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
