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
