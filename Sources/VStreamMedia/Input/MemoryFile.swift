internal import CVStreamLibAV
package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Bytes as a file that has a path and is on no disk, for libraries that read files.
package final class MemoryFile {
  private let descriptor: Int32
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// - Throws: `VStreamError.library` if there is no memory.
  package init(_ bytes: [UInt8]) throws(VStreamError) {
    descriptor = CVStreamLibAV_memoryFile()
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw outOfMemory("image") }
      rest = rest.dropFirst(count)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
