internal import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// An IP address. An IPv4 address equals the IPv6 address that it is mapped to.
struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// Of IPv6: an IPv4 address is the end of `::ffff:0:0/96`.
  private var bytes: [UInt8]

  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
  static let bitCount = 128
  /// Bits before an IPv4 address.
  static let mappedBitCount = 96

  /// Parses an address of four decimal numbers, or of IPv6, without brackets, zone and port.
  ///
  /// - Returns: `nil` for other texts. The C function is `inet_pton`.
  init?(_ text: some StringProtocol) {
    // C takes a zero for the end.
    guard !text.utf8.contains(0) else { return nil }
    let text = String(text)
    let isIPv6 = text.contains(":")
    var parsed = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
    guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &parsed) == 1 else { return nil }
    bytes = isIPv6 ? parsed : Self.mappedPrefix + parsed
  }

  /// Parses an address of `X-Forwarded-For`: with or without a port, and with brackets about IPv6.
  ///
  /// - Returns: `nil` for other texts, such as `unknown`.
  init?(forwarded text: some StringProtocol) {
    let text = text.trimmed
    guard let address = IPAddress(text) ?? Authority(text).flatMap({ IPAddress($0.host) }) else { return nil }
    self = address
  }

  var isIPv4: Bool { bytes.starts(with: Self.mappedPrefix) }

  /// Whether it is this machine's own: 127.0.0.0/8 or `::1`.
  var isLoopback: Bool { isIPv4 ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

  /// The address with all bits but the first ones zero.
  func masked(to count: Int) -> IPAddress {
    var masked = self
    for index in bytes.indices {
      let kept = min(8, max(0, count - 8 * index))
      masked.bytes[index] &= UInt8(truncatingIfNeeded: 0xFF00 >> kept)
    }
    return masked
  }

  /// The address of one client: IPv4, or the first half of IPv6, as a client has the whole second half.
  var ofClient: IPAddress { isIPv4 ? self : masked(to: Self.bitCount / 2) }

  /// `10.0.0.1`, or all groups of IPv6: `2001:db8:0:0:0:0:0:1`.
  var description: String {
    if isIPv4 { return bytes[12...].map { "\($0)" }.joined(separator: ".") }
    let groups = stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
    return groups.map { String($0, radix: 16) }.joined(separator: ":")
  }
}

/// The addresses that begin with the same bits: `10.0.0.0/8`, or one address.
struct AddressRange: Hashable, Sendable {
  static let remedy = "write, for example, 127.0.0.1 or 172.16.0.0/12"

  private let start: IPAddress
  private let bits: Int

  /// - Returns: `nil` for texts that are neither an address nor a network.
  init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else { return nil }
    let skipped = address.isIPv4 && !parts[0].contains(":") ? IPAddress.mappedBitCount : 0
    guard parts.count == 2 else {
      (start, bits) = (address, IPAddress.bitCount)
      return
    }
    guard let count = Int(digits: parts[1]), skipped + count <= IPAddress.bitCount else { return nil }
    bits = skipped + count
    start = address.masked(to: bits)
  }

  func contains(_ address: IPAddress) -> Bool { address.masked(to: bits) == start }
}

/// The host and the port of an address: `nvr.example:8480`, `[::1]`.
struct Authority: Hashable, Sendable {
  /// In lower case, without brackets.
  let host: String
  let port: Int?

  /// - Returns: `nil` for other texts.
  init?(_ text: some StringProtocol) {
    let text = text.lowercased()
    let isBracketed = text.hasPrefix("[")
    guard let end = isBracketed ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex else {
      return nil
    }
    host = String(isBracketed ? text[..<end].dropFirst() : text[..<end])
    let rest = isBracketed ? text[end...].dropFirst() : text[end...]
    guard !host.isEmpty, !host.contains(where: { "/@?#[] ".contains($0) }) else { return nil }
    if isBracketed, IPAddress(host) == nil { return nil }
    guard !rest.isEmpty else {
      port = nil
      return
    }
    guard rest.hasPrefix(":"), let number = Int(digits: rest.dropFirst()), number <= UInt16.max else { return nil }
    port = number
  }

  /// Whether it is a name of this machine for itself.
  var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }
}

extension Int {
  /// Parses decimal digits, without a sign; 18 at most.
  init?(digits text: some StringProtocol) {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text)
  }
}

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
