internal import VStreamScene

/// An address and a port at which the server listens.
struct ListeningAddress: Hashable, Sendable, CustomStringConvertible {
  /// An IP address, or `localhost`.
  let host: String
  /// 0 for any that is free.
  let port: Int

  static let standard = ListeningAddress(host: "127.0.0.1", port: 8480)

  /// Parses `HOST:PORT`, `[IPv6]:PORT` or a port.
  ///
  /// - Returns: `nil` for other texts.
  init?(_ text: String) {
    if let port = Self.port(text[...]) {
      self.init(host: Self.standard.host, port: port)
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
      return nil
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: host, port: port)
  }

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  private static func port(_ text: Substring) -> Int? {
    guard let port = Int(digits: text), (0...65_535).contains(port) else { return nil }
    return port
  }

  /// Whether only this machine reaches it.
  var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
