/// The first bytes of image files.
enum ImageSignature {
  private static let signatures: [[UInt8]] = [
    [0xFF, 0xD8, 0xFF], [0x89] + Array("PNG".utf8), Array("GIF8".utf8), Array("WEBPVP8".utf8), Array("ftypavif".utf8),
    Array("ftypheic".utf8), Array("JFIF".utf8), Array("Exif\0".utf8), Array("<svg".utf8), Array("JXL \r\n".utf8),
    [0xFF, 0x4F, 0xFF, 0x51], [0xFF, 0x0A],
  ]
  /// Shorter ones are found in other data by chance.
  private static let shortestAnywhere = 4

  /// Whether an image may begin somewhere in the bytes.
  static func isIn(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes)
    if signatures.contains(where: bytes.starts) { return true }
    let anywhere =
      signatures.filter { $0.count >= shortestAnywhere } + [0xE0, 0xE1, 0xDB].map { [0xFF, 0xD8, 0xFF, $0] }
    let firsts = Set(anywhere.compactMap(\.first))
    return bytes.indices.contains { index in
      firsts.contains(bytes[index]) && anywhere.contains { bytes[index...].starts(with: $0) }
    }
  }
}
