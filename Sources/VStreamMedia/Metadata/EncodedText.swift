/// Bytes written as text, as in data URIs: an image may be.
enum EncodedText {
  /// Letters and digits in a row that are no word.
  private static let shortestRun = 32
  /// Of all such runs of a text: fewer are a name, or a checksum. No image is as short.
  private static let most = 128
  /// The fewest different digits in such a run: a line of dashes is none.
  private static let fewestDigits = 8

  /// The first digits of JPEG in base64, and how many more have to follow: they may be a path.
  private static let shortSignatures = [Array("/9j/".utf8), Array("_9j_".utf8)]
  private static let following = 4
  /// The first digits of PNG, GIF, WebP, AVIF and HEIC in base64, Ascii85, Base85 and uuencode,
  private static let signatures = [
    "iVBORw0KGgo", "R0lGODdh", "R0lGODlh", "UklGR", "Z0eXBhdmlm", "Z0eXBoZWlj",
    "s4IA0", "s4IA1", "s4IA+", "M,6r;%14!", "7nH003F", ";Fs>I", "|JeWF", "|JeWG", "|JeWA", "iBL{Q4GJ0", "M@dFFI",
    "Qb|Te",
    "_]C_X", "_]C_VP",
  ]
  /// and in hexadecimal.
  private static let hexadecimalSignatures = [
    "ffd8ffe", "ffd8ffdb", "ffd8fffe", "ffd8ffc", "ffd8ffdd", "89504e470d0a", "474946383761", "474946383961",
    "574542505650", "6674797061766966",
    "6674797068656963",
  ]

  /// Whether a text contains more base64 or hexadecimal digits than a name or an address does, or the first ones of an image.
  static func isIn(_ text: String) -> Bool {
    if text.contains("data:"), text.contains(";base64") { return true }
    return isLong(digitsInRuns(of: text)) || hasSignature(text)
  }

  /// Whether there are more digits in long runs than a name or an address has.
  static func isLong(_ digits: Int) -> Bool { digits > most }

  /// The digits of a text that are in long runs.
  static func digitsInRuns(of text: String) -> Int {
    text.utf8.split(whereSeparator: { !isDigit($0) }).reduce(0) { sum, run in
      run.count >= shortestRun && Set(run).count >= fewestDigits ? sum + run.count : sum
    }
  }

  /// Whether an image begins in it, in lines and groups of any length.
  static func hasSignature(_ text: String) -> Bool {
    let joined = text.filter { !$0.isWhitespace }
    if signatures.contains(where: joined.contains) || hasShortSignature(Array(joined.utf8)) { return true }
    let lowercased = joined.lowercased()
    return hexadecimalSignatures.contains(where: lowercased.contains)
  }

  private static func hasShortSignature(_ text: [UInt8]) -> Bool {
    text.indices.contains { index in
      guard let signature = shortSignatures.first(where: text[index...].starts) else { return false }
      let rest = text[(index + signature.count)...].prefix(following)
      return rest.count == following && rest.allSatisfy(isDigit)
    }
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
