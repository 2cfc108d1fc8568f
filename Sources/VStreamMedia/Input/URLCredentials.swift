internal import VStreamCore

/// The user and password of a URL, percent-encoded for libav, which takes the first slash, question mark or number sign for the
/// end of the host.
enum URLCredentials {
  /// The URL as libav opens it: `rtsp://me:p#a/s@host/a` as `rtsp://me:p%23a%2Fs@host/a`.
  ///
  /// `%` with two hexadecimal digits stays, so that an encoded URL does too.
  ///
  /// - Throws: `VStreamError.usage` if more than one @ may be the one before the host, or none, and for protocols that decode
  ///   no user and password.
  static func encoded(_ url: String) throws(VStreamError) -> String {
    guard let mark = url.firstRange(of: "://") else { return url }
    let scheme = url[..<mark.lowerBound].lowercased()
    if scheme == "srt" { return url.replacing(" ", with: "+") }
    guard usual.contains(scheme) || undecoded.contains(scheme) else { return url }
    let rest = url[mark.upperBound...]
    let end = authorityEnd(of: rest)
    let hasSpecial = isMisread(rest, end: end)
    if hasSpecial, undecoded.contains(scheme) { throw refused(url, "FFmpeg cannot send them by \(scheme)", remedy: "") }
    guard !undecoded.contains(scheme) else { return url }
    var at = rest[..<end].lastIndex(of: "@")
    if hasSpecial {
      let hosts = rest.indices.filter { rest[$0] == "@" && startsWithHost(rest[rest.index(after: $0)...]) }
      guard hosts.count == 1 else { throw refused(url, "the host is not clear", remedy: remedy) }
      at = hosts.first
    }
    guard let at else { return url }
    let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(escaped)
    return url[..<mark.upperBound] + parts.joined(separator: ":") + rest[at...]
  }

  /// The remedy for special characters. No word of it has the form of a URL with a password, which messages do not show.
  static let remedy: Message =
    "percent-encode them: %23 for #, %2F for /, %3F for ?, %40 for @, %25 for %"

  /// Whether the host and path of a URL, as libav reads them, may be part of a password.
  static func mayBeMisread(_ url: String) -> Bool {
    guard let url = try? encoded(url), let mark = url.firstRange(of: "://") else { return false }
    let rest = url[mark.upperBound...]
    return rest[..<authorityEnd(of: rest)].contains(":") && rest[authorityEnd(of: rest)...].contains("@")
  }

  /// Protocols whose user and password libav decodes.
  private static let usual: Set = ["http", "https", "rtsp", "rtsps"]
  private static let undecoded: Set = ["rtmp", "rtmps", "rtmpt", "rtmpe", "rtmpte", "rtmpts", "ftp"]

  private static func refused(_ url: String, _ reason: String, remedy: Message) -> VStreamError {
    VStreamError(
      .usage,
      "the password in '\(ShownLocation.text(url))' has special characters (one of # / ? @), and \(reason)",
      subject: url, remedy: remedy.isEmpty ? "choose a password without them" : remedy)
  }

  private static func authorityEnd(of rest: Substring) -> Substring.Index {
    rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
  }

  /// Whether the first slash, question mark or number sign can only be part of a password.
  private static func isMisread(_ rest: Substring, end: Substring.Index) -> Bool {
    guard let at = rest.lastIndex(of: "@"), end < at, let colon = rest[..<at].firstIndex(of: ":") else { return false }
    // Streams have no fragments, and a query without a value has no @.
    if rest[end] == "#" || (rest[end] == "?" && !rest[end..<at].contains("=")) { return true }
    guard colon < end, !rest[..<end].contains("@"), rest.first != "[" || !rest[..<end].contains("]") else {
      return false
    }
    return !isPort(rest[rest.index(after: colon)..<end])
  }

  private static func isPort(_ text: Substring) -> Bool {
    (1...5).contains(text.count) && text.allSatisfy { $0.isASCII && $0.isNumber }
  }

  /// Whether a text is a host, perhaps with a port, and a path or query.
  private static func startsWithHost(_ text: Substring) -> Bool {
    let authority = text.prefix { $0 != "/" && $0 != "?" }
    let isAddress = authority.first == "["
    let host = isAddress ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    let rest = authority.dropFirst(host.count + (isAddress ? 1 : 0))
    let characters = isAddress ? "[:.%" : "-._"
    return !host.isEmpty && host.allSatisfy { $0.isLetter || $0.isNumber || characters.contains($0) }
      && (rest.isEmpty || rest.first == ":" && isPort(rest.dropFirst()))
  }

  private static let harmless = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:".unicodeScalars)

  /// A user or password with each byte but letters, digits and harmless signs in the form `%2F`.
  private static func escaped(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var escaped = ""
    for (index, byte) in bytes.enumerated() {
      let scalar = Unicode.Scalar(byte)
      let isEscape =
        scalar == "%" && index + 2 < bytes.count
        && bytes[(index + 1)...(index + 2)].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
      if isEscape || harmless.contains(scalar) {
        escaped.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        escaped += "%" + (byte < 16 ? "0" : "") + digits
      }
    }
    return escaped
  }
}
