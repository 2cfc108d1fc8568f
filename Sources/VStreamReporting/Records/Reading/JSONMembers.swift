internal import FoundationEssentials

/// The names of the members of JSON objects.
enum JSONMembers {
  /// Whether an object in a JSON text has two members of one name: decoders read either of them.
  ///
  /// - Parameter text: valid JSON; of other text the result has no meaning.
  static func areRepeated(in text: ArraySlice<UInt8>) -> Bool {
    /// The names in each object that is open; `nil` for an array.
    var open: [Set<[UInt8]>?] = []
    var isNameNext = false
    var position = text.startIndex
    while position < text.endIndex {
      switch text[position] {
      case UInt8(ascii: "{"):
        open.append([])
        isNameNext = true
      case UInt8(ascii: "["):
        open.append(nil)
        isNameNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
      case UInt8(ascii: ","): isNameNext = open.last.map { $0 != nil } ?? false
      case UInt8(ascii: "\""):
        let end = endOfString(in: text, after: position)
        if isNameNext, let level = open.indices.last {
          guard open[level]?.insert(unescaped(text[position..<end])).inserted == true else { return true }
          isNameNext = false
        }
        position = end
        continue
      default: break
      }
      position += 1
    }
    return false
  }

  /// The position behind the closing quotation mark.
  private static func endOfString(in text: ArraySlice<UInt8>, after quote: Int) -> Int {
    var position = quote + 1
    while position < text.endIndex, text[position] != UInt8(ascii: "\"") {
      position += text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, text.endIndex)
  }

  /// A string without its quotation marks and escapes.
  private static func unescaped(_ string: ArraySlice<UInt8>) -> [UInt8] {
    guard string.contains(UInt8(ascii: "\\")) else { return Array(string.dropFirst().dropLast()) }
    return (try? JSONDecoder().decode(String.self, from: Data(string))).map { Array($0.utf8) } ?? Array(string)
  }
}
