/// Locations of inputs and outputs as they are shown: in messages, records, receipts and names of files.
///
/// Nothing else shows a location that may be a URL; `Message` shows all values by it. Possible secrets are replaced by `…`: a password,
/// the values of query parameters other than the harmless ones, and the stream key of RTMP.
package enum ShownLocation {
  /// A location without its secrets.
  package static func text(_ location: String) -> String {
    guard location.contains("|") else { return shown(location) }
    // Protocols such as `concat:` name several locations; other text may be the rest of a password.
    var locations: [String] = []
    for part in location.split(separator: "|", omittingEmptySubsequences: false).map(String.init) {
      if let last = locations.last, URLParts(last) != nil, URLParts(part) == nil {
        locations[locations.count - 1] = last + "|" + part
      } else {
        locations.append(part)
      }
    }
    return locations.map(shown).joined(separator: "|")
  }

  /// A library's text whose words may be locations.
  package static func inText(_ text: String) -> String {
    guard text.contains(":") else { return text }
    var shown = ""
    var start = text.startIndex
    while true {
      let end = wordEnd(in: text, from: start)
      shown += shownWord(text[start..<end])
      guard end < text.endIndex else { return shown }
      shown.append(text[end])
      start = text.index(after: end)
    }
  }

  /// The end of a word: of a URL whose password has spaces, the end of its host.
  private static func wordEnd(in text: String, from start: String.Index) -> String.Index {
    let end = text[start...].firstIndex(where: \.isWhitespace) ?? text.endIndex
    guard let parts = URLParts(String(text[start..<end])), parts.user == nil, parts.host.first != "[",
      let colon = parts.host.firstIndex(of: ":"), let at = text[end...].firstIndex(of: "@"),
      !parts.host[parts.host.index(after: colon)...].allSatisfy(\.isNumber)
    else { return end }
    return text[at...].firstIndex(where: \.isWhitespace) ?? text.endIndex
  }

  /// A word that may be a location, without the punctuation of the sentence behind it.
  private static func shownWord(_ word: Substring) -> String {
    let end = word.lastIndex { !punctuation.contains($0) }.map(word.index(after:)) ?? word.startIndex
    return text(String(word[..<end])) + word[end...]
  }

  private static let punctuation = "'\";:,.)]}>"

  /// A location, or a text that may contain some.
  static func inValue(_ value: String) -> String { URLParts.isLocation(value) ? text(value) : inText(value) }

  /// The last component of a location's path, without a query: of a URL without a path its host.
  package static func fileName(_ location: String) -> String {
    guard let parts = URLParts(location) else { return lastComponent(location[...]) }
    if let mark = parts.path.firstRange(of: "://"), let slash = parts.path[..<mark.lowerBound].lastIndex(of: "/") {
      return fileName(String(parts.path[parts.path.index(after: slash)...]))
    }
    let component = lastComponent(hidingPassword(inPath: parts.path))
    let name = component.contains("=") ? shownParameters(component[...], separators: parameterSeparators) : component
    return name.isEmpty ? String(parts.host) : parts.hidesPath ? "\(parts.host)" : name
  }

  /// The host of a URL, without its port and without the brackets of an IPv6 address; `nil` for other locations.
  package static func host(_ location: String) -> String? {
    guard let host = URLParts(location)?.host else { return nil }
    return String(host.first == "[" ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" })
  }

  private static func lastComponent(_ path: Substring) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? String(path)
  }

  private static func lastComponent(_ path: String) -> String { lastComponent(path[...]) }

  private static func shown(_ location: String) -> String {
    guard let parts = URLParts(location) else { return hidingPassword(location) }
    var text = String(parts.scheme) + parts.mark
    if let user = parts.user {
      // A token may be the user of a service that has no others; an escaped character may stand for the colon.
      let isToken = !parts.hasPassword && (user.count >= shortestToken || user.contains("%"))
      text += (isToken ? "…" : user) + (parts.hasPassword ? ":…" : "") + "@"
    }
    text += parts.host + (parts.hidesPath ? hidingName(parts.path) : shownPath(parts.path))
    guard let query = parts.query else { return text }
    return text + "?" + shownParameters(query, separators: "&;", isQuery: true)
  }

  /// A possible URL without its scheme, or with a mistyped one, with a password before the host.
  private static func hidingPassword(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    let start = text[..<at].ranges(of: "//").last?.upperBound ?? text.startIndex
    let name = text[start..<at].lastIndex(of: "/").map { text.index(after: $0) } ?? start
    return hidingPassword(inPath: text[name...], before: String(text[..<name]))
  }

  /// A path with a possible user, with a slash in the name, and a password before the host.
  private static func hidingPassword(inPath path: Substring, before: String = "") -> String {
    guard let at = path.lastIndex(of: "@"), let colon = path[..<at].firstIndex(of: ":") else { return before + path }
    return before + path[...colon] + "…" + path[at...]
  }

  private static let shortestToken = 16
  /// In paths.
  private static let parameterSeparators = "&;_ "

  /// A path without its last component.
  private static func hidingName(_ path: Substring) -> String {
    (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "…"
  }

  /// A path that may contain another location, as with proxies, or names and values, as with cameras.
  private static func shownPath(_ path: Substring) -> String {
    if let mark = path.firstRange(of: "://"), let slash = path[..<mark.lowerBound].lastIndex(of: "/") {
      let inner = path.index(after: slash)
      return shownPath(path[..<inner]) + shown(String(path[inner...]))
    }
    return hidingPassword(inPath: path).split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.contains("=") ? shownParameters($0, separators: parameterSeparators) : String($0) }
      .joined(separator: "/")
  }

  /// Names and values. Text without a name that follows a secret is part of it.
  private static func shownParameters(_ text: Substring, separators: String, isQuery: Bool = false) -> String {
    var shown = ""
    var start = text.startIndex
    var isSecret = false
    while true {
      let end = text[start...].firstIndex(where: separators.contains) ?? text.endIndex
      let parameter = text[start..<end]
      if !isSecret || parameter.contains("=") {
        if start > text.startIndex { shown.append(text[text.index(before: start)]) }
        let visible = isQuery ? shownInQuery(parameter) : shownInPath(parameter)
        isSecret = visible.hasSuffix("=…")
        shown += visible
      }
      guard end < text.endIndex else { return shown }
      start = text.index(after: end)
    }
  }

  /// A name and its value, if such values give no access; one without a name may be a token.
  private static func shownInQuery(_ parameter: Substring) -> String {
    let name = parameter.prefix { $0 != "=" }.lowercased()
    if parameter.isEmpty || harmlessNames.contains(name), isHarmless(parameter.dropFirst(name.count + 1)) {
      return String(parameter)
    }
    return parameter.firstIndex(of: "=").map { "\(parameter[..<$0])=…" } ?? "…"
  }

  /// Whether a value is a number, a time, a size or a short word.
  private static func isHarmless(_ value: Substring) -> Bool {
    value.count <= longestWord || value.allSatisfy { $0.isNumber || ".:x-".contains($0) }
  }

  private static let longestWord = 5

  /// Query parameters without secrets; a name that is not listed may be a secret's.
  private static let harmlessNames: Set = [
    "t", "start", "end", "time", "date", "duration", "format", "codec", "lang", "language", "quality", "resolution",
    "size", "width", "height", "w", "h", "fps", "framerate", "bitrate", "channel", "subtype", "stream", "profile",
    "camera", "mode", "latency", "rcvlatency", "peerlatency", "timeout", "pkt_size", "ttl", "fifo_size",
    "overrun_nonfatal", "buffer_size", "reuse", "localaddr", "localport", "listen", "transport", "tcp", "udp", "page",
    "limit", "offset", "index", "number",
  ]

  /// A name and its value in a path, where few values are secrets.
  private static func shownInPath(_ parameter: Substring) -> String {
    guard let equals = parameter.firstIndex(of: "=") else { return String(parameter) }
    let name = parameter[..<equals].lowercased()
    return secretNames.contains(where: name.contains) ? "\(parameter[..<equals])=…" : String(parameter)
  }

  /// Parts of the names of parameters that give access.
  private static let secretNames = [
    "token", "pass", "pwd", "pw", "secret", "key", "auth", "sig", "credential", "session", "jwt", "streamid", "hdnts",
    "hdnea", "mac", "playpath",
  ]
}

/// The parts of a URL. Lenient, as people write passwords with any characters in them.
private struct URLParts {
  let scheme: Substring
  /// The separator before the host: `://`.
  let mark: Substring
  let user: Substring?
  let hasPassword: Bool
  /// With the port.
  let host: Substring
  let path: Substring
  let query: Substring?

  /// - Returns: `nil` for other locations.
  init?(_ location: String) {
    guard let mark = Self.mark(in: location) else { return nil }
    // Others may precede it, as in `concat:rtsp://…`, or a quotation mark.
    let prefix = location[..<mark.lowerBound]
    guard let last = prefix.last, last.isLetter || last.isNumber else { return nil }
    scheme = prefix
    self.mark = location[mark]
    let rest = location[mark.upperBound...]
    // The password may contain a slash; the host does not contain an @.
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let lastAt = Self.at(in: rest, authorityEnd: end, hasUsers: !Self.hasNoUsers(scheme))
    let hostStart = lastAt.map { rest.index(after: $0) } ?? rest.startIndex
    if let lastAt {
      let info = rest[..<lastAt]
      let colon = info.firstIndex(of: ":") ?? Self.escapedColon(in: info)
      user = info[..<(colon ?? info.endIndex)]
      hasPassword = colon != nil
    } else {
      (user, hasPassword) = (nil, false)
    }
    // Behind a password with a query in it there may be a query's value instead of the host.
    let mayBeValue = lastAt.map { rest[..<$0].drop { $0 != "?" }.contains("=") } ?? false
    let place = mayBeValue ? "…" : rest[hostStart...]
    let hostEnd = place.firstIndex { "/?#".contains($0) } ?? place.endIndex
    host = place[..<hostEnd]
    let remainder = place[hostEnd...]
    path = remainder.prefix { $0 != "?" && $0 != "#" }
    query = remainder.firstIndex(of: "?").map { remainder[remainder.index(after: $0)...].prefix { $0 != "#" } }
  }

  /// Whether a text begins with the scheme of a URL, or with a protocol that wraps one.
  static func isLocation(_ text: String) -> Bool {
    guard let mark = mark(in: text) else { return false }
    return text[..<mark.lowerBound].allSatisfy { $0.isLetter || $0.isNumber || "+-.:,_".contains($0) }
  }

  /// `://`, or, behind the name of a known protocol, a colon with another number of slashes, as typed by mistake.
  private static func mark(in location: String) -> Range<String.Index>? {
    var start = location.startIndex
    while let colon = location[start...].firstIndex(of: ":") {
      let next = location.index(after: colon)
      let slashes = location[next...].prefix { $0 == "/" }
      let name = String(location[start..<colon].reversed().prefix { $0.isLetter }.reversed())
      let isInPath = location[start..<colon].dropLast(name.count).last == "/"
      let hasUser = !isInPath && location[next...].contains("@")
      if protocols.contains(name.lowercased()), !slashes.isEmpty || hasUser { return colon..<slashes.endIndex }
      if slashes.count >= 2 { return colon..<location.index(next, offsetBy: 2) }
      start = next
    }
    return nil
  }

  private static let protocols: Set = [
    "http", "https", "rtsp", "rtsps", "rtmp", "rtmps", "rtmpt", "rtmpe", "rtmpte", "rtmpts", "ftp", "sftp", "srt",
    "tcp",
    "tls", "udp", "rtp", "srtp", "rist", "hls", "mms", "mmsh", "mmst", "icecast", "ws", "wss", "smb", "sctp",
  ]

  /// `%3A`, which stands for a colon.
  private static func escapedColon(in text: Substring) -> Substring.Index? {
    text.firstRange(of: "%3A")?.lowerBound ?? text.firstRange(of: "%3a")?.lowerBound
  }

  /// The @ before the host: of a URL with a user and password the last one, as passwords have slashes, question marks and
  /// number signs in them (`user:pa/ss@host`), but none in the query.
  ///
  /// - Parameters:
  ///   - end: the first slash, question mark or number sign.
  ///   - hasUsers: whether the protocol has users.
  private static func at(in text: Substring, authorityEnd end: Substring.Index, hasUsers: Bool) -> Substring.Index? {
    let early = text[..<end].lastIndex(of: "@")
    guard let late = text.lastIndex(of: "@"), end < late, let colon = text[..<end].firstIndex(of: ":"),
      early.map({ colon < $0 }) ?? mayBePassword(text[..<late], colon: colon, end: end, hasUsers: hasUsers)
    else { return early }
    guard early != nil else { return late }
    let query = text[end...].firstIndex(of: "?") ?? text.endIndex
    return query < late && text[query..<late].contains("=") ? text[..<query].lastIndex(of: "@") : late
  }

  /// Whether the text after a colon may be a password instead of a port.
  private static func mayBePassword(
    _ text: Substring, colon: Substring.Index, end: Substring.Index, hasUsers: Bool
  ) -> Bool {
    if text.first == "[", text[..<end].contains("]") { return false }
    let port = text[text.index(after: colon)..<end]
    guard !port.isEmpty, port.allSatisfy(\.isNumber) else { return true }
    // Behind a port there is seldom an @.
    return text[end] == "/" ? !text[end...].contains("://") : text[end] == "#" || hasUsers
  }

  private static func hasNoUsers(_ scheme: Substring) -> Bool {
    ["srt", "udp", "tcp", "rtp", "srtp", "rist"].contains(scheme.lowercased())
  }

  /// Whether the end of the path is a key: the stream's name that RTMP publishes to.
  var hidesPath: Bool {
    ["rtmp", "rtmps", "rtmpt", "rtmpe", "rtmpte", "rtmpts"].contains(where: scheme.lowercased().hasSuffix)
      && path.filter { $0 == "/" }.count >= 2
  }
}
