import Testing

struct MOTChallengeTests {
  @Test func `the scene has a line for each object, with frames and classes from 1`() throws {
    #expect(
      try RecordScene.text(".txt") == """
        1,7,-3.46,0.0,30.13,40.0,0.9124,3,1
        1,-1,190.0,90.0,20.0,20.0,0.5,81,1
        1,12,0.0,0.0,200.0,100.0,1.0,6,1
        5000000001,7,-3.46,0.0,30.13,40.0,0.9124,3,1

        """)
  }

  @Test func `a run without frames is an empty file`() throws {
    #expect(try RecordScene.text(".txt", []).isEmpty)
  }
}
