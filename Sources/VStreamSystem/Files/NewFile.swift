package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Opens the files that a run writes under names of its own (`PATH.part`), in folders where others may create files too:
/// a link that is there is not followed, so that nobody can have another file overwritten.
package enum NewFile {
  /// The policy for an existing file.
  package enum Existing: Hashable, Sendable {
    /// Its contents stay.
    case kept
    /// It is emptied.
    case emptied
    /// It is an error.
    case refused
  }

  /// Opens a file for writing, or creates it.
  ///
  /// - Parameters:
  ///   - existing: the policy for an existing file.
  ///   - name: the name that the file gets, for messages; `nil` for its own.
  /// - Returns: a descriptor, at the file's beginning.
  /// - Throws: `VStreamError.cannotCreateOutput`, also if there is a link, something other than a file, or a file with
  ///   another name or owner. The C function is `open`.
  package static func open(
    _ path: String, existing: Existing = .emptied, for name: String? = nil
  ) throws(VStreamError) -> Int32 {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
    var descriptor = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o666)
    if descriptor >= 0 { return descriptor }
    if errno == EEXIST, existing != .refused { descriptor = Glibc.open(path, flags | O_NONBLOCK) }
    guard descriptor >= 0 else { throw errno == ELOOP ? failure(path, errno) : failure(name ?? path, errno) }
    var status = stat()
    let isOwn =
      fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
      && status.st_uid == geteuid()
    guard isOwn, existing == .kept || ftruncate(descriptor, 0) == 0 else {
      let code = isOwn ? errno : ELOOP
      close(descriptor)
      throw failure(path, code)
    }
    return descriptor
  }

  /// Checks that a file can be created, by creating and removing it: permissions alone do not tell.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C functions are `open` and `unlink`.
  package static func probe(_ path: String) throws(VStreamError) {
    close(try open(path, existing: .refused))
    unlink(path)
  }

  /// Checks that `open` will accept the file that exists.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput` for a link, something other than a file, or a file with another name or owner.
  ///   The C function is `lstat`.
  static func requireReplaceable(_ path: String) throws(VStreamError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    let isOwn = status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == geteuid()
    if !isOwn { throw failure(path, ELOOP) }
  }

  private static func failure(_ path: String, _ code: Int32) -> VStreamError {
    if code == ELOOP {
      return VStreamError(
        .cannotCreateOutput, "'\(path)' is a link, or not a file of yours", subject: path,
        remedy: "remove it, or name another output")
    }
    return VStreamError(
      .cannotCreateOutput, "'\(path)' cannot be created: \(String(cString: strerror(code)))", subject: path,
      remedy: "check its folder and permissions")
  }
}

/// Checks that a run writes each file once, and none that it reads.
package enum WrittenPaths {
  /// - Parameters:
  ///   - written: the files that will be written, first as `PATH.part`.
  ///   - read: the files that are read.
  /// - Throws: `VStreamError.usage` for the first file that is read as well, or named twice.
  package static func check(_ written: [String], reading read: [String]) throws(VStreamError) {
    for (index, path) in written.enumerated() {
      if read.contains(where: { PathIdentity.isSameLocation($0, path) }) {
        throw VStreamError(
          .usage, "'\(path)' is the input itself and would be overwritten", remedy: "give the output another name")
      }
      if read.contains(where: { input in
        PartFile.paths(for: path).contains { PathIdentity.isSameLocation(input, $0) }
      }) {
        throw VStreamError(
          .usage, "'\(path)' is first written as '\(PartFile.path(for: path))', which is the input",
          remedy: "rename the input")
      }
      if written[..<index].contains(where: { PathIdentity.isSameLocation($0, path) }) {
        throw VStreamError(.usage, "'\(path)' is named for two outputs", remedy: "give each a name of its own")
      }
    }
  }
}
