/// Text that is built from parts, in UTF-8. An owner that empties and refills it reuses its memory.
package struct TextBuffer: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  package mutating func append(_ text: String) { bytes += text.utf8 }

  package mutating func append(byte: UInt8) { bytes.append(byte) }

  package mutating func append(_ integer: Int) {
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(integer.magnitude, atLeast: 1)
  }

  /// Appends a number with at most `places` decimals, 1 or more, and at least one; `null` if it is not finite or so large
  /// that its digits do not fit 63 bits.
  package mutating func append(_ value: Double, places: Int) {
    if !appendDecimals(value, 1...places) { append("null") }
  }

  /// Appends a number rounded to the most decimals of the range; zeros at its end are omitted down to the fewest.
  ///
  /// - Returns: `false`, and nothing appended, if it is not finite or so large that its digits do not fit 63 bits.
  mutating func appendDecimals(_ value: Double, _ count: ClosedRange<Int>) -> Bool {
    var power: UInt = 1
    for _ in 0..<count.upperBound { power *= 10 }
    let scaled = (value * Double(power)).rounded()
    guard scaled.magnitude < 9e18 else { return false }
    let integer = Int(scaled)
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(integer.magnitude / power, atLeast: 1)
    var fraction = integer.magnitude % power
    var places = count.upperBound
    while places > count.lowerBound, fraction % 10 == 0 {
      fraction /= 10
      places -= 1
    }
    guard places > 0 else { return true }
    bytes.append(UInt8(ascii: "."))
    appendDigits(fraction, atLeast: places)
    return true
  }

  /// Appends a number with as many digits as it takes to read it back unchanged; `null` if it is not finite.
  package mutating func appendExactly(_ value: Double) { append(value.isFinite ? "\(value)" : "null") }

  /// Appends an integer's digits, with leading zeros up to the count.
  package mutating func appendDigits(_ value: UInt, atLeast count: Int) {
    let start = bytes.count
    var rest = value
    while rest > 0 || bytes.count - start < count {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    // The slice's own `reverse` would copy it.
    var (low, high) = (start, bytes.count - 1)
    while low < high {
      bytes.swapAt(low, high)
      low += 1
      high -= 1
    }
  }
}
