internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Keeps other runs from a file that is being written, as long as it lives.
final class WriteLock {
  private let descriptor: Int32

  /// Makes the file if it is not there. One that cannot be opened is for its writer to report.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput` if another run writes it. The C function is `flock`.
  init(_ path: String) throws(VStreamError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    close(descriptor)
    throw VStreamError(
      .cannotCreateOutput, "'\(path)' is being written by another run", remedy: "wait for it, or name another output")
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
