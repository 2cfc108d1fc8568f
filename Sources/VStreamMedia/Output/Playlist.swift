internal import VStreamCore
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

/// The names of an HLS playlist's segments, where players would not find libav's names, which derive from the playlist's.
///
/// Browsers take `#` and `?` for the end of a name and `%` for an escape, all players a line break for the end and `x:` for a
/// protocol. FFmpeg decodes no escapes in files' names, so that no spelling of such a name suits all players.
enum SegmentNames {
  /// FFmpeg's options, unless the user sets them.
  static func options(of destination: OutputDestination) -> [(key: String, value: String)] {
    let set = Dictionary(destination.options.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
    guard destination.format == "hls", !destination.isLive, set["hls_base_url"] == nil else { return [] }
    if let chosen = set["hls_segment_filename"] {
      return fileName(chosen).contains(":") ? [("hls_base_url", "./")] : []
    }
    let name = fileName(destination.location)
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    let safe = safeStem(stem)
    guard safe != stem, !(set["hls_flags"] ?? "").contains("second_level"), set["strftime"] == nil else { return [] }
    let isSingle = (set["hls_flags"] ?? "").contains("single_file")
    let ending = set["hls_segment_type"] == "fmp4" ? ".m4s" : ".ts"
    let folder = destination.location.dropLast(name.count)
    return [("hls_segment_filename", "\(folder)\(safe)\(isSingle ? "" : "%d")\(ending)")]
  }

  /// A name with `_` for each special character, and with a checksum, so that two playlists have different segments: `a#b` as
  /// `a_b-1f2e3d4c-`.
  private static func safeStem(_ stem: Substring) -> String {
    let plain = stem.replacing("%v", with: "")
    guard plain.contains(where: { !isSafe($0) }) else { return String(stem) }
    let variant = stem.contains("%v") ? "%v-" : ""
    let checksum = String(plain.stableHash & 0xFFFF_FFFF, radix: 16)
    return String(plain.map { isSafe($0) ? $0 : "_" }) + "-\(checksum)-" + variant
  }

  private static func isSafe(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "-._~!$&()*+,;=@".contains(character)
  }

  private static func fileName(_ path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
  }
}
