/// Reads numbers out of bytes, without a string for each.
struct NumberScanner {
  private static let newline = UInt8(ascii: "\n")
  private let bytes: [UInt8]
  /// The next byte.
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  /// The byte at the position; `nil` at the end.
  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  var isAtLineEnd: Bool { byte == nil || byte == Self.newline }

  /// Takes a byte if it is the next one.
  mutating func take(_ wanted: UInt8) -> Bool {
    guard byte == wanted else { return false }
    position += 1
    return true
  }

  /// Passes over spaces, tabs and carriage returns.
  mutating func skipBlanks() {
    while let next = byte, next == 0x20 || next == 0x09 || next == 0x0D { position += 1 }
  }

  /// Goes to the beginning of the next line.
  mutating func skipLine() {
    while let next = byte {
      position += 1
      if next == Self.newline { return }
    }
  }

  /// Takes a number in the form that C and Swift write them, `nan` and `inf` among them.
  ///
  /// The result is the nearest `Double`, as of `Double(_: String)`; the common short decimals take the exact way of
  /// W. D. Clinger, "How to read floating point numbers accurately", 1990: a whole number below 2⁵³ divided by a power of
  /// ten up to 10²².
  /// - Returns: `nil`, and nothing taken, if there is no number, or if something else follows it than a blank, a comma or
  ///   the end of the line.
  mutating func number() -> Double? {
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
    return rareNumber()
  }

  private var isAtFieldEnd: Bool {
    guard let next = byte else { return true }
    return next == UInt8(ascii: ",") || next == Self.newline || next == 0x20 || next == 0x09 || next == 0x0D
  }

  /// A number with an exponent, with many digits, or one that is not finite.
  private mutating func rareNumber() -> Double? {
    let start = position
    while !isAtFieldEnd { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    // Swift also reads hexadecimal numbers, which no such file holds.
    if !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }), let value = Double(text) { return value }
    position = start
    return nil
  }
}
