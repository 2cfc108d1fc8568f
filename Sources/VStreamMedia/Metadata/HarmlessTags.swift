/// Tags of containers and streams that redaction keeps: those that describe the media. Any other may name a place, a person or
/// a device, whose names differ from maker to maker.
enum HarmlessTags {
  /// Longer values may be images as text.
  private static let maximumLength = 2048
  /// The longest name of a tag, with its language.
  private static let maximumNameLength = 64
  private static let imageNames: Set = ["metadata_block_picture", "coverart", "cover_art", "thumbnail", "picture"]
  private static let harmless: Set = [
    "title", "language", "encoder", "creation_time", "date", "year", "timecode", "handler_name", "duration", "track",
    "disc", "genre", "alpha_mode", "stereo_mode", "rotate", "variant_bitrate", "filename", "mimetype", "service_name",
    "service_provider", "compatible_brands", "major_brand", "minor_version",
  ]

  static func isImage(_ name: String, _ value: String) -> Bool {
    value.utf8.count > maximumLength || name.utf8.count > maximumNameLength
      || imageNames.contains(name.lowercased()) || EncodedText.isIn(value)
  }

  static func isHarmless(_ name: String) -> Bool { harmless.contains(Container.tagName(name)) }

  static func kept(of tags: [String: String], keepsImages: Bool, keepsDescription: Bool) -> [String: String] {
    tags.filter { name, value in
      (keepsImages || !isImage(name, value)) && (keepsDescription || isHarmless(name) || isImage(name, value))
    }
  }
}

/// Bytes written as text, as in data URIs: an image may be.
enum EncodedText {
  /// Letters and digits in a row that are no word.
  private static let shortestRun = 32
  /// Of all such runs of a text: fewer are a name, or a checksum. No image is as short.
  private static let most = 128

  /// Whether a text contains more base64 or hexadecimal digits than a name or an address does.
  static func isIn(_ text: String) -> Bool {
    if text.contains("data:"), text.contains(";base64") { return true }
    var (run, sum) = (0, 0)
    for byte in Array(text.utf8) + [UInt8(ascii: " ")] {
      if isDigit(byte) {
        run += 1
        continue
      }
      if run >= shortestRun { sum += run }
      run = 0
    }
    return sum > most
  }

  /// Whether it is a digit of base64, in either alphabet.
  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "+/_-=".utf8.contains(byte)
    }
  }
}
