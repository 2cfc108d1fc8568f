package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A text file that is written line by line.
///
/// One owner at a time.
package final class TextFile {
  package let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var isClosed = false
  /// Bytes that are collected before they are written.
  private static let bufferSize = 1 << 16

  /// Closes and removes the file.
  package func discard() {
    guard !isClosed else { return }
    isClosed = true
    _ = Glibc.close(descriptor)
    unlink(path)
  }

  /// Creates the file, or truncates it.
  ///
  /// - Parameters:
  ///   - path: of the file, or `-` for standard output.
  ///   - overwrite: whether a file that exists is truncated, also where a link leads. Otherwise only devices, FIFOs and sockets
  ///     may exist.
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `open`.
  package init(creating path: String, overwrite: Bool) throws(VStreamError) {
    self.path = path
    if path == "-" {
      descriptor = STDOUT_FILENO
      isClosed = true  // standard output belongs to the process
      return
    }
    let isSpecial = FileStatus(of: path).map { $0.kind != .regular } ?? false
    let creation = overwrite ? O_CREAT | O_TRUNC : isSpecial ? 0 : O_CREAT | O_EXCL | O_NOFOLLOW
    descriptor = open(path, O_WRONLY | O_CLOEXEC | creation, 0o644)
    guard descriptor >= 0 else {
      isClosed = true
      throw VStreamError(
        .cannotCreateOutput, "'\(path)' cannot be created: \(String(cString: strerror(errno)))", subject: path)
    }
  }

  deinit { if !isClosed { Glibc.close(descriptor) } }

  /// - Throws: `VStreamError.inputOutput`; earlier lines are in the file.
  package func write(line: String) throws(VStreamError) {
    buffer += line.utf8
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// - Parameter lines: whole lines, in UTF-8, with their line feeds.
  /// - Throws: `VStreamError.inputOutput`; earlier lines are in the file.
  package func write(_ lines: [UInt8]) throws(VStreamError) {
    buffer += lines
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes the collected lines.
  package func flush() throws(VStreamError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EPIPE, descriptor == STDOUT_FILENO {
        throw VStreamError(.closedByReader, "standard output was closed by its reader")
      }
      guard count > 0 else {
        throw VStreamError(.inputOutput, "writing '\(path)' failed: \(String(cString: strerror(errno)))", subject: path)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes the collected lines and closes the file.
  package func close() throws(VStreamError) {
    guard !isClosed else { return try flush() }
    isClosed = true
    defer { Glibc.close(descriptor) }
    try flush()
  }
}
