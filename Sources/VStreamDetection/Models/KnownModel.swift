public import VStreamScene
internal import VStreamSystem

/// A model that vstream can read without a description.
public struct KnownModel: Hashable, Sendable {
  /// A model's output.
  public enum Purpose: String, Hashable, Sendable {
    case objects
    case faces
    case poses
    case categories
  }

  /// The name that users choose it by.
  public let name: String
  public let purpose: Purpose
  public let summary: String
  /// File name of the model in the folders that are searched.
  public let file: String
  public let licence: String
  /// Its publisher, and the package where `scripts/bootstrap` finds it.
  public let origin: String
  /// SHA-256 of the publisher's file, from which the IR is converted if `file` is not the publisher's own.
  public let sourceSHA256: String
  /// The shapes of its inputs and outputs, in their order.
  public internal(set) var inputs: [[Int]] = []
  public internal(set) var outputs: [[Int]] = []
  /// Bytes of the publisher's file; `nil` if it is not downloaded by itself.
  public internal(set) var sourceBytes: Int?
  /// The score that starts a track by default; `nil` where it is the usual one (`TrackerOptions`).
  public internal(set) var score: Double?
  /// Whether `scripts/bootstrap` installs it without an option.
  public internal(set) var isInDefaultSetUp = true
  /// URL of the publisher's folder with the file; `nil` for models that `scripts/bootstrap` converts.
  public internal(set) var publisher: String?

  /// The command that installs it.
  public var remedy: String {
    let command = isInDefaultSetUp ? Installation.setUpCommand : Installation.completeSetUpCommand
    return publisher == nil
      ? "\(command) installs it, or set VSTREAM_MODELS to its folder"
      : "'vstream models get \(name)' downloads it, or set VSTREAM_MODELS to its folder"
  }

  /// Path of the file: in `$VSTREAM_MODELS`, beside the program, or in `.deps/models`; `nil` if it is in none of them.
  public func locate() -> String? {
    ModelCatalogue.folders.map { "\($0)/\(file)" }.first(where: FileCheck.isReadable)
  }

  /// - Throws: `VStreamError.missingDependency` if the file is in none of the folders.
  public func requirePath() throws(VStreamError) -> String {
    guard let path = locate() else {
      throw VStreamError(
        .missingDependency, "the model '\(name)' (\(file)) is not in \(ModelCatalogue.folders.joined(separator: ", "))",
        remedy: "\(remedy)")
    }
    return path
  }
}
