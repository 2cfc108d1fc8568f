#if canImport(Glibc)
  internal import Glibc
#endif

/// Standard error, to which any thread may write.
public enum StandardError {
  /// Writes a text; what cannot be written is discarded. The C function is `write`.
  public static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
