import Glibc

/// A file in memory, for parsers that read from a path.
enum MemoryFile {
  /// Calls `body` with the path of a file that has these bytes.
  static func with<Result>(_ bytes: [UInt8], _ body: (_ path: String) throws -> Result) throws -> Result {
    var name = Array("/dev/shm/vstream-fuzz-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    try require(descriptor >= 0, "no file can be created in memory")
    defer { close(descriptor) }
    unlink(name)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      try require(count > 0, "the file in memory cannot be written")
      written += count
    }
    // Opened by this path, the file without a name is read from its start.
    return try body("/proc/self/fd/\(descriptor)")
  }
}
