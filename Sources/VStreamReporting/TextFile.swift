public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A text file that is written line by line.
///
/// One owner at a time.
public final class TextFile {
  public let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var isClosed = false
  /// Bytes that are gathered before they are written.
  private static let bufferSize = 1 << 16

  /// Creates the file, or empties it.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `open`.
  public init(creating path: String) throws(VStreamError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      isClosed = true
      throw VStreamError(.cannotCreateOutput, "'\(path)' cannot be created: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if !isClosed { Glibc.close(descriptor) } }

  /// - Throws: `VStreamError.inputOutput`; the lines before are in the file.
  public func write(line: String) throws(VStreamError) {
    buffer += line.utf8
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes what was gathered.
  public func flush() throws(VStreamError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw VStreamError(.inputOutput, "writing '\(path)' failed: \(String(cString: strerror(errno)))")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes what was gathered and closes the file.
  public func close() throws(VStreamError) {
    guard !isClosed else { return }
    isClosed = true
    defer { Glibc.close(descriptor) }
    try flush()
  }
}
