#if canImport(Glibc)
  internal import Glibc
#endif

/// The file system's facts of a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case regular, folder, characterDevice, pipe, socket, link, other
  }

  package let kind: Kind
  /// In bytes.
  package let size: Int
  /// The file system that holds the file, and its number there: the same for two hard links of one file.
  let device: UInt
  let number: UInt
  let seconds: Int
  let nanoseconds: Int

  /// - Parameter followsLink: whether a symbolic link stands for the file that it leads to.
  /// - Returns: `nil` if there is no such file, or if one of its folders may not be searched. The C functions are `stat` and
  ///   `lstat`.
  package init?(of path: String, followsLink: Bool = true) {
    var status = stat()
    guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(status)
  }

  /// - Returns: `nil` if the descriptor is not open. The C function is `fstat`.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFCHR: .characterDevice
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      case S_IFLNK: .link
      default: .other
      }
    size = Int(status.st_size)
    device = UInt(status.st_dev)
    number = UInt(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }

  /// Whether a path names a regular file, directly or through a link.
  package static func isRegularFile(_ path: String) -> Bool { FileStatus(of: path)?.kind == .regular }
}

/// Distinguishes a file's content from content written later at the same path, by inode, size and modification time.
package struct FileVersion: Hashable, Sendable {
  private let status: FileStatus

  /// - Returns: `nil` if there is no such file.
  package init?(of path: String) {
    guard let status = FileStatus(of: path) else { return nil }
    self.status = status
  }
}
