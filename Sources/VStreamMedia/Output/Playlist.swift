internal import VStreamSystem

/// A playlist that an earlier run wrote: HLS (.m3u8) or DASH (.mpd).
struct Playlist {
  /// The paths of its segments, of those in its own folder that are named as such.
  let segments: [String]

  /// Larger files are no playlists.
  private static let maximumBytes = 4 << 20
  /// Media in segments; no other file is one.
  private static let endings = [".ts", ".m4s", ".mp4", ".m4v", ".m4a", ".aac", ".vtt", ".webm", ".m3u8"]

  /// - Returns: `nil` if there is no such file.
  init?(path: String) {
    let lowercased = path.lowercased()
    guard lowercased.hasSuffix(".m3u8") || lowercased.hasSuffix(".mpd"),
      let bytes = try? ReadableFile.bytes(of: path), bytes.count <= Self.maximumBytes,
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let named = lowercased.hasSuffix(".mpd") ? Self.named(inManifest: text, in: folder) : Self.named(inList: text)
    let names = Set(named.map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }).filter { name in
      !name.contains("/") && !name.hasPrefix(".") && Self.endings.contains { name.lowercased().hasSuffix($0) }
    }
    segments = names.sorted().map { folder + $0 }.filter { $0 != path }
  }

  /// HLS: lines that are no comments, and the URIs of tags.
  private static func named(inList text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      guard line.hasPrefix("#") else { return String(line) }
      guard let start = line.firstRange(of: "URI=\"")?.upperBound else { return nil }
      return String(line[start...].prefix { $0 != "\"" })
    }
  }

  /// DASH: the templates of names; `$…$` stands for any digits.
  private static func named(inManifest text: String, in folder: String) -> [String] {
    let templates = ["initialization=\"", "media=\""].flatMap { attribute in
      text.ranges(of: attribute).map { text[$0.upperBound...].prefix { $0 != "\"" }.split(separator: "$") }
    }
    // Every second part of a template is a placeholder.
    let patterns = templates.map { parts in parts.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element) }
    return ((try? Folder.names(in: folder.isEmpty ? "." : folder)) ?? []).filter { name in
      patterns.contains { Self.matches(name[...], $0[...]) }
    }
  }

  /// Whether a name is a row of parts with digits between them.
  private static func matches(_ name: Substring, _ parts: ArraySlice<Substring>) -> Bool {
    guard let first = parts.first else { return name.isEmpty }
    guard name.hasPrefix(first) else { return false }
    let rest = name.dropFirst(first.count)
    return parts.count == 1 ? rest.isEmpty : matches(rest.drop(while: \.isNumber), parts.dropFirst())
  }
}
