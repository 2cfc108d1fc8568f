internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Checksums of files. In this module, as they are computed by libavutil.
package enum FileHash {
  /// The SHA-256 of a file's bytes, in hexadecimal. The C functions are libavutil's `av_sha_…`.
  ///
  /// - Throws: `VStreamError.inputOutput` if the file cannot be read.
  package static func sha256(of path: String) throws(VStreamError) -> String {
    guard let hash = av_sha_alloc() else { throw outOfMemory("hash") }
    defer { av_free(UnsafeMutableRawPointer(hash)) }
    try requireLibAV(.library, "hash of '\(path)'") { av_sha_init(hash, 256) }
    try read(path) { av_sha_update(hash, $0, $1) }
    var digest = [UInt8](repeating: 0, count: 32)
    av_sha_final(hash, &digest)
    return Hexadecimal.text(digest)
  }

  /// A hash of 128 bits for detecting damage, in hexadecimal: some ten times as fast as SHA-256, and no protection against
  /// deliberate collisions. The C functions are libavutil's `av_murmur3_…`.
  ///
  /// - Throws: `VStreamError.inputOutput` if the file cannot be read.
  package static func quick(of path: String) throws(VStreamError) -> String {
    guard let hash = av_murmur3_alloc() else { throw outOfMemory("hash") }
    defer { av_free(UnsafeMutableRawPointer(hash)) }
    av_murmur3_init(hash)
    try read(path) { av_murmur3_update(hash, $0, $1) }
    var digest = [UInt8](repeating: 0, count: 16)
    av_murmur3_final(hash, &digest)
    return Hexadecimal.text(digest)
  }

  /// Reads a file in chunks.
  private static func read(_ path: String, _ use: (UnsafePointer<UInt8>, Int) -> Void) throws(VStreamError) {
    guard let file = fopen(path, "rb") else { throw unreadable(path) }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = fread(&buffer, 1, buffer.count, file)
    while count > 0 {
      use(buffer, count)
      count = fread(&buffer, 1, buffer.count, file)
    }
    guard ferror(file) == 0 else { throw unreadable(path) }
  }

  private static func unreadable(_ path: String) -> VStreamError {
    VStreamError(.inputOutput, "reading '\(path)' failed: \(String(cString: strerror(errno)))")
  }
}
