internal import VStreamCore
internal import VStreamPipeline
internal import VStreamSystem

/// Decides who may do what: by the token, by the cookie that a browser gets for it, and by the page that a request comes from.
final class AccessControl: Sendable {
  enum Decision: Hashable, Sendable {
    case allowed
    /// The token was in the address: the browser is to get the cookie, and the address without the token.
    case allowedByAddress
    case unauthorised
    /// Too many wrong tokens came from this client.
    case limited(seconds: Int)
    case forbidden(String, remedy: String)
  }

  /// `nil` where everybody on this machine may do everything.
  private let token: [UInt8]?
  /// The value of the cookie, chosen by chance when the program starts.
  let session: String
  private let failures = Monitor(FailureLimit())

  static let cookieName = "vstream_session"
  /// Bytes that a token has at least.
  static let minimumTokenBytes = 12

  init(token: [UInt8]?) {
    self.token = token
    var generator = SystemRandomNumberGenerator()
    session = Hexadecimal.text((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// Reads a token from a file: its first line.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`; `usage` for a token that is too short.
  static func token(of path: String) throws(VStreamError) -> [UInt8] {
    let bytes = try ReadableFile.bytes(of: path)
    let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first.map { $0.trimmed } ?? ""
    guard line.utf8.count >= minimumTokenBytes else {
      throw VStreamError(
        .usage, "the token in '\(path)' has fewer than \(minimumTokenBytes) characters", subject: path,
        remedy: "make one with 'openssl rand -hex 32'")
    }
    return Array(line.utf8)
  }

  func decide(_ request: WebRequest, at now: Double) -> Decision {
    let isWebSocket = request.headers["upgrade"] != nil
    if request.changesCameras || isWebSocket, request.isCrossOrigin, !isOwnPageBehindProxy(request) {
      return .forbidden(
        "the request comes from another server's page",
        remedy: "a proxy has to be named by trusted-proxies, and to state the host that it was asked for")
    }
    guard let token else {
      // A page elsewhere could otherwise reach this server by a name that leads to this machine.
      return request.asksForLoopback
        ? .allowed
        : .forbidden("without a token, this server answers as localhost only", remedy: "give it a token-file")
    }
    return hasCookie(request) ? .allowed : decide(request, token: token, at: now)
  }

  private func hasCookie(_ request: WebRequest) -> Bool {
    request.cookies(Self.cookieName).contains { Self.isEqual(Array($0.utf8), Array(session.utf8)) }
  }

  /// Whether a page is this server's own although its host is not known, as the proxy does not state it: browsers send the cookie
  /// with requests of no other site's page.
  private func isOwnPageBehindProxy(_ request: WebRequest) -> Bool {
    guard request.hidesHost, let page = request.origin?.authority else { return false }
    return token == nil ? page.isLoopback : hasCookie(request)
  }

  private func decide(_ request: WebRequest, token: [UInt8], at now: Double) -> Decision {
    let header = request.headers["authorization"].flatMap { text in
      text.lowercased().hasPrefix("bearer ") ? text.dropFirst("bearer ".count).trimmed : nil
    }
    guard let given = header ?? request.query["token"] else { return .unauthorised }
    // A client has as many addresses of IPv6 as it wants.
    let client = IPAddress(request.client.address)?.ofClient.description ?? ""
    if let seconds = failures.read({ $0.waitSeconds(for: client, at: now) }) {
      return .limited(seconds: seconds)
    }
    guard Self.isEqual(Array(given.utf8), token) else {
      failures.update { $0.note(client, at: now) }
      return .unauthorised
    }
    return header != nil ? .allowed : .allowedByAddress
  }

  /// Compares in a time that depends on the lengths only.
  static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    var difference: UInt8 = one.count == other.count ? 0 : 1
    for index in one.indices { difference |= one[index] ^ (other.isEmpty ? 1 : other[index % other.count]) }
    return difference == 0
  }
}

/// How many wrong tokens came from each client. A value; its owner passes in the time.
struct FailureLimit: Sendable {
  private var failures: [String: [Double]] = [:]

  /// Wrong tokens that a client may send within `window` seconds.
  static let maximumCount = 10
  static let window = 60.0
  /// Clients that are remembered; beyond that, all count as one.
  private static let maximumClients = 4096
  private static let others = "others"

  mutating func note(_ client: String, at now: Double) {
    if failures.count >= Self.maximumClients {
      failures = failures.filter { $0.value.contains { now - $0 < Self.window } }
    }
    let key = failures[client] != nil || failures.count < Self.maximumClients ? client : Self.others
    failures[key] = ((failures[key] ?? []).filter { now - $0 < Self.window } + [now]).suffix(Self.maximumCount)
  }

  /// Seconds after which the client may try again; `nil` if it may at once.
  func waitSeconds(for client: String, at now: Double) -> Int? {
    let key = failures[client] != nil || failures.count < Self.maximumClients ? client : Self.others
    let recent = (failures[key] ?? []).filter { now - $0 < Self.window }
    guard recent.count >= Self.maximumCount, let oldest = recent.first else { return nil }
    return max(1, Int((oldest + Self.window - now).rounded(.up)))
  }
}
