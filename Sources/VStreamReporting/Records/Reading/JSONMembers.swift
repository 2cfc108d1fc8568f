internal import FoundationEssentials

/// The names of the members of JSON objects.
enum JSONMembers {
  /// The first name that two members of one object in a JSON text have: decoders read either of them.
  ///
  /// - Parameter text: valid JSON; of other text the result has no meaning.
  static func repeated(in text: ArraySlice<UInt8>) -> String? {
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
          let name = unescaped(text[position..<end])
          guard open[level]?.insert(name).inserted == true else { return String(decoding: name, as: UTF8.self) }
          isNameNext = false
        }
        position = end
        continue
      default: break
      }
      position += 1
    }
    return nil
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
