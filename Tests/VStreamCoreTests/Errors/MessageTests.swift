import Testing
import VStreamCore

/// Messages in which settings keep their identity until they are shown.
struct MessageTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let message: Message
    /// The line, with a setting shown as `<name>`.
    let text: String
    let settings: [Setting]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "a literal", message: "no settings", text: "no settings", settings: []),
    Row(name: "empty", message: "", text: "", settings: []),
    Row(name: "a setting alone", message: "\(.crf)", text: "<crf>", settings: [.crf]),
    Row(name: "a setting with a value", message: "\(.crf, 23) is used", text: "<crf> 23 is used", settings: [.crf]),
    Row(name: "a setting with an empty value", message: "\(.crf, "") is used", text: "<crf> is used", settings: [.crf]),
    Row(name: "a number and a string", message: "\(3) of \("abc")", text: "3 of abc", settings: []),
    Row(
      name: "a message within a message", message: "a \("b \(.codec)" as Message) c \(.preset)",
      text: "a b <codec> c <preset>", settings: [.codec, .preset]),
    Row(
      name: "the same setting twice", message: "\(.start) and \(.start)", text: "<start> and <start>",
      settings: [.start, .start]),
    Row(name: "a sum", message: "a " + "\(.draw)" + " b", text: "a <overlay> b", settings: [.draw]),
    Row(name: "line feeds", message: "a\nb\n", text: "a b ", settings: []),
    Row(name: "a carriage return and a line feed", message: "a\r\nb", text: "a b", settings: []),
    Row(name: "a Unicode line separator", message: "a\u{2028}b", text: "a b", settings: []),
    Row(name: "text like an interpolation", message: Message("\\(.crf)"), text: "\\(.crf)", settings: []),
  ]

  @Test(arguments: rows)
  func `a message is one line, with its settings in order`(row: Row) {
    #expect(row.message.text { "<\($0)>" } == row.text)
    #expect(row.message.settings == row.settings)
    #expect(row.message.isEmpty == row.text.isEmpty)
  }

  @Test func `messages with the same line are equal however they were composed`() {
    let (codec, whole) = ("libx264", "libx264 has no preset" as Message)
    #expect("\(codec) has no preset" == whole)
    let sum: Message = Message("libx264 ") + "has " + "" + "no preset"
    #expect(sum == whole)
    #expect(Message(codec) + " has no preset" == whole)
    #expect(Set([whole, "\(codec) has no preset"]).count == 1)
  }

  @Test func `a setting differs from its name as text`() {
    #expect("\(.crf) 1" as Message != "crf 1")
    #expect(("\(.crf) 1" as Message).description == "crf 1")
  }

  @Test func `a line break in the name of a setting is replaced too`() {
    #expect(("\(.crf) 1" as Message).text { _ in "a\nb" } == "a b 1")
  }
}
