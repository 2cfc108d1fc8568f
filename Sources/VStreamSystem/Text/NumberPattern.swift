/// A file name with a number's placeholder, as FFmpeg and printf write it: `frame-%05d.png`; `%%` is a per cent sign.
package struct NumberPattern: Hashable, Sendable {
  /// The text before the number.
  package let before: String
  /// The text after the number.
  package let after: String
  /// The digits that a number is padded to with zeros.
  package let width: Int

  /// The most digits that FFmpeg writes; it cuts longer numbers off.
  private static let maximumWidth = 19

  /// - Returns: `nil` if the name does not have exactly one placeholder, or one of more than 19 digits.
  package init?(_ name: some StringProtocol) {
    var parts = [""]
    var width = 0
    var rest = name[...]
    while let first = rest.popFirst() {
      guard first == "%" else {
        parts[parts.count - 1].append(first)
        continue
      }
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      switch rest.popFirst() {
      case "%": parts[parts.count - 1].append("%")
      case "d":
        width = digits.isEmpty ? 0 : Int(digits) ?? .max
        if width > Self.maximumWidth { return nil }
        parts.append("")
      default: return nil
      }
    }
    guard parts.count == 2 else { return nil }
    (before, after) = (parts[0], parts[1])
    self.width = width
  }

  /// Whether a name has a placeholder of more digits than a file's name can have. FFmpeg takes seconds to minutes each time
  /// that it checks such a name.
  package static func isEndless(_ name: some StringProtocol) -> Bool {
    var rest = name.utf8[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[percent...].dropFirst()
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      if rest.first == UInt8(ascii: "d"), !digits.isEmpty, (Int(String(decoding: digits, as: UTF8.self)) ?? .max) > 255
      {
        return true
      }
      if digits.isEmpty, rest.first == UInt8(ascii: "%") { rest = rest.dropFirst() }
    }
    return false
  }

  /// A name with its `%` escaped, so that none starts a placeholder.
  package static func escaped(_ name: some StringProtocol) -> String {
    name.reduce(into: "") { $0 += $1 == "%" ? "%%" : String($1) }
  }

  /// A name without a placeholder, with `%%` replaced by `%`.
  package static func unescaped(_ name: some StringProtocol) -> String {
    NumberPattern("\(name)%d")?.before ?? String(name)
  }

  /// The number in a name, padded with zeros to the width and no further; `nil` if the name does not match the pattern.
  package func number(in name: String) -> Int? {
    guard name.hasPrefix(before), name.hasSuffix(after), name.count > before.count + after.count else { return nil }
    let digits = name.dropFirst(before.count).dropLast(after.count)
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), digits.count >= width,
      digits.count <= max(1, width) || !digits.hasPrefix("0")
    else { return nil }
    return Int(digits)
  }

  package func name(_ number: Int) -> String {
    let digits = String(number)
    return before + String(repeating: "0", count: max(0, width - digits.count)) + digits + after
  }
}
