/// The headers of codecs, which may contain more than a decoder needs.
enum CodecHeader {
  /// The longest header of codecs of sound and text: that of timed text names fonts.
  private static let maximumLength = 256
  /// The longest of a subtitle script, which has styles.
  private static let maximumScriptLength = 65_536

  /// The header, of Vorbis without its comments.
  ///
  /// - Parameter codec: FFmpeg's name.
  /// - Returns: `nil` for a header that is too long, cannot be read, or contains files.
  static func cleaned(_ header: [UInt8], codec: String) -> [UInt8]? {
    switch codec {
    case "vorbis": XiphHeaders(header)?.withoutComments.bytes
    case "ass", "ssa": isScript(header) ? header : nil
    default: header.count > maximumLength ? nil : header
    }
  }

  /// Whether a script has neither fonts nor images.
  private static func isScript(_ header: [UInt8]) -> Bool {
    let text = String(decoding: header, as: UTF8.self).lowercased()
    return header.count <= maximumScriptLength && !["[fonts]", "[graphics]"].contains { text.contains($0) }
  }
}

/// The three headers of Vorbis, as containers other than Ogg store them.
///
/// Source: Xiph, "Vorbis I specification", 5 (comments); Matroska codec specifications, A_VORBIS (lacing).
private struct XiphHeaders {
  private var packets: [[UInt8]]

  init?(_ bytes: [UInt8]) {
    guard let packets = Self.laced(bytes) ?? Self.counted(bytes), packets.allSatisfy({ $0.count > 7 }) else {
      return nil
    }
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
