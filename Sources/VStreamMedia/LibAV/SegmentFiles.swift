internal import CVStreamLibAV
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The files that a muxer opens by itself, segments and playlists: none that existed before the run is opened unless it may be
/// replaced, and none that a link leads to, as the user named none of them: a link that may be replaced is.
///
/// One owner at a time; lives as long as the muxer.
final class SegmentFiles {
  private let overwrites: Bool
  /// Deleted files are forgotten, so that an endless stream takes no more memory.
  private var created: Set<String> = []
  private var limit = 1024
  /// The file that was refused.
  private(set) var refused: String?
  /// Locations on a network that could not be opened, and not since, with libav's codes: muxers go on without them.
  private(set) var failed: [String: Int32] = [:]
  private static let maximumFailed = 100

  init(overwrites: Bool) { self.overwrites = overwrites }

  /// Makes a muxer, and the muxers of its segments, ask before they create a file.
  func attach(to context: UnsafeMutablePointer<AVFormatContext>) {
    context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    context.pointee.io_open = { context, result, url, flags, options in
      guard let context, let result, let url else { return LibAVCode.system(EINVAL).rawValue }
      guard flags & AVIO_FLAG_WRITE != 0, let owner = context.pointee.opaque else {
        return avio_open2(result, url, flags, &context.pointee.interrupt_callback, options)
      }
      let files = Unmanaged<SegmentFiles>.fromOpaque(owner).takeUnretainedValue()
      switch files.open(String(cString: url)) {
      case .refused: return LibAVCode.system(EEXIST).rawValue
      case .byName:
        let code = avio_open2(result, url, flags, &context.pointee.interrupt_callback, options)
        files.note(code, of: String(cString: url))
        return code
      case .opened(let descriptor, let location):
        defer { close(descriptor) }
        return avio_open2(result, location, flags, &context.pointee.interrupt_callback, options)
      }
    }
  }

  /// Whether the playlist's temporary file may be written: the HLS muxer renames an existing file even if it was refused.
  func allowsPlaylist(_ url: String) -> Bool {
    guard !overwrites, let path = Self.path(of: url),
      [.regular, .link].contains(FileStatus(of: path + Self.temporary, followsLink: false)?.kind)
    else { return true }
    refused = path + Self.temporary
    return false
  }

  private func note(_ code: Int32, of url: String) {
    guard Self.path(of: url) == nil else { return }
    if code >= 0 { failed[url] = nil } else if failed.count < Self.maximumFailed { failed[url] = code }
  }

  /// Removes the segments that a playlist names which is to be replaced: of a longer run, some would stay.
  ///
  /// - Parameter url: of the playlist.
  func removeSegments(of url: String) {
    guard overwrites, let path = Self.path(of: url) else { return }
    for segment in Playlist(path: path)?.segments ?? []
    where FileStatus(of: segment, followsLink: false)?.kind == .regular {
      unlink(segment)
    }
  }

  /// The file that a location names, by whatever protocols (`crypto:out1.ts`); `nil` for one on a network.
  static func path(of url: String) -> String? {
    var rest = url[...]
    while let name = wrappers.first(where: { rest.hasPrefix($0) }) { rest = rest.dropFirst(name.count) }
    let scheme = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    if !scheme.isEmpty, rest.dropFirst(scheme.count).hasPrefix("://") { return nil }
    return String(rest)
  }

  /// The ending of files that the muxer renames when they are complete.
  private static let temporary = ".tmp"
  private static let wrappers = ["file:", "crypto:", "crypto+", "async:", "cache:"]

  /// How a location is opened.
  private enum Opening {
    case refused
    /// By libav: a location on a network, a device, or a file that cannot be created, for which libav has the reason.
    case byName
    /// The file is open; libav opens it by its descriptor, whatever has its name meanwhile.
    case opened(descriptor: Int32, location: String)
  }

  /// Creates the file of a location, or opens it if the muxer has written it before.
  private func open(_ url: String) -> Opening {
    guard let path = Self.path(of: url) else { return .byName }
    // A temporary file gets the name without the ending, whatever has that name.
    let names = [path] + (path.hasSuffix(Self.temporary) ? [String(path.dropLast(Self.temporary.count))] : [])
    for name in names {
      guard let status = FileStatus(of: name, followsLink: false), !created.contains(name) else { continue }
      guard [.regular, .link].contains(status.kind) else { return .byName }
      guard overwrites else { return refuse(name) }
      if name == path { unlink(path) }
    }
    // The muxer's earlier contents may stay; libav empties the file unless it is continued.
    guard let descriptor = try? NewFile.open(path, existing: .kept) else {
      return FileStatus(of: path, followsLink: false) == nil ? .byName : refuse(path)
    }
    names.forEach(note)
    return .opened(descriptor: descriptor, location: url.dropLast(path.utf8.count) + "/proc/self/fd/\(descriptor)")
  }

  private func refuse(_ path: String) -> Opening {
    refused = path
    return .refused
  }

  private func note(_ path: String) {
    if created.count >= limit {
      created = created.filter { FileStatus(of: $0, followsLink: false) != nil }
      limit = max(limit, 2 * created.count)
    }
    created.insert(path)
  }
}
