import Testing

struct KITTITests {
  @Test func `the scene has seventeen columns and the score for each observation`() throws {
    let space = "-1 -1 -1 -1000 -1000 -1000 -10"
    let text = try RecordScene.text(".kitti.txt")
    #expect(
      text == """
        0 7 car -1 -1 -10 -3.46 0.0 26.67 40.0 \(space) 0.9124
        0 -1 a_"b",_-->_c -1 -1 -10 190.0 90.0 210.0 110.0 \(space) 0.5
        0 12 日本_ü -1 -1 -10 0.0 0.0 200.0 100.0 \(space) 1.0
        0 1 face -1 -1 -10 10.0 20.0 40.0 60.0 \(space) 0.9813
        0 2 pose -1 -1 -10 1.0 2.0 4.0 6.0 \(space) 0.75
        5000000000 7 car -1 -1 -10 -3.46 0.0 26.67 40.0 \(space) 0.9124

        """)
    #expect(text.split(separator: "\n").allSatisfy { $0.split(separator: " ").count == 18 })
  }

  @Test func `a run without frames is an empty file`() throws {
    #expect(try RecordScene.text(".kitti.txt", []).isEmpty)
  }
}
