package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A file that is read in chunks.
///
/// One owner at a time.
package final class ReadableFile {
  package let path: String
  private let descriptor: Int32
  /// In bytes; 0 if it is not known.
  package let size: Int
  private lazy var chunk = [UInt8](repeating: 0, count: size > 0 ? min(size + 1, Self.chunkSize) : Self.chunkSize)
  private static let chunkSize = 1 << 18

  /// - Parameter path: of the file, or `-` for standard input.
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` if it cannot be opened or is a folder. The C functions
  ///   are `open` and `fstat`.
  package init(_ path: String) throws(VStreamError) {
    self.path = path
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR {
        throw VStreamError(
          .inputNotFound, "there is no file '\(path)'", subject: path, remedy: "check its name and folder")
      }
      throw VStreamError(
        .unreadableInput, "'\(path)' cannot be read: \(String(cString: strerror(errno)))", subject: path)
    }
    guard let status = FileStatus(descriptor: descriptor), status.kind != .folder else {
      if path != "-" { Glibc.close(descriptor) }
      throw VStreamError(.unreadableInput, "'\(path)' is a folder", subject: path, remedy: "name a file in it")
    }
    self.descriptor = descriptor
    size = max(0, status.size)
  }

  deinit { if path != "-" { Glibc.close(descriptor) } }

  /// Appends the next bytes of the file.
  ///
  /// - Returns: `false` at the end.
  /// - Throws: `VStreamError.inputOutput`. The C function is `read`.
  package func read(into bytes: inout [UInt8]) throws(VStreamError) -> Bool {
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw VStreamError(.inputOutput, "reading '\(path)' failed: \(String(cString: strerror(errno)))", subject: path)
      }
      bytes += chunk[..<count]
      return count > 0
    }
  }

  /// Bytes from an offset on: fewer at the end of the file.
  ///
  /// - Throws: `VStreamError.inputOutput`. The C function is `pread`.
  package func bytes(_ count: Int, at offset: Int) throws(VStreamError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else {
        throw VStreamError(.inputOutput, "reading '\(path)' failed: \(String(cString: strerror(errno)))", subject: path)
      }
      if read == 0 { break }
      filled += read
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  /// All bytes of a file.
  ///
  /// - Parameter path: of the file, or `-` for standard input.
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` if it cannot be opened or is a folder; `inputOutput` if
  ///   reading fails before the end.
  package static func bytes(of path: String) throws(VStreamError) -> [UInt8] {
    let file = try ReadableFile(path)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(file.size + 1)
    while try file.read(into: &bytes) {}
    return bytes
  }
}
