internal import VStreamCore
internal import VStreamSystem

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
