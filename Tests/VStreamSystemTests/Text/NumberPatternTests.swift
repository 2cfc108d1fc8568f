import Testing
import VStreamSystem

struct NumberPatternTests {
  @Test(arguments: [
    ("img-%d.png", 7, "img-7.png"), ("img-%05d.png", 7, "img-00007.png"), ("%02d", 123, "123"), ("a%%b%d", 1, "a%b1"),
  ])
  func `the number is put in place of the placeholder, and found there`(pattern: String, number: Int, name: String)
    throws
  {
    let pattern = try #require(NumberPattern(pattern))
    #expect(pattern.name(number) == name)
    #expect(pattern.number(in: name) == number)
  }

  @Test(arguments: ["", "a.png", "%d-%d", "%", "%s", "%5", "100%%", "%20d", "%99999999999999999999d"])
  func `a name without exactly one placeholder is not a pattern`(name: String) {
    #expect(NumberPattern(name) == nil)
  }

  @Test(arguments: [
    ("a%256d", true), ("a%01655573566d.png", true), ("a%99999999999999999999d", true), ("%5%300d", true),
    ("%%300d", false), ("my%20dog.png", false), ("%05d", false), ("%d", false), ("100%", false), ("%300s", false),
  ])
  func `a name that FFmpeg would format for minutes is known`(name: String, isEndless: Bool) {
    #expect(NumberPattern.isEndless(name) == isEndless)
  }

  @Test(arguments: [
    ("wrong prefix", "x-00007.png"), ("wrong end", "img-00007.jpg"), ("too few digits", "img-007.png"),
    ("zeros beyond the width", "img-000007.png"), ("no digits", "img-.png"), ("a sign", "img--0007.png"),
    ("other digits", "img-٠٠٠٠٧.png"), ("only the ends", "img-.pn"),
  ])
  func `names that do not match have no number`(why: String, name: String) throws {
    #expect(try #require(NumberPattern("img-%05d.png")).number(in: name) == nil)
  }

  @Test func `more digits than the width are a larger number`() throws {
    #expect(try #require(NumberPattern("img-%02d.png")).number(in: "img-123.png") == 123)
  }

  @Test(arguments: ["a", "a%b", "%", "100%%d", "%05d"])
  func `an escaped name stands for itself`(name: String) {
    #expect(NumberPattern.unescaped(NumberPattern.escaped(name)) == name)
    #expect(NumberPattern(NumberPattern.escaped(name)) == nil)
    #expect(NumberPattern(NumberPattern.escaped(name) + "-%03d.png")?.name(7) == name + "-007.png")
    #expect(NumberPattern(NumberPattern.escaped(name) + "-%03d.png")?.number(in: name + "-012.png") == 12)
  }
}
