import Testing
import VStreamSystem

struct NumberScannerTests {
  @Test(arguments: [
    ("1", 1.0), ("-1.5", -1.5), ("+0.25,", 0.25), (".5 ", 0.5), ("7.\n", 7), ("1e3", 1000), ("-2.5E-3,", -0.0025),
    ("123456789012345678", 123_456_789_012_345_680), ("inf", .infinity),
    ("0.1234567890123456789", 0.1234567890123456789),
  ])
  func `a number is read up to the end of its field`(text: String, value: Double) {
    var scanner = NumberScanner(Array(text.utf8))
    #expect(scanner.number() == value)
  }

  @Test(arguments: ["", "-", ".", "abc", "1x", "0x10", "1;2", "--1", "1.2.3"])
  func `text that is not a number is left in place`(text: String) {
    var scanner = NumberScanner(Array(text.utf8))
    #expect(scanner.number() == nil)
    #expect(scanner.position == 0)
  }

  @Test func `not a number is read as such`() {
    var scanner = NumberScanner(Array("nan".utf8))
    #expect(scanner.number()?.isNaN == true)
  }

  @Test func `fields and lines are walked through`() {
    var scanner = NumberScanner(Array("1, 2\r\nskipped\n3".utf8))
    #expect(scanner.number() == 1)
    let taken = (scanner.take(UInt8(ascii: ",")), scanner.take(UInt8(ascii: ",")))
    #expect(taken == (true, false))
    scanner.skipBlanks()
    #expect(scanner.number() == 2)
    scanner.skipBlanks()
    #expect(scanner.isAtLineEnd && !scanner.isAtEnd)
    scanner.skipLine()
    scanner.skipLine()
    #expect(scanner.number() == 3)
    #expect(scanner.isAtLineEnd && scanner.isAtEnd && scanner.byte == nil)
  }

  @Test func `random numbers are read to the bit`() {
    var generator = SystemRandomNumberGenerator()
    for step in 0..<20_000 {
      let value = Double.random(in: -1e4...1e4, using: &generator)
      let text = step % 2 == 0 ? value.formatted(.decimals(1...step % 7 + 1)) : "\(value)"
      var scanner = NumberScanner(Array("\(text),1".utf8))
      #expect(scanner.number()?.bitPattern == Double(text)?.bitPattern, "\(text)")
      #expect(scanner.byte == UInt8(ascii: ","))
    }
  }
}
