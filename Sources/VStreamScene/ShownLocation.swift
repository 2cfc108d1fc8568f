/// Locations of inputs and outputs as they are shown: in messages, records, receipts and names of files.
///
/// Nothing else shows a location that may be a URL. What gives access is replaced by `…`: a password, the values of query
/// parameters that are tokens or keys, and the stream key of RTMP.
public enum ShownLocation {
  /// A location without what gives access to it.
  public static func text(_ location: String) -> String {
    // Protocols such as `concat:` name several.
    location.split(separator: "|", omittingEmptySubsequences: false).map { shown(String($0)) }.joined(separator: "|")
  }

  /// A text of a library, in which words may be locations.
  public static func inText(_ text: String) -> String {
    guard text.contains("://") else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { self.text(String($0)) }.joined(
      separator: " ")
  }

  /// The last component of a location's path, without a query: of a URL without a path its host.
  public static func fileName(_ location: String) -> String {
    guard let parts = URLParts(location) else { return lastComponent(location[...]) }
    if let mark = parts.path.firstRange(of: "://"), let slash = parts.path[..<mark.lowerBound].lastIndex(of: "/") {
      return fileName(String(parts.path[parts.path.index(after: slash)...]))
    }
    let component = lastComponent(parts.path)
    let name = component.contains("=") ? shownParameters(component[...], separators: parameterSeparators) : component
    return name.isEmpty ? String(parts.host) : parts.hidesPath ? "\(parts.host)" : name
  }

  private static func lastComponent(_ path: Substring) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? String(path)
  }

  private static func lastComponent(_ path: String) -> String { lastComponent(path[...]) }

  private static func shown(_ location: String) -> String {
    guard let parts = URLParts(location) else { return location }
    var text = String(parts.scheme) + "://"
    if let user = parts.user {
      // A token may be the user of a service that has no others.
      let isToken = !parts.hasPassword && user.count >= shortestToken
      text += (isToken ? "…" : user) + (parts.hasPassword ? ":…" : "") + "@"
    }
    text += parts.host + (parts.hidesPath ? hidingName(parts.path) : shownPath(parts.path))
    guard let query = parts.query else { return text }
    return text + "?" + shownParameters(query, separators: "&;")
  }

  private static let shortestToken = 16
  /// In paths.
  private static let parameterSeparators = "&;_ "

  /// A path without its last component.
  private static func hidingName(_ path: Substring) -> String {
    (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + "…"
  }

  /// A path in which there may be another location, as in those of proxies, or names and values, as in those of cameras.
  private static func shownPath(_ path: Substring) -> String {
    if let mark = path.firstRange(of: "://"), let slash = path[..<mark.lowerBound].lastIndex(of: "/") {
      let inner = path.index(after: slash)
      return shownPath(path[..<inner]) + shown(String(path[inner...]))
    }
    return path.split(separator: "/", omittingEmptySubsequences: false)
      .map { $0.contains("=") ? shownParameters($0, separators: parameterSeparators) : String($0) }.joined(
        separator: "/")
  }

  /// Names and values. What follows a secret without a name of its own is part of it.
  private static func shownParameters(_ text: Substring, separators: String) -> String {
    var shown = ""
    var start = text.startIndex
    var isSecret = false
    while true {
      let end = text[start...].firstIndex(where: separators.contains) ?? text.endIndex
      let parameter = text[start..<end]
      if !isSecret || parameter.contains("=") {
        if start > text.startIndex { shown.append(text[text.index(before: start)]) }
        let visible = shownParameter(parameter)
        isSecret = visible.hasSuffix("=…")
        shown += visible
      }
      guard end < text.endIndex else { return shown }
      start = text.index(after: end)
    }
  }

  private static func shownParameter(_ parameter: Substring) -> String {
    guard let equals = parameter.firstIndex(of: "=") else { return String(parameter) }
    let name = parameter[..<equals].lowercased()
    return secretNames.contains(where: name.contains) ? "\(parameter[..<equals])=…" : String(parameter)
  }

  /// Parts of the names of query parameters that give access.
  private static let secretNames = [
    "token", "pass", "pwd", "pw", "secret", "key", "auth", "sig", "credential", "session", "jwt", "streamid", "hdnts",
    "hdnea", "mac", "playpath",
  ]
}

/// The parts of a URL. Lenient, as people write passwords with any characters in them.
private struct URLParts {
  let scheme: Substring
  let user: Substring?
  let hasPassword: Bool
  /// With the port.
  let host: Substring
  let path: Substring
  let query: Substring?

  /// - Returns: `nil` for what is no URL.
  init?(_ location: String) {
    guard let mark = location.firstRange(of: "://") else { return nil }
    // Others may precede it, as in `concat:rtsp://…`, or a quotation mark.
    let prefix = location[..<mark.lowerBound]
    guard let last = prefix.last, last.isLetter || last.isNumber else { return nil }
    scheme = prefix
    let rest = location[mark.upperBound...]
    // The password may contain a slash; the host does not contain an @.
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let beforeQuery = rest.prefix { $0 != "?" && $0 != "#" }
    let lastAt = rest[..<end].lastIndex(of: "@") ?? Self.lateAt(in: beforeQuery)
    let hostStart = lastAt.map { rest.index(after: $0) } ?? rest.startIndex
    if let lastAt {
      let info = rest[..<lastAt]
      let colon = info.firstIndex(of: ":")
      user = info[..<(colon ?? info.endIndex)]
      hasPassword = colon != nil
    } else {
      (user, hasPassword) = (nil, false)
    }
    let place = rest[hostStart...]
    let hostEnd = place.firstIndex { "/?#".contains($0) } ?? place.endIndex
    host = place[..<hostEnd]
    let remainder = place[hostEnd...]
    path = remainder.prefix { $0 != "?" && $0 != "#" }
    query = remainder.firstIndex(of: "?").map { remainder[remainder.index(after: $0)...].prefix { $0 != "#" } }
  }

  /// The @ behind a password with a slash in it: `user:pa/ss@host`.
  private static func lateAt(in text: Substring) -> Substring.Index? {
    guard let at = text.lastIndex(of: "@"), let colon = text.firstIndex(of: ":"), colon < at,
      let slash = text.firstIndex(of: "/"), colon < slash,
      // Behind a host and port there are digits only.
      !text[text.index(after: colon)..<slash].allSatisfy(\.isNumber)
    else { return nil }
    return at
  }

  /// Whether the end of the path is a key: the stream's name that RTMP publishes to.
  var hidesPath: Bool {
    ["rtmp", "rtmps", "rtmpt", "rtmpe", "rtmpte", "rtmpts"].contains(where: scheme.lowercased().hasSuffix)
      && path.filter { $0 == "/" }.count >= 2
  }
}
