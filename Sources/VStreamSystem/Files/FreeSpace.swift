#if canImport(Glibc)
  internal import Glibc
#endif

/// The size of a file, and the free space of the disk that holds it.
public struct FreeSpace: CustomStringConvertible {
  /// Bytes of the file; `nil` if there is no such file.
  public let written: Int?
  /// Bytes that an unprivileged user may still write; `nil` if the file system does not report it.
  public let free: Int?

  /// The C function is `statvfs`.
  public init(_ path: String) {
    written = FileStatus(of: path).flatMap { $0.kind == .regular ? $0.size : nil }
    var disk = statvfs()
    free =
      statvfs(Path.folder(of: path), &disk) == 0
      ? Int(clamping: disk.f_bavail).multipliedClamping(Int(disk.f_frsize)) : nil
  }

  /// Whether an `errno` value means that a disk, or a user's quota on it, is full.
  public static func isExhausted(_ errorNumber: Int32) -> Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }

  /// Whether a second file of the same size would fit; `true` if that is not known.
  public var isEnoughForAnother: Bool {
    guard let written, let free else { return true }
    return free >= written
  }

  /// `2.9 MB written, 0 bytes free`; empty if neither is known.
  public var description: String {
    [written.map { "\($0.formatted(.bytes)) written" }, free.map { "\($0.formatted(.bytes)) free" }]
      .compactMap { $0 }.joined(separator: ", ")
  }
}

extension Int {
  fileprivate func multipliedClamping(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
