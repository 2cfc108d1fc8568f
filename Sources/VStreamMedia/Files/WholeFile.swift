internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Files that are there whole or not at all: they are written as `NAME.part` and get their name when they are done.
enum WholeFile {
  /// Writes bytes to a file that is to get its name later.
  ///
  /// - Throws: `VStreamError.inputOutput`; nothing is left then. The C function is `fwrite`.
  static func write(_ bytes: [UInt8], to part: String) throws(VStreamError) {
    guard let file = fopen(part, "wb") else { throw failure(part) }
    let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
    guard fclose(file) == 0, isWritten else { throw failure(part) }
  }

  /// Gives `path.part` its name.
  ///
  /// - Throws: `VStreamError.inputOutput`. The C function is `rename`.
  static func giveName(_ path: String) throws(VStreamError) {
    guard rename(path + ".part", path) == 0 else { throw failure(path + ".part") }
  }

  private static func failure(_ part: String) -> VStreamError {
    let reason = String(cString: strerror(errno))
    unlink(part)
    return VStreamError(.inputOutput, "'\(part)' cannot be written: \(reason)", remedy: "see to room and permissions")
  }
}
