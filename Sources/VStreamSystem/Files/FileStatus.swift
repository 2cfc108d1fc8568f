package import VStreamCore

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
  /// Of the last change of its contents, in seconds since 1970.
  package let seconds: Int
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

/// Checks before a file is written, for precise errors.
package enum FileCheck {
  /// Whether a path exists and the program may read it. The C function is `access`.
  package static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

  /// Whether a path exists. The C function is `access`.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether a path names something that exists and is neither a file nor a folder: a device, a FIFO, a socket.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput` if it is a folder.
  package static func isSpecial(_ path: String) throws(VStreamError) -> Bool {
    guard let status = FileStatus(of: path) else { return false }
    if status.kind == .folder {
      throw VStreamError(.cannotCreateOutput, "'\(path)' is a folder", subject: path, remedy: "name a file in it")
    }
    return status.kind != .regular
  }

  /// - Throws: `VStreamError.cannotCreateOutput` if an earlier run left an unfinished file, which may be all that exists of
  ///   its output; and, even if that may be replaced, for a link or a file of somebody else.
  package static func requireNoPart(_ path: String, overwrite: Bool) throws(VStreamError) {
    guard FileStatus(of: path, followsLink: false) != nil else { return }
    if overwrite { return try NewFile.requireReplaceable(path) }
    throw VStreamError(
      .cannotCreateOutput, "'\(path)' exists: an earlier run was not completed, or is still running",
      subject: path, remedy: "rename it if it is needed; \(.overwrite) replaces it")
  }

  /// - Throws: `VStreamError.cannotCreateOutput` if the path exists and must not be overwritten, or if its folder is
  ///   missing or cannot be written to.
  package static func requireCreatable(_ path: String, overwrite: Bool) throws(VStreamError) {
    if Path.name(of: path).utf8.count > PartFile.maximumNameBytes {
      throw VStreamError(
        .cannotCreateOutput, "'\(path)' cannot be created: its name has more than \(PartFile.maximumNameBytes) bytes",
        subject: path, remedy: "give a shorter name")
    }
    if exists(path) {
      guard overwrite else {
        throw VStreamError(
          .cannotCreateOutput, "'\(path)' exists already", subject: path, remedy: "\(.overwrite) replaces it")
      }
      guard access(path, W_OK) == 0 else {
        throw VStreamError(.cannotCreateOutput, "'\(path)' cannot be written to: permission denied", subject: path)
      }
    }
    if !overwrite, FileStatus(of: path, followsLink: false)?.kind == .link, !exists(path) {
      throw VStreamError(
        .cannotCreateOutput, "'\(path)' is a link to a file that does not exist", subject: path,
        remedy: "name the file itself; \(.overwrite) replaces the link")
    }
    let folder = Path.folder(of: path)
    guard exists(folder) else {
      throw VStreamError(
        .cannotCreateOutput, "'\(path)' cannot be created: there is no folder '\(folder)'", subject: path)
    }
    guard Folder.isWritable(folder) else {
      throw VStreamError(
        .cannotCreateOutput, "'\(path)' cannot be created: the folder '\(folder)' is not writable", subject: path)
    }
  }
}
