import Testing

@testable import VStreamReporting

/// Members of JSON objects that are repeated: a reader takes one of them, and not always the same.
struct JSONMembersTests {
  @Test(
    arguments: [
      (#"{"a":1,"b":2}"#, nil), (#"{"a":1,"a":2}"#, "a"), (#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, nil),
      (#"{"d":{"f":[]},"e":0,"d":{}}"#, "d"), (#"{"d":[{"f":[],"f":[1]}]}"#, "f"),
      (##"{"faces":[],"f\u0061ces":[1]}"##, "faces"), (#"{"a":"a","b":"a,\"a\":"}"#, nil), (#"["a","a"]"#, nil),
      ("", nil), (#"{"a"#, nil), (#"{"a\"#, nil), ("}]}", nil),
    ] as [(String, String?)])
  func `two members of one name are recognised`(text: String, repeated: String?) {
    #expect(JSONMembers.repeated(in: Array(text.utf8)[...]) == repeated)
  }
}
