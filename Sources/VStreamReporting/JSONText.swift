/// Writes JSON, its members in the order they are added.
struct JSONText {
  private(set) var text = ""
  private var needsComma = false

  /// An object made by `body`.
  static func object(_ body: (inout JSONText) -> Void) -> String {
    var json = JSONText()
    json.text.reserveCapacity(128)
    json.text += "{"
    body(&json)
    json.text += "}"
    return json.text
  }

  mutating func add(_ key: String, _ value: String) { addRaw(key, Self.quoted(value)) }
  mutating func add(_ key: String, _ value: Int) { addRaw(key, "\(value)") }
  mutating func add(_ key: String, _ value: Bool) { addRaw(key, value ? "true" : "false") }
  mutating func add(_ key: String, _ value: Double, places: Int) { addRaw(key, Self.number(value, places: places)) }
  mutating func add(_ key: String, list: [String]) { addRaw(key, "[\(list.joined(separator: ","))]") }

  /// Adds a value that is JSON already.
  mutating func addRaw(_ key: String, _ value: String) {
    if needsComma { text += "," }
    text += "\"\(key)\":\(value)"
    needsComma = true
  }

  /// A number with at most `places` decimals and at least one; `null` if it is not finite.
  static func number(_ value: Double, places: Int) -> String {
    var power = 1
    for _ in 0..<places { power *= 10 }
    guard value.isFinite, abs(value) * Double(power) < 9e18 else { return "null" }
    let scaled = Int((value * Double(power)).rounded())
    var fraction = String(scaled.magnitude % UInt(power))
    fraction = String(repeating: "0", count: places - fraction.count) + fraction
    while fraction.count > 1, fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(scaled < 0 ? "-" : "")\(scaled.magnitude / UInt(power)).\(fraction)"
  }

  /// A number with as many digits as it takes to read it back unchanged; `null` if it is not finite.
  static func exactly(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

  /// A string in quotes, with what JSON does not allow in one escaped.
  static func quoted(_ string: String) -> String {
    var result = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
