internal import CVStreamOpenVINO
package import VStreamCore
internal import VStreamSystem

/// The library: located, opened and started once per process.
package enum OpenVINO {
  /// The build number of the library, for example `2026.4.1-22982-…`; `nil` if it is not installed.
  package static var version: String? {
    guard (try? load()) != nil else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, CVStreamOpenVINO_version(base, buffer.count) == 0 else { return nil }
      return String(cString: base)
    }
  }

  /// The build number of the library.
  ///
  /// - Throws: `VStreamError.missingDependency` if it cannot be loaded.
  package static func requireVersion() throws(VStreamError) -> String {
    try load()
    return version ?? ""
  }

  /// Opens the library from `$VSTREAM_OPENVINO` (a folder), beside the program, `.deps`, or in the loader's search path.
  ///
  /// - Throws: `VStreamError.missingDependency`.
  static func load() throws(VStreamError) {
    let name = String(cString: CVStreamOpenVINO_libraryName)
    if let folder = Installation.environment("VSTREAM_OPENVINO") {
      guard CVStreamOpenVINO_load("\(folder)/\(name)") == 0 else {
        throw missing(in: " in $VSTREAM_OPENVINO", remedy: "correct or unset VSTREAM_OPENVINO")
      }
      return
    }
    let folders =
      ["\(Installation.programFolder)/../lib/vstream"]
      + (Installation.dependencyFolder.map { ["\($0)/openvino/libs"] } ?? [])
    for folder in folders where FileCheck.isReadable("\(folder)/\(name)") {
      guard CVStreamOpenVINO_load("\(folder)/\(name)") == 0 else { throw missing() }
      return
    }
    guard CVStreamOpenVINO_load(name) == 0 else { throw missing() }
  }

  /// The subject of errors where it is missing.
  package static let subject = "OpenVINO"

  private static func missing(
    in location: String = "", remedy: String = "\(Installation.setUpCommand) installs it"
  ) -> VStreamError {
    VStreamError(
      .missingDependency, "OpenVINO cannot be loaded\(location): \(String(cString: CVStreamOpenVINO_loadError()))",
      subject: subject, remedy: "\(remedy)")
  }

  /// The core that compiles all models.
  static func core() throws(VStreamError) -> Core {
    try load()
    return try shared.get()
  }

  private static let shared: Result<Core, VStreamError> = {
    var core: OpaquePointer?
    let status = CVStreamOpenVINO_createCore(&core)
    guard status == 0, let core else { return .failure(failure("OpenVINO cannot be initialised", status)) }
    return .success(Core(core))
  }()

  /// Unchecked because the pointer is not Sendable; sound because OpenVINO's core may be called from any thread.
  final class Core: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
  }
}

/// The error for a status of OpenVINO, with the library's own message.
func failure(
  _ what: String, _ status: Int32, code: VStreamError.Code = .library, remedy: Message = ""
) -> VStreamError {
  let report = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
    guard let base = buffer.baseAddress else { return "" }
    CVStreamOpenVINO_lastError(base, buffer.count)
    return String(cString: base)
  }
  // OpenVINO reports a chain of failed checks; the last line is the cause.
  let lines = report.split(separator: "\n").map { line in
    line.drop { $0.isWhitespace }
  }
  let cause = lines.last { !$0.isEmpty && !$0.hasPrefix("Exception from") && !$0.hasPrefix("Check '") } ?? lines.last
  return VStreamError(code, cause.map { "\(what): \($0)" } ?? "\(what): status \(status)", remedy: remedy)
}

/// Throws `VStreamError.library` for a status of OpenVINO other than 0.
func openVINO(_ what: @autoclosure () -> String, _ call: () -> Int32) throws(VStreamError) {
  let status = call()
  guard status == 0 else { throw failure(what(), status) }
}
