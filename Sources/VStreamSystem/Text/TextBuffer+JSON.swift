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
