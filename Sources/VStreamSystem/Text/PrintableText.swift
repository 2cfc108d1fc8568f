#if canImport(Glibc)
  internal import Glibc
#endif

extension String {
  /// The text with each control character but line breaks in the form `\x1b`, including reversals of the direction of
  /// writing: names of files, tags and models, which a message repeats, must not control the terminal.
  package var printable: String {
    var shown = ""
    for scalar in unicodeScalars {
      if scalar.properties.generalCategory == .control || scalar.properties.isBidiControl, scalar != "\n" {
        let digits = String(scalar.value, radix: 16)
        shown += "\\x" + String(repeating: "0", count: max(0, 2 - digits.count)) + digits
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}

extension StringProtocol {
  /// FNV-1a, 64 bits, of its UTF-8: the same in every run, unlike `hashValue`; a name, not a protection.
  package var stableHash: UInt64 {
    utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// Without the white space around it.
  package var trimmed: String {
    String(String(drop(while: \.isWhitespace)).reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// Names that somebody may have meant.
package enum SimilarNames {
  /// The names that are like another one, ignoring case: that contain it or are contained in it, or differ in a letter or two.
  package static func of(_ name: String, in names: [String]) -> [String] {
    let name = name.lowercased()
    let maximumDistance = name.count < 5 ? 1 : 2
    return names.filter { other in
      let known = other.lowercased()
      return (name.count > 2 && known.contains(name)) || name.contains(known)
        || editDistance(known, name) <= maximumDistance
    }
  }

  /// The number of letters to substitute, insert or delete that turns one word into the other (Levenshtein).
  private static func editDistance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var distances = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var diagonal = distances[0]
      distances[0] = row + 1
      for (column, otherLetter) in other.enumerated() {
        let change = diagonal + (letter == otherLetter ? 0 : 1)
        diagonal = distances[column + 1]
        distances[column + 1] = min(change, distances[column] + 1, diagonal + 1)
      }
    }
    return distances[other.count]
  }
}

/// Standard error, to which any thread may write.
package enum StandardError {
  /// Writes a text; what cannot be written is discarded. The C function is `write`.
  package static func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
