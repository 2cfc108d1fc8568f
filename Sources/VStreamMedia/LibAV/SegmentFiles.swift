internal import CVStreamLibAV
internal import VStreamSystem

/// The files that a muxer opens by itself, segments and playlists: none that existed before the run is opened, nor one that a
/// link leads to, unless it may be replaced.
///
/// One owner at a time; lives as long as the muxer.
final class SegmentFiles {
  private let overwrites: Bool
  /// Those that the muxer may have deleted since are forgotten, so that an endless stream takes no more memory.
  private var created: Set<String> = []
  private var limit = 1024
  /// The file that was refused.
  private(set) var refused: String?

  init(overwrites: Bool) { self.overwrites = overwrites }

  /// Has a muxer, and those that it opens for its segments, ask before they create a file.
  func attach(to context: UnsafeMutablePointer<AVFormatContext>) {
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.io_open = { context, result, url, flags, options in
      guard let context, let result, let url else { return LibAVCode.system(EINVAL).rawValue }
      if flags & AVIO_FLAG_WRITE != 0, let owner = context.pointee.opaque {
        let files = Unmanaged<SegmentFiles>.fromOpaque(owner).takeUnretainedValue()
        guard files.allows(String(cString: url)) else { return LibAVCode.system(EEXIST).rawValue }
      }
      return avio_open2(result, url, flags, &context.pointee.interrupt_callback, options)
    }
  }

  /// Whether the playlist's temporary file may be written: the HLS muxer renames what is there, even if it was refused.
  func allowsPlaylist(_ url: String) -> Bool {
    guard !overwrites, let path = Self.path(of: url),
      [.regular, .link].contains(FileStatus(of: path + ".tmp", followsLink: false)?.kind)
    else { return true }
    refused = path + ".tmp"
    return false
  }

  /// The file that a location names, by whatever protocols (`crypto:out1.ts`); `nil` for one on a network.
  static func path(of url: String) -> String? {
    var rest = url[...]
    while let name = wrappers.first(where: { rest.hasPrefix($0) }) { rest = rest.dropFirst(name.count) }
    let scheme = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    if !scheme.isEmpty, rest.dropFirst(scheme.count).hasPrefix("://") { return nil }
    return String(rest)
  }

  private static let wrappers = ["file:", "crypto:", "crypto+", "async:", "cache:"]

  /// Whether a location may be written.
  private func allows(_ url: String) -> Bool {
    guard !overwrites, let path = Self.path(of: url), !created.contains(path) else { return true }
    guard NewFile.reserve(path) else {
      refused = path
      return false
    }
    if created.count >= limit {
      created = created.filter { FileStatus(of: $0, followsLink: false) != nil }
      limit = max(limit, 2 * created.count)
    }
    created.insert(path)
    return true
  }
}
