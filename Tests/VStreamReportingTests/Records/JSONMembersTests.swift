import Testing

@testable import VStreamReporting

/// Members of JSON objects that are repeated: a reader takes one of them, and not always the same.
struct JSONMembersTests {
  @Test(
    arguments: [
      (#"{"a":1,"b":2}"#, false), (#"{"a":1,"a":2}"#, true), (#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, false),
      (#"{"d":{"f":[]},"e":0,"d":{}}"#, true), (#"{"d":[{"f":[],"f":[1]}]}"#, true),
      (##"{"faces":[],"f\u0061ces":[1]}"##, true), (#"{"a":"a","b":"a,\"a\":"}"#, false), (#"["a","a"]"#, false),
      ("", false),
      (#"{"a"#, false), (#"{"a\"#, false), ("}]}", false),
    ])
  func `two members of one name are recognised`(text: String, areRepeated: Bool) {
    #expect(JSONMembers.areRepeated(in: Array(text.utf8)[...]) == areRepeated)
  }
}
