internal import VStreamScene

/// Text that is put together bit by bit, in UTF-8. What holds one and empties it uses its memory again.
struct TextBuffer: Sendable {
  private(set) var bytes: [UInt8] = []

  init() {}

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func append(_ text: String) { bytes += text.utf8 }

  mutating func append(_ whole: Int) {
    if whole < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(whole.magnitude, atLeast: 1)
  }

  /// Adds a number with at most `places` decimals, 1 or more, and at least one; `null` if it is not finite or so large that
  /// its digits do not fit 63 bits.
  mutating func append(_ value: Double, places: Int) {
    var power: UInt = 1
    for _ in 0..<places { power *= 10 }
    let scaled = (value * Double(power)).rounded()
    guard scaled.magnitude < 9e18 else { return append("null") }
    let whole = Int(scaled)
    if whole < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(whole.magnitude / power, atLeast: 1)
    bytes.append(UInt8(ascii: "."))
    var fraction = whole.magnitude % power
    var places = places
    while places > 1, fraction % 10 == 0 {
      fraction /= 10
      places -= 1
    }
    appendDigits(fraction, atLeast: places)
  }

  /// Adds a number with as many digits as it takes to read it back unchanged; `null` if it is not finite.
  mutating func appendExactly(_ value: Double) { append(value.isFinite ? "\(value)" : "null") }

  /// Adds a whole number's digits, with zeros in front if there are fewer than wanted.
  mutating func appendDigits(_ value: UInt, atLeast count: Int) {
    let start = bytes.count
    var rest = value
    while rest > 0 || bytes.count - start < count {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    // Not by the slice's `reverse`, which copies it.
    var (low, high) = (start, bytes.count - 1)
    while low < high {
      bytes.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// As `append(_:places:)` has it.
  static func number(_ value: Double, places: Int) -> String {
    var buffer = TextBuffer()
    buffer.append(value, places: places)
    return buffer.text
  }
}

// MARK: - JSON

/// Members and elements come in the order they are added; commas are put between them.
extension TextBuffer {
  /// An object made by `body`.
  static func json(_ body: (inout TextBuffer) -> Void) -> String {
    var buffer = TextBuffer()
    buffer.addObject(body)
    return buffer.text
  }

  mutating func add(_ key: String, _ text: String) {
    addKey(key)
    appendQuoted(text)
  }

  mutating func add(_ key: String, _ whole: Int) {
    addKey(key)
    append(whole)
  }

  mutating func add(_ key: String, _ isTrue: Bool) {
    addKey(key)
    append(isTrue ? "true" : "false")
  }

  mutating func add(_ key: String, _ value: Double, places: Int) {
    addKey(key)
    append(value, places: places)
  }

  /// Adds a member whose value is what is appended next.
  mutating func addKey(_ key: String) {
    separate()
    appendQuoted(key)
    append(":")
  }

  mutating func addObject(_ key: String, _ body: (inout TextBuffer) -> Void) {
    addKey(key)
    addObject(body)
  }

  mutating func addList(_ key: String, _ body: (inout TextBuffer) -> Void) {
    addKey(key)
    addList(body)
  }

  mutating func addObject(_ body: (inout TextBuffer) -> Void) {
    separate()
    append("{")
    body(&self)
    append("}")
  }

  mutating func addList(_ body: (inout TextBuffer) -> Void) {
    separate()
    append("[")
    body(&self)
    append("]")
  }

  /// Adds an element to a list.
  mutating func addNumber(_ value: Double, places: Int) {
    separate()
    append(value, places: places)
  }

  /// Adds an element to a list.
  mutating func addWhole(_ value: Int) {
    separate()
    append(value)
  }

  /// Adds an element to a list.
  mutating func addText(_ text: String) {
    separate()
    appendQuoted(text)
  }

  /// Puts a comma if something of the same object or list came before: if what came last opened nothing.
  mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
    default: append(",")
    }
  }

  /// Adds a string in quotes, with what JSON does not allow in one escaped.
  private mutating func appendQuoted(_ string: String) {
    append("\"")
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case ..<0x20:
        append("\\u00")
        for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
      default: bytes.append(byte)
      }
    }
    append("\"")
  }
}

// MARK: - Boxes

extension TextBuffer {
  /// Adds a box's corner and size, in pixels.
  mutating func append(_ box: Box, separator: String) {
    append(box.x, places: 2)
    append(separator)
    append(box.y, places: 2)
    append(separator)
    append(box.width, places: 2)
    append(separator)
    append(box.height, places: 2)
  }

  /// Adds a member `[x,y,width,height]`, in pixels.
  mutating func addBox(_ key: String, _ box: Box) {
    addList(key) { $0.append(box, separator: ",") }
  }
}
