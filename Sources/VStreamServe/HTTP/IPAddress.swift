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
    if let address = IPAddress(text) {
      self = address
    } else if let authority = Authority(text), let address = IPAddress(authority.host) {
      self = address
    } else {
      return nil
    }
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

  /// The address of one client: IPv4, or the first half of IPv6, of which a client has the other half to itself.
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
