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
  /// - Parameter path: of the file, or `-` for standard output.
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `open`.
  public init(creating path: String) throws(VStreamError) {
    self.path = path
    if path == "-" {
      descriptor = STDOUT_FILENO
      isClosed = true  // it is not ours to close
      return
    }
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

  /// - Parameter lines: whole lines, in UTF-8, with their ends.
  /// - Throws: `VStreamError.inputOutput`; the lines before are in the file.
  public func write(_ lines: [UInt8]) throws(VStreamError) {
    buffer += lines
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes what was gathered.
  public func flush() throws(VStreamError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EPIPE, descriptor == STDOUT_FILENO {
        throw VStreamError(.closedByReader, "standard output was closed by its reader")
      }
      guard count > 0 else {
        throw VStreamError(.inputOutput, "writing '\(path)' failed: \(String(cString: strerror(errno)))")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes what was gathered and closes the file.
  public func close() throws(VStreamError) {
    guard !isClosed else { return try flush() }
    isClosed = true
    defer { Glibc.close(descriptor) }
    try flush()
  }
}

extension TextFile {
  /// All of a file's bytes.
  ///
  /// - Parameter path: of the file, or `-` for standard input.
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` if it cannot be opened or is a folder; `inputOutput` if
  ///   reading fails part way.
  public static func bytes(of path: String) throws(VStreamError) -> [UInt8] {
    let file = try ReadableFile(path)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(file.size + 1)
    while try file.read(into: &bytes) {}
    return bytes
  }
}

/// A file that is read bit by bit.
///
/// One owner at a time.
final class ReadableFile {
  let path: String
  private let descriptor: Int32
  /// In bytes; 0 if it cannot be known.
  let size: Int
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)

  /// - Parameter path: of the file, or `-` for standard input.
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` if it cannot be opened or is a folder. The C functions
  ///   are `open` and `fstat`.
  init(_ path: String) throws(VStreamError) {
    self.path = path
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR {
        throw VStreamError(.inputNotFound, "there is no file '\(path)'", remedy: "see to its name and folder")
      }
      throw VStreamError(.unreadableInput, "'\(path)' cannot be read: \(String(cString: strerror(errno)))")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      if path != "-" { Glibc.close(descriptor) }
      throw VStreamError(.unreadableInput, "'\(path)' is a folder", remedy: "name a file in it")
    }
    self.descriptor = descriptor
    size = max(0, Int(status.st_size))
  }

  deinit { if path != "-" { Glibc.close(descriptor) } }

  /// Adds what comes next.
  ///
  /// - Returns: `false` at the end.
  /// - Throws: `VStreamError.inputOutput`. The C function is `read`.
  func read(into bytes: inout [UInt8]) throws(VStreamError) -> Bool {
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw VStreamError(.inputOutput, "reading '\(path)' failed: \(String(cString: strerror(errno)))")
      }
      bytes += chunk[..<count]
      return count > 0
    }
  }
}
