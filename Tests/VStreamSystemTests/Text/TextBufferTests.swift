import Foundation
import Testing
import VStreamSystem

struct TextBufferTests {
  @Test(arguments: [
    (0.0, "0.0"), (-0.0, "0.0"), (1.0, "1.0"), (1.005, "1.0"), (12.345, "12.35"), (-0.004, "0.0"), (-2.5, "-2.5"),
    (99.999, "100.0"), (0.1, "0.1"), (.nan, "null"), (.infinity, "null"), (1e300, "null"),
  ])
  func `numbers in records have at most the given decimals and at least one`(value: Double, text: String) {
    var buffer = TextBuffer()
    buffer.append(value, places: 2)
    #expect(buffer.text == text)
  }

  @Test(arguments: [
    (0, "0"), (-1, "-1"), (1234, "1234"), (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
  ])
  func `integers are written without separators`(value: Int, text: String) {
    var buffer = TextBuffer()
    buffer.append(value)
    #expect(buffer.text == text)
  }

  @Test func `exact numbers are read back unchanged`() {
    for value in [0.1, 1.0 / 3, 1e-300, 123_456_789.123] {
      var buffer = TextBuffer()
      buffer.appendExactly(value)
      #expect(Double(buffer.text) == value)
    }
    var buffer = TextBuffer()
    buffer.appendExactly(.nan)
    #expect(buffer.text == "null")
  }

  @Test func `members and elements are separated by commas, nested ones too`() {
    let json = TextBuffer.json { json in
      json.add("text", "a")
      json.add("integer", -3)
      json.add("flag", false)
      json.add("number", 1.25, places: 1)
      json.addObject("empty") { _ in }
      json.addObject("object") { $0.add("inner", true) }
      json.addList("list") { list in
        list.addText("x")
        list.addInteger(2)
        list.addNumber(0.5, places: 3)
        list.addObject { $0.add("key", 1) }
        list.addList { $0.addInteger(0) }
      }
    }
    #expect(
      json == """
        {"text":"a","integer":-3,"flag":false,"number":1.3,"empty":{},"object":{"inner":true},\
        "list":["x",2,0.5,{"key":1},[0]]}
        """)
  }

  @Test(arguments: ["a\"b\\c\nd\te\u{1}f ü 日", "\u{0}\u{8}\u{c}\r\u{1f}\u{7f}", "", "😀"])
  func `strings are read back by a JSON parser`(text: String) throws {
    let json = TextBuffer.json { $0.add(text, text) }
    let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
    #expect(read == [text: text])
  }

  @Test func `JSON has no control characters, which a terminal may obey`() {
    let json = TextBuffer.json { $0.add("a", "\u{1B}[2J\u{9B}2J\u{7F}é\u{A0}") }
    #expect(!json.unicodeScalars.contains { $0.properties.generalCategory == .control })
    #expect(json.contains("\\u001b[2J\\u009b2J\\u007fé"))
  }

  @Test func `an emptied buffer can be filled again`() {
    var buffer = TextBuffer()
    buffer.append("one")
    buffer.removeAll()
    buffer.append("two")
    #expect(buffer.text == "two")
  }
}
