/// Where an image file may begin.
enum ImageSignature {
  /// First bytes that are no other data by chance.
  private static let certain: [[UInt8]] =
    [
      "GIF87a", "GIF89a", "WEBPVP8", "ftypavif", "ftypheic", "JFIF\0", "Exif\0", "<svg ", "JXL \r\n",
      "\u{1A}\n\0\0\0\rIHDR",
    ].map { Array($0.utf8) } + [[0xFF, 0x4F, 0xFF, 0x51, 0]]
  /// First bytes that mean an image only where data begins.
  private static let atStart: [[UInt8]] = [[0xFF, 0xD8, 0xFF], [0xFF, 0x0A], Array("<svg".utf8)]
  private static let firsts = Set(certain.compactMap(\.first) + "IMBP".utf8 + [0xFF])

  /// Whether an image may begin somewhere in the bytes.
  static func isIn(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes)
    if atStart.contains(where: bytes.starts) { return true }
    return bytes.indices.contains { index in
      guard firsts.contains(bytes[index]) else { return false }
      let rest = bytes[index...]
      return certain.contains(where: rest.starts) || isJPEG(rest) || isTIFF(rest) || isBitmap(rest) || isPixmap(rest)
    }
  }

  /// Whether two segments of JPEG follow the start of the image. Source: ITU-T T.81, B.1.1.
  private static func isJPEG(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
    var place = bytes.startIndex + 2
    for _ in 0..<2 {
      guard place + 4 <= bytes.endIndex, bytes[place] == 0xFF, (0xC0...0xFE).contains(bytes[place + 1]) else {
        return false
      }
      place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
    }
    return place < bytes.endIndex && bytes[place] == 0xFF
  }

  /// Whether a header refers to a directory of which the first entry has a known type. Source: TIFF 6.0, 2.
  private static func isTIFF(_ bytes: ArraySlice<UInt8>) -> Bool {
    let isLittle = bytes.starts(with: [0x49, 0x49, 0x2A, 0])
    guard isLittle || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return false }
    func value(_ offset: Int, _ count: Int) -> Int { number(in: bytes, at: offset, count, isLittle: isLittle) ?? -1 }
    let directory = value(4, 4)
    return directory >= 8 && (1...64).contains(value(directory, 2)) && (1...13).contains(value(directory + 4, 2))
  }

  /// Source: Windows' BITMAPFILEHEADER, and the lengths of the headers that follow it.
  private static func isBitmap(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.starts(with: "BM".utf8) else { return false }
    func value(_ offset: Int) -> Int { number(in: bytes, at: offset, 4, isLittle: true) ?? -1 }
    return value(6) == 0 && (26...2048).contains(value(10)) && [12, 40, 52, 56, 64, 108, 124].contains(value(14))
  }

  /// `P1` to `P6`, a width and a height of two digits at least. Source: Netpbm's manual, "pbm", "pgm", "ppm".
  private static func isPixmap(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.first == UInt8(ascii: "P"), (0x31...0x36).contains(bytes.dropFirst().first ?? 0) else { return false }
    let spaces: Set<UInt8> = [9, 10, 13, 32]
    let words = bytes.dropFirst(2).prefix(24).split(
      maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: spaces.contains)
    return spaces.contains(bytes.dropFirst(2).first ?? 0) && words.count == 3
      && words.prefix(2).allSatisfy { word in word.count >= 2 && word.allSatisfy { (0x30...0x39).contains($0) } }
  }

  /// - Returns: `nil` beyond the end.
  private static func number(in bytes: ArraySlice<UInt8>, at offset: Int, _ count: Int, isLittle: Bool) -> Int? {
    guard offset >= 0, count <= bytes.count - offset else { return nil }
    let part = bytes[(bytes.startIndex + offset)...].prefix(count)
    return isLittle ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
  }
}
