internal import CVStreamLibAV
internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// How much of a file was written, and how much room its disk has left.
struct FreeSpace: CustomStringConvertible {
  /// Bytes of the file; `nil` if there is no such file.
  let written: Int?
  /// Bytes that a user without special rights may still write; `nil` if the file system does not say.
  let free: Int?

  init(_ path: String) {
    var file = stat()
    written = stat(path, &file) == 0 && file.st_mode & S_IFMT == S_IFREG ? Int(file.st_size) : nil
    var disk = statvfs()
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    free = statvfs(folder, &disk) == 0 ? Int(clamping: disk.f_bavail).multipliedClamping(Int(disk.f_frsize)) : nil
  }

  /// Whether a libav code says that a disk, or what a user may have of it, is full.
  static func isLacking(_ code: Int32) -> Bool { code == -ENOSPC || code == -EDQUOT }

  /// Whether a second file of the same size would fit; also where that cannot be known.
  var isEnoughForAnother: Bool {
    guard let written, let free else { return true }
    return free >= written
  }

  /// `2.9 MB written, 0 bytes free`; empty if neither is known.
  var description: String {
    [written.map { "\(Self.text($0)) written" }, free.map { "\(Self.text($0)) free" }]
      .compactMap { $0 }.joined(separator: ", ")
  }

  /// A number of bytes in units of a thousand, with one decimal.
  static func text(_ bytes: Int) -> String {
    var (size, units) = (Double(bytes), ["kB", "MB", "GB", "TB"][...])
    guard size >= 1000 else { return "\(bytes) bytes" }
    size /= 1000
    while size >= 999.95, units.count > 1 {
      size /= 1000
      units.removeFirst()
    }
    let tenths = Int((size * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units.first ?? "TB")"
  }
}

extension OutputDestination {
  /// The error of a disk that has no room left for this output; an output of which nothing was written is removed.
  func fullDisk(_ code: VStreamError.Code, remedy: Message = "") -> VStreamError {
    let what = (location == "-" ? "standard output" : "'\(location)'") + " cannot be written: the disk is full"
    guard let partPath else { return VStreamError(code, Message(what), remedy: "make room and run it again") }
    let room = FreeSpace(partPath)
    if room.written == 0 { unlink(partPath) }
    guard room.written ?? 0 > 0 else { return VStreamError(code, "\(what) (\(room))", remedy: "make room there") }
    let retry: Message = "make room and run it again with \(.overwrite)"
    return VStreamError(code, "\(what) (\(room))", remedy: remedy.isEmpty ? retry : "\(remedy); \(retry)")
  }
}

extension Int {
  fileprivate func multipliedClamping(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
