/// One line of text for people, with references to settings, which the line's owner names when it is shown.
///
///     let message: Message = "\(codec) has no presets (\(.preset, "fast"))"
///     message.text { "--\($0)" }                 // libx262 has no presets (--preset fast)
///
/// A string literal is a message. A `String` becomes one by `Message(text)`, or by interpolation; secrets of
/// locations in it are hidden (`ShownLocation`).
package struct Message: Hashable, Sendable {
  private enum Part: Hashable {
    case text(String)
    case setting(Setting)
  }

  private var parts: [Part]

  /// A message that names no setting.
  package init(_ text: String) { parts = text.isEmpty ? [] : [.text(ShownLocation.inValue(text))] }

  /// Whether there is no text.
  package var isEmpty: Bool { parts.isEmpty }

  /// The settings that the message names, in their order.
  package var settings: [Setting] {
    parts.compactMap { part in
      if case .setting(let setting) = part { setting } else { nil }
    }
  }

  /// The line with each setting by the name that `name` gives it; line breaks become spaces.
  package func text(naming name: (Setting) -> String) -> String {
    let text = parts.map { part in
      switch part {
      case .text(let text): text
      case .setting(let setting): name(setting)
      }
    }.joined()
    return String(text.map { $0.isNewline ? " " : $0 })
  }

  package static func + (first: Message, second: Message) -> Message {
    var sum = first
    sum.append(second)
    return sum
  }

  /// Neighbouring texts become one, so that equal lines are equal messages.
  private mutating func append(_ other: Message) {
    for part in other.parts {
      if case .text(let more) = part, case .text(let text)? = parts.last {
        parts[parts.count - 1] = .text(text + more)
      } else {
        parts.append(part)
      }
    }
  }
}

extension Message: CustomStringConvertible {
  /// The line with each setting by its own name, which is that of the library's property.
  package var description: String { text(naming: \.name) }
}

extension Message: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { self.init(text) }
  package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.message }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var message = Message("")

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) { message.append(Message(text)) }

    /// Any text.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      message.append(Message(value.description))
    }

    /// Another message.
    package mutating func appendInterpolation(_ other: Message) { message.append(other) }

    /// A setting by its name.
    package mutating func appendInterpolation(_ setting: Setting) { message.parts.append(.setting(setting)) }

    /// A setting by its name, and its value.
    package mutating func appendInterpolation(_ setting: Setting, _ value: some CustomStringConvertible) {
      appendInterpolation(setting)
      if !value.description.isEmpty { message.append(Message(" \(value)")) }
    }
  }
}
