internal import VStreamSystem

/// The connection by which a request came.
struct RequestConnection: Hashable, Sendable {
  /// The IP address of its other end.
  var peer = ""
  /// The address and port at which it came in.
  var local: ListeningAddress?
  var usesTLS = false
}

/// The proxies whose statements about their clients are believed.
struct TrustedProxies: Hashable, Sendable {
  var ranges: [AddressRange] = []

  /// A request's client, as far as trusted proxies state it.
  struct Client: Hashable, Sendable {
    var address: String
    /// The host that the client asked for, by the proxy's statement; `nil` without one.
    var host: String?
    /// Whether its connection is encrypted.
    var usesTLS: Bool
    /// Whether the request came through a trusted proxy.
    var isProxied = false
  }

  /// The client of a request: behind trusted proxies, the nearest address that is none of them.
  ///
  /// Every proxy adds the address of its own client to the end of `X-Forwarded-For`: addresses that a client made up are before
  /// the trusted proxies' entries. `Forwarded` is not read: a proxy that does not know it passes on the client's own.
  ///
  /// - Parameter header: the value of a header; of several of one name, all, with commas.
  func client(of connection: RequestConnection, header: (String) -> String?) -> Client {
    var client = Client(address: connection.peer, usesTLS: connection.usesTLS)
    guard var address = IPAddress(connection.peer) else { return client }
    var hops = 0
    var entries = Self.list(header("x-forwarded-for"))[...]
    while ranges.contains(where: { $0.contains(address) }) {
      hops += 1
      guard let next = entries.popLast().flatMap({ IPAddress(forwarded: $0) }) else { break }
      address = next
    }
    client.address = address.description
    guard hops > 0 else { return client }
    client.isProxied = true
    client.host = Self.statement(header("x-forwarded-host"), hops: hops)
    if let scheme = Self.statement(header("x-forwarded-proto"), hops: hops)?.lowercased() {
      client.usesTLS = scheme == "https" || scheme == "wss"
    }
    return client
  }

  private static func list(_ value: String?) -> [String] { (value ?? "").split(separator: ",").map { $0.trimmed } }

  /// The outermost trusted proxy's entry of a list to which each proxy may have added one.
  ///
  /// - Parameter hops: the number of trusted proxies.
  private static func statement(_ value: String?, hops: Int) -> String? { list(value).suffix(hops).first }
}
