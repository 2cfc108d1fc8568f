package import VStreamCore
internal import VStreamSystem

/// A model that vstream can read without a description.
package struct KnownModel: Hashable, Sendable {
  /// A model's output.
  package enum Purpose: String, Hashable, Sendable {
    case objects
    case faces
    case poses
    case categories
  }

  /// The name that users choose it by.
  package let name: String
  package let purpose: Purpose
  package let summary: String
  /// File name of the model in the folders that are searched.
  package let file: String
  package let licence: String
  /// Its publisher, and the package where `scripts/bootstrap` finds it.
  package let origin: String
  /// SHA-256 of the publisher's file, from which the IR is converted if `file` is not the publisher's own.
  package let sourceSHA256: String
  /// The shapes of its inputs and outputs, in their order.
  package internal(set) var inputs: [[Int]] = []
  package internal(set) var outputs: [[Int]] = []
  /// Bytes of the publisher's file; `nil` if it is not downloaded by itself.
  package internal(set) var sourceBytes: Int?
  /// The score that starts a track by default; `nil` where it is the usual one (`TrackerOptions`).
  package internal(set) var score: Double?
  /// Whether `scripts/bootstrap` installs it without an option.
  package internal(set) var isInDefaultSetUp = true
  /// URL of the publisher's folder with the file; `nil` for models that `scripts/bootstrap` converts.
  package internal(set) var publisher: String?

  /// The command that installs it.
  package var remedy: String {
    let command = isInDefaultSetUp ? Installation.setUpCommand : Installation.completeSetUpCommand
    return publisher == nil
      ? "\(command) installs it, or set VSTREAM_MODELS to its folder"
      : "'vstream models get \(name)' downloads it, or set VSTREAM_MODELS to its folder"
  }

  /// Path of the file: in `$VSTREAM_MODELS`, beside the program, or in `.deps/models`; `nil` if it is in none of them.
  package func locate() -> String? {
    ModelCatalogue.folders.map { "\($0)/\(file)" }.first(where: FileCheck.isReadable)
  }

  /// - Throws: `VStreamError.missingDependency` if the file is in none of the folders.
  package func requirePath() throws(VStreamError) -> String {
    guard let path = locate() else {
      throw VStreamError(
        .missingDependency, "the model '\(name)' (\(file)) is not in \(ModelCatalogue.folders.joined(separator: ", "))",
        remedy: "\(remedy)")
    }
    return path
  }
}
