public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Folders: created, listed, checked.
public enum Folder {
  /// Whether files can be created in a folder.
  public static func isWritable(_ path: String) -> Bool { access(path, W_OK | X_OK) == 0 }

  /// Creates a folder if it does not exist; the folder that contains it must exist.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `mkdir`.
  public static func create(_ path: String) throws(VStreamError) {
    guard mkdir(path, 0o755) != 0 else { return }
    let reason = errno
    if reason == EEXIST, FileStatus(of: path)?.kind == .folder { return }
    throw VStreamError(
      .cannotCreateOutput,
      "the folder '\(path)' cannot be created: \(reason == EEXIST ? "a file of this name exists" : String(cString: strerror(reason)))",
      subject: path)
  }

  /// Creates a folder, and the folders that contain it.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `mkdir`.
  public static func createWithParents(_ path: String) throws(VStreamError) {
    var created = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      created +=
        created.isEmpty && part.isEmpty ? "/" : created.isEmpty || created == "/" ? "\(part)" : "/\(part)"
      guard !created.isEmpty, mkdir(created, 0o755) != 0, errno != EEXIST else { continue }
      if errno == EROFS || errno == EACCES, FileCheck.isReadable(created) { continue }
      throw VStreamError(
        .cannotCreateOutput, "the folder '\(created)' cannot be created: \(String(cString: strerror(errno)))",
        subject: created, remedy: "check its permissions, or name another folder")
    }
  }

  /// The names of a folder's entries, in no order, with `.` and `..`.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`, or `unreadableInput`. The C function is `readdir`.
  public static func names(in folder: String) throws(VStreamError) -> [String] {
    guard let handle = opendir(folder) else {
      let code: VStreamError.Code = errno == ENOENT ? .inputNotFound : .unreadableInput
      throw VStreamError(
        code, "the folder '\(folder)' cannot be read: \(String(cString: strerror(errno)))",
        subject: folder, remedy: "check its name and permissions")
    }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: Int(entry.pointee.d_reclen)) { String(cString: $0) }
        })
    }
    return names
  }
}
