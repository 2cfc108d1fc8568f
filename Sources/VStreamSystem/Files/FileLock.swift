public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// An exclusive lock on a file that is being written; released when the value is deallocated.
public final class FileLock {
  private let descriptor: Int32

  /// Creates the file if it does not exist. A file that cannot be opened is not locked: its writer reports the error.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput` if another process has the lock. The C function is `flock`.
  public init(_ path: String) throws(VStreamError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    close(descriptor)
    throw VStreamError(
      .cannotCreateOutput, "'\(path)' is being written by another run", subject: path,
      remedy: "wait for it, or name another output")
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
