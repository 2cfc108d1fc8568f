internal import FoundationEssentials
package import VStreamCore
internal import VStreamSystem

extension DetectorDescription {
  /// Path of the file that describes a model.
  package static func path(beside model: String) -> String {
    let name = model.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let end = name.lastIndex(of: ".").map { model[..<$0] } ?? model[...]
    return "\(end).json"
  }

  /// Reads the file beside a model; `nil` if there is none.
  ///
  /// - Throws: `VStreamError.missingDependency` if the file is not a valid description.
  package init?(beside model: String) throws(VStreamError) {
    let path = Self.path(beside: model)
    guard let json = try Installation.contents(path) else { return nil }
    try self.init(json: json, path: path)
  }

  /// - Parameters:
  ///   - json: a file's bytes.
  ///   - path: the file's path, for messages.
  /// - Throws: `VStreamError.missingDependency` if the bytes are not a valid description.
  package init(json: [UInt8], path: String) throws(VStreamError) {
    let unknown: String?
    do {
      let keys = try JSONDecoder().decode(Keys.self, from: Data(json))
      self = try JSONDecoder().decode(DetectorDescription.self, from: Data(json))
      unknown = keys.unknown
    } catch {
      throw Self.fault(path, "is not a description of a detector: \(Self.reason(error))")
    }
    if let unknown { throw Self.fault(path, "has the unknown key '\(unknown)'") }
    if let invalidValue { throw Self.fault(path, "is invalid: \(invalidValue)") }
  }

  /// The keys of a file, known or not.
  private struct Keys: Decodable {
    /// The first unknown key in alphabetical order.
    let unknown: String?

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let file = try decoder.container(keyedBy: Key.self)
      let input = try? file.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "input"))
      let names = file.allKeys.map(\.stringValue).filter { DetectorDescription.CodingKeys(stringValue: $0) == nil }
      let more = input?.allKeys.map(\.stringValue).filter { Input.CodingKeys(stringValue: $0) == nil } ?? []
      unknown = (names + more).min()
    }
  }

  private static func fault(_ path: String, _ problem: String) -> VStreamError {
    VStreamError(
      .missingDependency, "'\(path)' \(problem)",
      remedy: #"for example {"layout":"yolox","input":{"order":"bgr","fit":"top-left"},"labels":["cat","dog"]}; "#
        + "layouts: \(OutputLayoutRegistry.names)")
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it cannot be read" }
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      return path.isEmpty
        ? "it is not JSON, or a number in it is too large or must be an integer"
        : "\(path) is invalid"
    case .keyNotFound(let key, _): return "\(key.stringValue) is missing"
    @unknown default: return "it cannot be read"
    }
  }
}
