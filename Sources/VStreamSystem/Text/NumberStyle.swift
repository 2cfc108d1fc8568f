internal import VStreamCore

/// How a number is written, independent of the locale.
package struct NumberStyle: Hashable, Sendable {
  private enum Kind: Hashable {
    case decimals(ClosedRange<Int>), shortest, measurement, bytes, duration, clock
  }

  private let kind: Kind

  /// Rounded to the most decimals of the range, halves away from zero; zeros at the end are omitted down to the fewest:
  /// `1.25`, `1.2`, `1` with `0...2`.
  package static func decimals(_ count: ClosedRange<Int>) -> NumberStyle { NumberStyle(kind: .decimals(count)) }

  /// Rounded to exactly so many decimals: `1.20` with 2.
  package static func decimals(_ count: Int) -> NumberStyle { .decimals(count...count) }

  /// As many digits as it takes to read it back unchanged, an integer without decimals: `23`, `23.976`.
  package static let shortest = NumberStyle(kind: .shortest)

  /// Two decimals below 10, one from there on; zeros at the end are omitted down to one decimal: `2.35`, `235.1`.
  package static let measurement = NumberStyle(kind: .measurement)

  /// Bytes in units of a thousand with one decimal: `999 bytes`, `1.5 MB`.
  package static let bytes = NumberStyle(kind: .bytes)

  /// Seconds, rounded up, in the two largest units: `59 s`, `3 min 20 s`, `2 h 5 min`.
  package static let duration = NumberStyle(kind: .duration)

  /// Seconds, 0 or more, as hours, minutes and seconds with milliseconds: `01:02:03.456`.
  package static let clock = NumberStyle(kind: .clock)
}

extension Double {
  /// The number as text. Without a finite value, or where a style's digits do not fit 63 bits, in the form of
  /// `description`.
  package func formatted(_ style: NumberStyle) -> String { style.text(of: self) }
}

extension Int {
  /// The number with a noun: `1 frame`, `3 frames`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

  /// The number as text.
  package func formatted(_ style: NumberStyle) -> String { style.text(of: Double(self)) }
}

extension NumberStyle {
  fileprivate func text(of value: Double) -> String {
    guard value.isFinite else { return "\(value)" }
    switch kind {
    case .decimals(let count): return Self.decimal(value, count)
    case .measurement: return Self.decimal(value, 1...(value < 10 ? 2 : 1))
    case .shortest: return value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
    case .bytes: return Self.bytes(value)
    case .duration: return Self.duration(Int(clamping: value.rounded(.up)))
    case .clock: return Self.clock(UInt(clamping: Int(clamping: value * 1000)))
    }
  }

  private static func decimal(_ value: Double, _ count: ClosedRange<Int>) -> String {
    var buffer = TextBuffer()
    return buffer.appendDecimals(value, count) ? buffer.text : "\(value)"
  }

  private static func bytes(_ count: Double) -> String {
    guard count >= 1000 else { return "\(Int(clamping: count)) bytes" }
    var (size, units) = (count / 1000, ["kB", "MB", "GB", "TB"][...])
    while size >= 999.95, units.count > 1 {
      size /= 1000
      units.removeFirst()
    }
    return "\(decimal(size, 1...1)) \(units.first ?? "TB")"
  }

  private static func duration(_ seconds: Int) -> String {
    if seconds < 60 { return "\(seconds) s" }
    let minutes = seconds % 3600 / 60
    return seconds < 3600 ? "\(minutes) min \(seconds % 60) s" : "\(seconds / 3600) h \(minutes) min"
  }

  private static func clock(_ milliseconds: UInt) -> String {
    var buffer = TextBuffer()
    buffer.appendDigits(milliseconds / 3_600_000, atLeast: 2)
    for (unit, mark) in [(60_000 as UInt, ":"), (1000, ":")] {
      buffer.append(mark)
      buffer.appendDigits(milliseconds / unit % 60, atLeast: 2)
    }
    buffer.append(".")
    buffer.appendDigits(milliseconds % 1000, atLeast: 3)
    return buffer.text
  }
}

/// Bytes as text.
package enum Hexadecimal {
  /// Two lower-case digits a byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    var buffer = TextBuffer()
    for byte in bytes { append(byte, to: &buffer) }
    return buffer.text
  }

  static func append(_ byte: UInt8, to buffer: inout TextBuffer) {
    for digit in [byte >> 4, byte & 15] { buffer.append(byte: digit < 10 ? 0x30 + digit : 0x57 + digit) }
  }
}
