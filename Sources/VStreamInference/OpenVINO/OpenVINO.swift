internal import CVStreamOpenVINO
internal import VStreamScene
internal import VStreamSystem

/// The library itself: found, opened and started once per process.
public enum OpenVINO {
  /// The build number of the library, for example `2026.4.1-22982-…`; `nil` if it is not installed.
  public static var version: String? {
    guard (try? load()) != nil else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, CVStreamOpenVINO_version(base, buffer.count) == 0 else { return nil }
      return String(cString: base)
    }
  }

  /// Opens the library from `$VSTREAM_OPENVINO` (a folder), beside the program, `.deps`, or where the loader looks.
  ///
  /// - Throws: `VStreamError.missingDependency`.
  static func load() throws(VStreamError) {
    let name = String(cString: CVStreamOpenVINO_libraryName)
    if let folder = Installation.environment("VSTREAM_OPENVINO") {
      guard CVStreamOpenVINO_load("\(folder)/\(name)") == 0 else { throw missing(in: " in $VSTREAM_OPENVINO") }
      return
    }
    let folders =
      ["\(Installation.programFolder)/../lib/vstream"]
      + (Installation.dependencyFolder.map { ["\($0)/openvino/libs"] } ?? [])
    for folder in folders where FileCheck.isReadable("\(folder)/\(name)") {
      guard CVStreamOpenVINO_load("\(folder)/\(name)") == 0 else { throw missing(in: "") }
      return
    }
    guard CVStreamOpenVINO_load(name) == 0 else { throw missing(in: "") }
  }

  private static func missing(in place: String) -> VStreamError {
    VStreamError(
      .missingDependency, "OpenVINO cannot be loaded\(place): \(String(cString: CVStreamOpenVINO_loadError()))",
      remedy: "scripts/bootstrap gets it; \(.detect, "none") runs without")
  }

  /// The core that all models are compiled by.
  static func core() throws(VStreamError) -> Core {
    try load()
    return try shared.get()
  }

  private static let shared: Result<Core, VStreamError> = {
    var core: OpaquePointer?
    let status = CVStreamOpenVINO_createCore(&core)
    guard status == 0, let core else { return .failure(failure("OpenVINO does not start", status)) }
    return .success(Core(core))
  }()

  /// Unchecked because the pointer is not Sendable; sound because OpenVINO's core may be called from any thread.
  final class Core: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
  }
}

/// An error of ours for a status of OpenVINO's, with the library's own words.
func failure(_ what: String, _ status: Int32, code: VStreamError.Code = .library, remedy: Message = "") -> VStreamError
{
  let report = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
    guard let base = buffer.baseAddress else { return "" }
    CVStreamOpenVINO_lastError(base, buffer.count)
    return String(cString: base)
  }
  // OpenVINO reports a chain of checks; the last line says what was wrong.
  let lines = report.split(separator: "\n").map { line in
    line.drop { $0.isWhitespace }
  }
  let words = lines.last { !$0.isEmpty && !$0.hasPrefix("Exception from") && !$0.hasPrefix("Check '") } ?? lines.last
  return VStreamError(code, words.map { "\(what): \($0)" } ?? "\(what): status \(status)", remedy: remedy)
}

/// The one place where OpenVINO's status codes are looked at.
func openVINO(_ what: @autoclosure () -> String, _ call: () -> Int32) throws(VStreamError) {
  let status = call()
  guard status == 0 else { throw failure(what(), status) }
}
