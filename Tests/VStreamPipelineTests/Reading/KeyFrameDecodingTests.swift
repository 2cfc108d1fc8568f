import Testing

@testable import VStreamPipeline

/// Which packets are decoded while nothing moves, by what is known of them and of the scene.
struct KeyFrameDecodingTests {
  /// A stream of 10 packets a second, all of a still scene but for what a row changes.
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var packets = 100
    /// Packets from one key frame to the next.
    var keyInterval = 10
    /// What detectors report with some packets.
    var scene: @Sendable (Int) -> KeyFrameDecoding.Scene = { _ in .still }
    var byteCount: @Sendable (Int) -> Int = { 500 + 7 * ($0 % 5) }
    /// In tenths of a second; `nil` if unknown.
    var time: @Sendable (Int) -> Int? = { $0 }
    var isKey: (@Sendable (Int) -> Bool)?
    /// The steps in runs: D decode, A alone, S skip, U skip and unknown, R resume, each followed by how often in a row.
    let expected: String
  }

  private static let rows = [
    Row(
      testDescription: "begins at a key frame, two seconds after anything moved", packets: 41,
      expected: "D20 A S9 A S9 A"),
    Row(
      testDescription: "until then something moves", packets: 61, scene: { $0 < 25 ? .moving : .still },
      expected: "D50 A S9 A"),
    Row(
      testDescription: "detectors report seldom", packets: 41, scene: { $0 % 7 == 1 ? .still : .unknown },
      expected: "D30 A S9 A"),
    Row(
      testDescription: "detectors have no time", packets: 41, scene: { _ in .unknown }, expected: "D20 A U9 A U9 A"),
    Row(
      testDescription: "detectors have time again, and something moves", packets: 51,
      scene: { $0 == 33 ? .moving : $0 > 33 && $0 % 3 == 0 ? .moving : .unknown }, expected: "D20 A U9 A U2 R D17"),
    Row(
      testDescription: "detectors have time again, and nothing moves", packets: 51,
      scene: { $0 == 33 ? .still : .unknown }, expected: "D20 A U9 A U2 S7 A S9 A"),
    Row(
      testDescription: "something moves in a key frame, as its detection reports", packets: 71,
      scene: { $0 == 32 ? .moving : .still }, expected: "D20 A S9 A S R D27 A S9 A"),
    Row(
      testDescription: "a packet is large", packets: 71, byteCount: { $0 == 35 ? 3000 : 500 },
      expected: "D20 A S9 A S4 R D24 A S9 A"),
    Row(
      testDescription: "a packet is somewhat larger", packets: 51, byteCount: { $0 == 35 ? 690 : 500 },
      expected: "D20 A S9 A S9 A S9 A"),
    Row(
      testDescription: "sizes vary", packets: 51, byteCount: { [100, 9000, 3000, 200, 7000][$0 % 5] },
      expected: "D20 A S9 A S9 A S9 A"),
    Row(testDescription: "key frames are too rare", keyInterval: 30, expected: "D100"),
    Row(testDescription: "a key frame in 2.5 seconds", packets: 76, keyInterval: 25, expected: "D25 A S24 A S24 A"),
    Row(
      testDescription: "the next key frame stays away", packets: 70, isKey: { $0 % 10 == 0 && $0 <= 30 },
      expected: "D20 A S9 A S26 R D12"),
    Row(
      testDescription: "key frames become rare", packets: 80, isKey: { [0, 10, 20, 30, 70].contains($0) },
      expected: "D20 A S9 A S26 R D22"),
    Row(
      testDescription: "frames are shown in another order", time: { $0 % 3 == 1 ? $0 + 1 : $0 % 3 == 2 ? $0 - 1 : $0 },
      expected: "D100"),
    Row(
      testDescription: "times jump back", packets: 60, time: { $0 < 35 ? $0 : $0 - 30 },
      expected: "D20 A S9 A S4 R D24"),
    Row(
      testDescription: "a packet has no time", packets: 50, time: { $0 == 25 ? nil : $0 }, expected: "D20 A S4 R D24"),
    Row(testDescription: "no packet has a time", time: { _ in nil }, expected: "D100"),
    Row(testDescription: "every frame is a key frame", packets: 40, keyInterval: 1, expected: "D20 A20"),
    Row(
      testDescription: "what is skipped is too much to keep", packets: 60, byteCount: { _ in 1 << 20 },
      expected: "D20 A S4 R D24 A S4 R D4"),
  ]

  @Test func `a stream whose key frames give no frame is decoded whole for a while`() {
    var decoding = KeyFrameDecoding()
    func steps(_ range: Range<Int>) -> Set<KeyFrameDecoding.Step> {
      Set(
        range.map { index in
          decoding.next(
            .init(isKey: index % 10 == 0, byteCount: 500, seconds: Double(index) / 10), .still)
        })
    }
    #expect(steps(0..<20) == [.decode] && steps(20..<21) == [.decodeAlone])
    decoding.noteMissingFrame()
    #expect(steps(21..<320) == [.decode] && steps(320..<331).contains(.decodeAlone))
  }

  @Test(arguments: rows)
  func `packets are skipped while nothing moves`(row: Row) {
    var decoding = KeyFrameDecoding()
    var runs: [(step: Character, count: Int)] = []
    for index in 0..<row.packets {
      let packet = KeyFrameDecoding.PacketFacts(
        isKey: row.isKey?(index) ?? (index % row.keyInterval == 0), byteCount: row.byteCount(index),
        seconds: row.time(index).map { Double($0) / 10 })
      let step: Character =
        switch decoding.next(packet, row.scene(index)) {
        case .decode: "D"
        case .decodeAlone: "A"
        case .skip(let isUnchanged): isUnchanged ? "S" : "U"
        case .resume: "R"
        }
      if runs.last?.step == step { runs[runs.count - 1].count += 1 } else { runs.append((step, 1)) }
    }
    let text = runs.map { $0.count == 1 ? "\($0.step)" : "\($0.step)\($0.count)" }.joined(separator: " ")
    #expect(text == row.expected)
  }
}
