import Foundation

/// Files of the checkout that tests read.
public enum Checkout {
  public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Path of a clip in `SampleVideos`.
  public static func sample(_ name: String) -> String { root.appending(path: "SampleVideos/\(name)").path }

  /// Path of a file in the folder `Fixtures` of a test module.
  ///
  /// - Parameter file: a test of the module; it may lie in a folder beside `Fixtures`.
  public static func fixture(_ name: String, of file: String = #filePath) -> String {
    let tests = root.appending(path: "Tests").path
    let module = file.dropFirst(tests.count + 1).prefix { $0 != "/" }
    return "\(tests)/\(module)/Fixtures/\(name)"
  }
}

/// A folder that is removed with its contents when the object is deinitialised.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "vstream-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file in the folder, and returns its path.
  public func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: file(name)))
    return file(name)
  }

  /// Names of the files in the folder, sorted.
  public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}
