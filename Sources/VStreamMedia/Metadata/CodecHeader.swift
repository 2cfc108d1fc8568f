/// The headers of codecs in which a file may contain more than a decoder needs: comments of Vorbis, further sections of
/// subtitle scripts, and bytes behind the header's end.
enum CodecHeader {
  /// The header without what is not needed to decode.
  ///
  /// - Parameter codec: FFmpeg's name.
  /// - Returns: `nil` for a header that cannot be read.
  static func cleaned(_ header: [UInt8], codec: String) -> [UInt8]? {
    switch codec {
    case "vorbis": XiphHeaders(header)?.withoutComments.bytes
    case "ass", "ssa": script(header)
    case "aac": AACHeader.cleaned(header) ?? limited(header)
    case "opus": opus(header) ?? limited(header)
    case "flac": flac(header) ?? limited(header)
    case "alac": limited(Array(header.prefix(alacLength)))
    default: limited(header)
    }
  }

  /// The longest header of other codecs of sound and text: that of timed text names fonts.
  private static let maximumLength = 1024
  private static let alacLength = 36

  /// - Returns: `nil` for a header that is too long, or in which there may be an image.
  private static func limited(_ header: [UInt8]) -> [UInt8]? {
    let isSuspicious =
      header.count > maximumLength || ImageSignature.isIn(header)
      || EncodedText.isIn(String(decoding: header, as: UTF8.self))
    return isSuspicious ? nil : header
  }

  /// Source: RFC 7845, 5.1: 19 bytes, and with a family of mappings two more and one for each channel.
  private static func opus(_ header: [UInt8]) -> [UInt8]? {
    let length = 19
    guard header.starts(with: "OpusHead".utf8), header.count >= length else { return nil }
    return Array(header.prefix(header[18] == 0 ? length : length + 2 + Int(header[9])))
  }

  /// The properties of the stream, without other blocks. Source: RFC 9639, 8.1 and 8.2.
  private static func flac(_ header: [UInt8]) -> [UInt8]? {
    let (length, lastBlock) = (34, UInt8(0x80))
    guard header.starts(with: "fLaC".utf8) else { return header.count < length ? nil : Array(header.prefix(length)) }
    guard header.count >= 8 + length, header[4] & ~lastBlock == 0 else { return nil }
    var block = Array(header.prefix(8 + length))
    block[4] |= lastBlock
    return block
  }

  /// The script's general settings, styles and events; other sections contain fonts and images.
  ///
  /// - Returns: `nil` for a script whose lines, put together, may contain an image.
  private static func script(_ header: [UInt8]) -> [UInt8]? {
    let kept: Set = ["[script info]", "[v4 styles]", "[v4+ styles]", "[events]"]
    var isKept = true
    let (feed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    let ends: Set = [feed, carriageReturn]
    let lines = header.split(omittingEmptySubsequences: true, whereSeparator: ends.contains).filter { line in
      let text = String(decoding: line.drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }, as: UTF8.self)
      let name = text.lowercased().drop { $0.isWhitespace || $0 == "\u{0}" }
      if name.hasPrefix(";") || name.hasPrefix("!:") || EncodedText.isIn(text) { return false }
      if name.hasPrefix("[") { isKept = kept.contains { name.hasPrefix($0) } }
      return isKept
    }
    // Names of styles and fonts, and other values, may each have a piece of one.
    let values = lines.map { String(decoding: $0, as: UTF8.self).drop { $0 != ":" }.dropFirst().split(separator: ",") }
    let columns = (0..<(values.map(\.count).max() ?? 0)).map { column in
      values.compactMap { column < $0.count ? String($0[column]) : nil }.joined()
    }
    if columns.contains(where: EncodedText.hasSignature) { return nil }
    let end = header.contains(carriageReturn) && header.contains(feed) ? [carriageReturn, feed] : [feed]
    return Array(lines.joined(separator: end)) + (header.last.map(ends.contains) == true ? end : [])
  }
}

/// The three headers of Vorbis, as containers other than Ogg store them.
///
/// Source: Xiph, "Vorbis I specification", 5 (comments); Matroska codec specifications, A_VORBIS (lacing).
private struct XiphHeaders {
  private var packets: [[UInt8]]

  init?(_ bytes: [UInt8]) {
    guard let packets = Self.laced(bytes) ?? Self.counted(bytes), packets.allSatisfy({ $0.count > 7 }),
      // Codebooks can be any bytes.
      !ImageSignature.isIn(packets[0] + packets[2])
    else { return nil }
    self.packets = packets
  }

  /// Each header with its length in two bytes before it.
  private static func counted(_ bytes: [UInt8]) -> [[UInt8]]? {
    guard bytes.starts(with: [0, 30]) else { return nil }
    var packets: [[UInt8]] = []
    var place = 0
    while packets.count < 3, place + 2 <= bytes.count {
      let length = Int(bytes[place]) << 8 | Int(bytes[place + 1])
      guard place + 2 + length <= bytes.count else { return nil }
      packets.append(Array(bytes[place + 2..<place + 2 + length]))
      place += 2 + length
    }
    return packets.count == 3 ? packets : nil
  }

  /// The number of headers but one, the lengths of all but the last in bytes that are added up, and the headers.
  private static func laced(_ bytes: [UInt8]) -> [[UInt8]]? {
    guard bytes.first == 2 else { return nil }
    var place = 1
    var lengths: [Int] = []
    while lengths.count < 2 {
      var length = 0
      while place < bytes.count, bytes[place] == 255 { (length, place) = (length + 255, place + 1) }
      guard place < bytes.count else { return nil }
      lengths.append(length + Int(bytes[place]))
      place += 1
    }
    guard place + lengths[0] + lengths[1] < bytes.count else { return nil }
    let second = place + lengths[0]
    let third = second + lengths[1]
    return [Array(bytes[place..<second]), Array(bytes[second..<third]), Array(bytes[third...])]
  }

  /// With a comment header that names no vendor and has no comments.
  var withoutComments: XiphHeaders {
    var copy = self
    copy.packets[1] = [3] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 8) + [1]
    return copy
  }

  /// Laced.
  var bytes: [UInt8] {
    let lengths = packets.dropLast().flatMap {
      [UInt8](repeating: 255, count: $0.count / 255) + [UInt8($0.count % 255)]
    }
    return [2] + lengths + packets.joined()
  }
}
