/// A file's name with a place for a number, as FFmpeg and printf write it: `frame-%05d.png`; `%%` stands for a per cent sign.
struct NumberPattern: Hashable, Sendable {
  /// What stands before the number, and after it.
  let before: String
  let after: String
  /// The digits that a number is filled up to with zeros.
  let width: Int

  /// - Returns: `nil` if the name does not have exactly one place for a number.
  init?(_ name: some StringProtocol) {
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
        width = Int(digits) ?? 0
        parts.append("")
      default: return nil
      }
    }
    guard parts.count == 2 else { return nil }
    (before, after) = (parts[0], parts[1])
    self.width = width
  }

  /// A name as it is written where `%` would begin a place for a number.
  static func escaped(_ name: some StringProtocol) -> String {
    name.reduce(into: "") { $0 += $1 == "%" ? "%%" : String($1) }
  }

  /// A name without a place for a number, as it is meant.
  static func unescaped(_ name: some StringProtocol) -> String {
    NumberPattern("\(name)%d")?.before ?? String(name)
  }

  /// The number that a name has in its place, filled up with zeros to the width and not beyond; `nil` if the name does not
  /// fit.
  func number(in name: String) -> Int? {
    guard name.hasPrefix(before), name.hasSuffix(after), name.count > before.count + after.count else { return nil }
    let digits = name.dropFirst(before.count).dropLast(after.count)
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), digits.count >= width,
      digits.count <= max(1, width) || !digits.hasPrefix("0")
    else { return nil }
    return Int(digits)
  }

  func name(_ number: Int) -> String {
    let digits = String(number)
    return before + String(repeating: "0", count: max(0, width - digits.count)) + digits + after
  }
}
