public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// An exclusive lock on a file that is being written; released when the value is deallocated.
public final class FileLock {
  private let descriptor: Int32

  /// A path by which this process opens the locked file, whatever has the file's name meanwhile.
  public var ownPath: String { "/proc/self/fd/\(descriptor)" }

  /// Creates the file if it does not exist (`NewFile`).
  ///
  /// - Parameter name: the name that the file gets, for messages; `nil` for its own.
  /// - Throws: `VStreamError.cannotCreateOutput` if it cannot be created, or another process has the lock. The C function is
  ///   `flock`.
  public init(_ path: String, for name: String? = nil) throws(VStreamError) {
    descriptor = try NewFile.open(path, keepsContents: true, for: name)
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    close(descriptor)
    throw VStreamError(
      .cannotCreateOutput, "'\(path)' is being written by another run", subject: path,
      remedy: "wait for it, or name another output")
  }

  deinit {
    close(descriptor)
  }
}
