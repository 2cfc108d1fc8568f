package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Folders: created, listed, checked.
package enum Folder {
  /// Whether files can be created in a folder.
  package static func isWritable(_ path: String) -> Bool { access(path, W_OK | X_OK) == 0 }

  /// Creates a folder if it does not exist; the folder that contains it must exist.
  ///
  /// - Parameter isPrivate: whether a new folder is for this user alone; one that exists keeps its mode.
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `mkdir`.
  package static func create(_ path: String, isPrivate: Bool = false) throws(VStreamError) {
    guard mkdir(path, isPrivate ? 0o700 : 0o755) != 0 else { return }
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
  package static func createWithParents(_ path: String) throws(VStreamError) {
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
  package static func names(in folder: String) throws(VStreamError) -> [String] {
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

  /// Creates a folder beside a file, for the files of one run.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `mkdtemp`.
  package static func temporary(beside path: String) throws(VStreamError) -> String {
    var name = Array("\(path).part.XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw VStreamError(
        .cannotCreateOutput, "no folder can be created beside '\(path)': \(String(cString: strerror(errno)))",
        subject: path,
        remedy: "check its permissions, or name another folder")
    }
    return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes a folder and the regular files in it; a folder with others stays.
  package static func remove(_ path: String) {
    for name in (try? names(in: path)) ?? [] { PartFile.remove("\(path)/\(name)") }
    rmdir(path)
  }
}

/// A folder where only this user can create, replace or read files.
package enum PrivateFolder {
  /// Creates the folder, with mode 0700, if it does not exist; one that exists gets that mode.
  ///
  /// - Returns: the path; `nil` if it cannot be created, is a link, or belongs to another user. The C functions are `mkdir`,
  ///   `open` and `fchmod`.
  package static func make(_ path: String) -> String? {
    mkdir(path, 0o700)
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else { return nil }
    guard status.st_mode & 0o777 == 0o700 || fchmod(descriptor, 0o700) == 0 else { return nil }
    return access(path, W_OK) == 0 ? path : nil
  }
}

/// The size of a file, and the free space of the disk that holds it.
package struct FreeSpace: CustomStringConvertible {
  /// Bytes of the file; `nil` if there is no such file.
  package let written: Int?
  /// Bytes that an unprivileged user may still write; `nil` if the file system does not report it.
  package let free: Int?

  /// The C function is `statvfs`.
  package init(_ path: String) {
    written = FileStatus(of: path).flatMap { $0.kind == .regular ? $0.size : nil }
    var disk = statvfs()
    free =
      statvfs(Path.folder(of: path), &disk) == 0
      ? Int(clamping: disk.f_bavail).multipliedClamping(Int(disk.f_frsize)) : nil
  }

  /// Whether an `errno` value means that a disk, or a user's quota on it, is full.
  package static func isExhausted(_ errorNumber: Int32) -> Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }

  /// Whether a second file of the same size would fit; `true` if that is not known.
  package var isEnoughForAnother: Bool {
    guard let written, let free else { return true }
    return free >= written
  }

  /// `2.9 MB written, 0 bytes free`; empty if neither is known.
  package var description: String {
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
