/// Parses numbers from bytes, without a string for each.
package struct NumberScanner {
  private static let newline = UInt8(ascii: "\n")
  private let bytes: [UInt8]
  /// The next byte.
  package private(set) var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var isAtEnd: Bool { position >= bytes.count }

  /// The byte at the position; `nil` at the end.
  package var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  package var isAtLineEnd: Bool { byte == nil || byte == Self.newline }

  /// Consumes the next byte if it is the given one.
  package mutating func take(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    position += 1
    return true
  }

  /// Skips spaces, tabs and carriage returns.
  package mutating func skipBlanks() {
    while let next = byte, next == 0x20 || next == 0x09 || next == 0x0D { position += 1 }
  }

  /// Advances to the start of the next line.
  package mutating func skipLine() {
    while let next = byte {
      position += 1
      if next == Self.newline { return }
    }
  }

  /// Parses a number as C and Swift write it, `nan` and `inf` included.
  ///
  /// The result is the nearest `Double`, equal to that of `Double(_: String)`. Common short decimals use the exact fast path
  /// of W. D. Clinger, "How to read floating point numbers accurately", 1990: an integer below 2⁵³ divided by a power of ten
  /// up to 10²².
  /// - Returns: `nil`, with the position unchanged, if there is no number, or if it is followed by anything but a blank, a
  ///   comma or the end of the line.
  package mutating func number() -> Double? {
    let start = position
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative || byte == UInt8(ascii: "+") { position += 1 }
    var digits: UInt64 = 0
    var digitCount = 0
    var scale = 1.0
    var hasPoint = false
    while position < bytes.count {
      let next = bytes[position]
      if next >= 0x30, next <= 0x39 {
        digits = digits &* 10 &+ UInt64(next - 0x30)
        digitCount += 1
        if hasPoint { scale *= 10 }
      } else if next == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        break
      }
      position += 1
    }
    if digitCount > 0, digitCount <= 15, isAtFieldEnd {
      let value = Double(digits) / scale
      return isNegative ? -value : value
    }
    position = start
    return uncommonNumber()
  }

  private var isAtFieldEnd: Bool {
    guard let next = byte else { return true }
    return next == UInt8(ascii: ",") || next == Self.newline || next == 0x20 || next == 0x09 || next == 0x0D
  }

  /// A number with an exponent, with many digits, or one that is not finite.
  private mutating func uncommonNumber() -> Double? {
    let start = position
    while !isAtFieldEnd { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    // Swift also parses hexadecimal numbers, which are invalid here.
    if !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }), let value = Double(text) { return value }
    position = start
    return nil
  }
}

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
