package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Files that appear whole or not at all: they are written as `PATH.part` and renamed to `PATH` when they are complete.
package enum PartFile {
  /// The path that is written to until the file is complete.
  package static func path(for path: String) -> String { named(path, ".part") }

  /// The path of the rewritten form of a complete file, before it gets its name.
  package static func finalPath(for path: String) -> String { named(path, ".final.part") }

  /// The path with an ending, for which a name that would be too long for the file system is shortened.
  private static func named(_ path: String, _ ending: String) -> String {
    var name = Path.name(of: path)
    let folder = path.dropLast(name.count)
    while name.utf8.count + ending.utf8.count > maximumNameBytes { name.removeLast() }
    return folder + name + ending
  }

  /// The longest name that file systems have.
  static let maximumNameBytes = 255

  /// All paths that are written before the file has its name.
  static func paths(for path: String) -> [String] { [Self.path(for: path), finalPath(for: path)] }

  /// Writes bytes to `PATH.part`.
  ///
  /// - Throws: `VStreamError.inputOutput`, and `PATH.part` is removed; `cannotCreateOutput`. The C function is `fwrite`.
  package static func write(_ bytes: [UInt8], for path: String) throws(VStreamError) {
    let part = Self.path(for: path)
    let descriptor = try NewFile.open(part)
    guard let file = fdopen(descriptor, "wb") else {
      close(descriptor)
      throw failure(part)
    }
    let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
    guard fclose(file) == 0, isWritten else { throw failure(part) }
  }

  /// Renames `PATH.part` to `PATH`.
  ///
  /// - Throws: `VStreamError.inputOutput`; `PATH.part` is removed then. The C function is `rename`.
  package static func commit(_ path: String) throws(VStreamError) {
    guard rename(Self.path(for: path), path) == 0 else { throw failure(Self.path(for: path)) }
  }

  /// Renames `PATH.part` to `PATH`.
  ///
  /// - Parameter overwrite: whether a file that is there is replaced; otherwise that is an error.
  /// - Throws: `VStreamError.inputOutput`; `PATH.part` stays.
  package static func commit(_ path: String, overwrite: Bool) throws(VStreamError) {
    try commit(
      Self.path(for: path), to: path, overwrite: overwrite, remedy: "rename it; its contents are complete")
  }

  /// Renames a complete file.
  ///
  /// - Parameter overwrite: whether a file that is there is replaced; otherwise that is an error, even if it has appeared
  ///   since the run began.
  /// - Returns: 0, or the number of the error. The C functions are `link`, which never replaces a file, and `rename`.
  package static func move(_ file: String, to path: String, overwrite: Bool) -> Int32 {
    if !overwrite {
      if link(file, path) == 0 { return unlink(file) == 0 ? 0 : errno }
      // Some file systems have no links.
      guard [EPERM, ENOTSUP, ENOSYS].contains(errno) else { return errno }
    }
    return rename(file, path) == 0 ? 0 : errno
  }

  /// Renames a complete file of another name.
  ///
  /// - Throws: `VStreamError.inputOutput`; the file stays.
  package static func commit(
    _ file: String, to path: String, overwrite: Bool, remedy: Message
  ) throws(VStreamError) {
    let code = move(file, to: path, overwrite: overwrite)
    guard code != 0 else { return }
    throw VStreamError(
      .inputOutput, "'\(file)' cannot be renamed to '\(path)': \(String(cString: strerror(code)))", subject: path,
      remedy: remedy)
  }

  /// Removes `PATH.part`; nothing happens if there is none.
  package static func discard(_ path: String) { unlink(Self.path(for: path)) }

  /// Renames an incomplete `PATH` to `PATH.part`; nothing happens if it is not a regular file.
  package static func setAside(_ path: String) {
    guard FileStatus.isRegularFile(path) else { return }
    rename(path, Self.path(for: path))
  }

  /// Removes a regular file; nothing happens if there is none.
  package static func remove(_ path: String) {
    if FileStatus.isRegularFile(path) { unlink(path) }
  }

  private static func failure(_ part: String) -> VStreamError {
    let reason = String(cString: strerror(errno))
    unlink(part)
    return VStreamError(
      .inputOutput, "'\(part)' cannot be written: \(reason)", subject: part,
      remedy: "check the free space and the permissions")
  }
}
