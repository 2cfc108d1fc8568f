#if canImport(Glibc)
  internal import Glibc
#endif

/// A folder in which only this user can create, replace or read files.
public enum PrivateFolder {
  /// Creates the folder, with mode 0700, if it does not exist; one that exists gets that mode.
  ///
  /// - Returns: the path; `nil` if it cannot be created, is a link, or belongs to another user. The C functions are `mkdir`,
  ///   `open` and `fchmod`.
  public static func make(_ path: String) -> String? {
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
