internal import VStreamSystem

/// A request, without the network.
struct WebRequest: Hashable, Sendable {
  enum Method: String, Hashable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
  }

  /// `nil` for methods that no address has.
  var method: Method?
  /// The parts of the path, decoded: `["api", "v1", "cameras"]`.
  var path: [String]
  /// The decoded parameters of the query; the first of each name counts.
  var query: [String: String]
  /// By their names in lower case; of several, the first.
  var headers: [String: String]
  /// The client's address, without its port.
  var client: String
  var body: [UInt8] = []

  /// - Parameter target: of the request: path and query.
  /// - Returns: `nil` for a target that is not one of ours.
  init?(method: String, target: String, headers: [(name: String, value: String)], client: String) {
    guard target.utf8.count <= Self.maximumTargetBytes, target.hasPrefix("/") else { return nil }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path: [String] = []
    for part in parts[0].split(separator: "/") {
      guard let decoded = PercentEncoding.decoded(part) else { return nil }
      path.append(decoded)
    }
    self.method = Method(rawValue: method)
    self.path = path
    query = PercentEncoding.parameters(parts.count > 1 ? parts[1] : "")
    self.headers = [:]
    for (name, value) in headers where self.headers[name.lowercased()] == nil {
      self.headers[name.lowercased()] = value
    }
    self.client = client
  }

  private static let maximumTargetBytes = 4096

  /// The value of a cookie.
  func cookie(_ name: String) -> String? {
    for pair in (headers["cookie"] ?? "").split(separator: ";") {
      let pair = pair.trimmed
      if pair.hasPrefix("\(name)=") { return String(pair.dropFirst(name.count + 1)) }
    }
    return nil
  }

  /// Whether it comes from a page of another server: browsers state where the page came from.
  var isCrossOrigin: Bool {
    guard let origin = headers["origin"] else { return false }
    let authority = origin.firstRange(of: "://").map { String(origin[$0.upperBound...]) }
    return authority == nil || authority?.lowercased() != headers["host"]?.lowercased()
  }

  /// The host that the client named, without its port.
  var host: String {
    let host = (headers["host"] ?? "").lowercased()
    if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
    return String(host.prefix { $0 != ":" })
  }
}

/// The encoding of texts in addresses.
enum PercentEncoding {
  /// - Returns: `nil` if it is damaged, or is not UTF-8.
  static func decoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The parameters of a query; damaged ones are omitted.
  static func parameters(_ query: Substring) -> [String: String] {
    var parameters: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? parts[1].replacing("+", with: " ") : ""
      guard let name = decoded(parts[0]), let text = decoded(value), parameters[name] == nil else { continue }
      parameters[name] = text
    }
    return parameters
  }
}
