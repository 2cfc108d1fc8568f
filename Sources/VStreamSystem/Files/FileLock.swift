package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// An exclusive lock on a file that is being written; released when the value is deallocated.
package final class FileLock {
  private let descriptor: Int32

  /// This process's path of the locked file, even if another file has its name meanwhile.
  package var ownPath: String { "/proc/self/fd/\(descriptor)" }

  /// Creates the file if it does not exist (`NewFile`).
  ///
  /// - Parameters:
  ///   - existing: the policy for an existing file.
  ///   - name: the name that the file gets, for messages; `nil` for its own.
  /// - Throws: `VStreamError.cannotCreateOutput` if it cannot be created, or another process has the lock. The C function is
  ///   `flock`.
  package init(_ path: String, existing: NewFile.Existing = .kept, for name: String? = nil) throws(VStreamError) {
    descriptor = try NewFile.open(path, existing: existing, for: name)
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    // The descriptor is closed by deinit, as all properties are set.
    throw VStreamError(
      .cannotCreateOutput, "'\(path)' is being written by another run", subject: path,
      remedy: "wait for it, or name another output")
  }

  deinit {
    close(descriptor)
  }
}

/// A lock on a file of its own, which many readers or one writer of other files may have; released when the value is
/// deallocated.
package final class SharedLock {
  package enum Kind: Hashable, Sendable {
    case shared
    case exclusive
  }

  private let descriptor: Int32

  /// - Returns: `nil` if the file cannot be opened or created.
  package init?(_ path: String) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { return nil }
  }

  /// Takes the lock, instead of the one held, without waiting.
  ///
  /// - Returns: whether the lock was free; if not, none is held. The C function is `flock`.
  package func take(_ kind: Kind) -> Bool { flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 }

  deinit { close(descriptor) }
}
