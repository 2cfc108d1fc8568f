internal import VStreamCore
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
  /// As far as trusted proxies state it, otherwise the other end of the connection.
  var client: TrustedProxies.Client
  /// The address and port at which the request came in.
  private let local: ListeningAddress?
  var body: [UInt8] = []

  /// - Parameter target: of the request: path and query.
  /// - Returns: `nil` for a target that is not one of ours.
  init?(
    method: String, target: String, headers: [(name: String, value: String)], connection: RequestConnection,
    proxies: TrustedProxies = TrustedProxies()
  ) {
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
    local = connection.local
    client = proxies.client(of: connection) { name in
      let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ",")
    }
  }

  private static let maximumTargetBytes = 4096

  /// Whether its answer may change the cameras.
  var changesCameras: Bool { method != .get && method != .head }

  /// The values of the cookies of a name; another server of the same host may have set one.
  func cookies(_ name: String) -> [String] {
    (headers["cookie"] ?? "").split(separator: ";").compactMap { pair in
      let pair = pair.trimmed
      return pair.hasPrefix("\(name)=") ? String(pair.dropFirst(name.count + 1)) : nil
    }
  }

  /// Whether it comes from a page of another server: browsers state where the page came from.
  var isCrossOrigin: Bool {
    guard headers["origin"] != nil else { return false }
    guard let (scheme, page) = origin, let own = Authority(client.host ?? headers["host"] ?? "") else { return true }
    let port = ["http": 80, "https": 443][scheme]
    return page.host != own.host || (page.port ?? port) != (own.port ?? port)
  }

  /// The scheme and the authority of the page that it comes from; `nil` without a page, or one without an authority.
  var origin: (scheme: String, authority: Authority)? {
    guard let text = headers["origin"], let end = text.firstRange(of: "://"),
      let authority = Authority(text[end.upperBound...])
    else { return nil }
    return (text[..<end.lowerBound].lowercased(), authority)
  }

  /// Whether a trusted proxy put this server's own address in the place of the host that the client asked for, as nginx does
  /// by default, and does not state that host.
  var hidesHost: Bool {
    guard client.isProxied, client.host == nil, let local, let own = Authority(headers["host"] ?? "") else {
      return false
    }
    return own == Authority(local.description) || (own.isLoopback && own.port == local.port)
  }

  /// Whether the client asked for this machine by a name that no other domain has.
  var asksForLoopback: Bool {
    [headers["host"] ?? "", client.host].compactMap(\.self).allSatisfy { Authority($0)?.isLoopback == true }
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
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The value of a hexadecimal digit.
  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
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

/// A response, without the network.
struct WebResponse: Sendable {
  var status: Int
  var contentType: String
  var body: [UInt8]
  /// A streamed body, after the other one.
  var stream: StreamedBody?
  /// Beside the headers of all responses.
  var headers: [Header] = []

  struct Header: Hashable, Sendable {
    var name: String
    var value: String
  }

  init(status: Int = 200, contentType: String, body: [UInt8] = [], stream: StreamedBody? = nil) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.stream = stream
  }

  static func text(_ text: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  static func json(_ json: String, status: Int = 200) -> WebResponse {
    WebResponse(status: status, contentType: "application/json", body: Array("\(json)\n".utf8))
  }

  /// `{"error":…}`: the problem and its remedy.
  static func error(_ status: Int, _ problem: String, remedy: String = "") -> WebResponse {
    json(
      TextBuffer.json { json in
        json.add("error", problem)
        if !remedy.isEmpty { json.add("remedy", remedy) }
      }, status: status)
  }

  static func error(_ error: VStreamError) -> WebResponse {
    let status =
      switch error.code {
      case .usage: 400
      case .missingDependency: 503
      default: 500
      }
    return .error(
      status, error.problem.text(naming: \.configurationKey), remedy: error.advice.text(naming: \.configurationKey))
  }

  static let notFound = WebResponse.error(404, "there is no such address", remedy: "docs/serve.md lists them")

  func adding(_ name: String, _ value: String) -> WebResponse {
    var response = self
    response.headers.append(Header(name: name, value: value))
    return response
  }
}
