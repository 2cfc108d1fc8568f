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

/// JSON: members and elements appear in the order of addition, separated by commas.
extension TextBuffer {
  /// The object that `body` writes.
  package static func json(_ body: (inout TextBuffer) -> Void) -> String {
    var buffer = TextBuffer()
    buffer.addObject(body)
    return buffer.text
  }

  package mutating func add(_ key: String, _ text: String) {
    addKey(key)
    appendQuoted(text)
  }

  package mutating func add(_ key: String, _ integer: Int) {
    addKey(key)
    append(integer)
  }

  package mutating func add(_ key: String, _ isTrue: Bool) {
    addKey(key)
    append(isTrue ? "true" : "false")
  }

  package mutating func add(_ key: String, _ value: Double, places: Int) {
    addKey(key)
    append(value, places: places)
  }

  /// Adds a key; the next value that is appended is its value.
  package mutating func addKey(_ key: String) {
    separate()
    appendQuoted(key)
    append(":")
  }

  package mutating func addObject(_ key: String, _ body: (inout TextBuffer) -> Void) {
    addKey(key)
    addObject(body)
  }

  package mutating func addList(_ key: String, _ body: (inout TextBuffer) -> Void) {
    addKey(key)
    addList(body)
  }

  package mutating func addObject(_ body: (inout TextBuffer) -> Void) {
    separate()
    append("{")
    body(&self)
    append("}")
  }

  package mutating func addList(_ body: (inout TextBuffer) -> Void) {
    separate()
    append("[")
    body(&self)
    append("]")
  }

  /// Adds an element to a list.
  package mutating func addNumber(_ value: Double, places: Int) {
    separate()
    append(value, places: places)
  }

  /// Adds an element to a list.
  package mutating func addInteger(_ value: Int) {
    separate()
    append(value)
  }

  /// Adds an element to a list.
  package mutating func addText(_ text: String) {
    separate()
    appendQuoted(text)
  }

  /// Appends a comma unless this is the first element of its object or list.
  package mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
    default: append(",")
    }
  }

  /// Appends a quoted string, with the characters escaped that JSON requires to be, and further control characters, as a
  /// terminal may show it.
  private mutating func appendQuoted(_ string: String) {
    append("\"")
    for scalar in string.unicodeScalars {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      guard scalar.value < 0xA0 else {
        append(String(scalar))
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case ..<0x20, 0x7F...:
        append("\\u00")
        Hexadecimal.append(byte, to: &self)
      default: append(byte: byte)
      }
    }
    append("\"")
  }
}
