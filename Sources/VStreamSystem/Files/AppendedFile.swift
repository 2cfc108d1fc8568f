package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A file to which whole pieces are appended, of which none is there by half. One owner at a time.
package final class AppendedFile {
  private let path: String
  private let descriptor: Int32
  private var isClosed = false
  /// Bytes of whole pieces.
  package private(set) var byteCount = 0
  /// Whether the last piece was not written because the disk, or a quota, is full.
  package private(set) var isDiskFull = false

  /// - Throws: `VStreamError.cannotCreateOutput`, also if the file exists and that is refused. The C function is `open`.
  package init(creating path: String, existing: NewFile.Existing = .refused) throws(VStreamError) {
    self.path = path
    descriptor = try NewFile.open(path, existing: existing)
  }

  deinit { close() }

  /// Appends a piece, or nothing.
  ///
  /// - Throws: `VStreamError.inputOutput`. The C functions are `write` and `ftruncate`.
  package func write(_ bytes: [UInt8]) throws(VStreamError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = errno
        isDiskFull = FreeSpace.isExhausted(reason)
        if ftruncate(descriptor, off_t(byteCount)) == 0 { lseek(descriptor, off_t(byteCount), SEEK_SET) }
        throw VStreamError(
          .inputOutput, "writing '\(path)' failed: \(String(cString: strerror(reason)))", subject: path,
          remedy: "free some space on its disk")
      }
      rest = rest.dropFirst(count)
    }
    byteCount += bytes.count
  }

  /// Waits until all pieces are on the disk. The C function is `fdatasync`.
  package func sync() { fdatasync(descriptor) }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    Glibc.close(descriptor)
  }
}
