import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport
import VStreamTracking

@testable import VStreamPipeline

/// The order in which frames and the packets between them leave the redaction buffer.
struct RedactionBufferOrderTests {
  private let folder: TemporaryFolder
  private let packet: Packet

  init() throws {
    folder = try TemporaryFolder()
    packet = try #require(try Scripted.copiedPackets(of: Scripted.clip(in: folder)).first)
  }

  private static let frameBytes = Scripted.size.width * Scripted.size.height

  private func buffer(lookBack: Double, maximumFrames: Int = 1000) -> RedactionBuffer {
    RedactionBuffer(
      CoverageStep(labels: ["person"], mode: .stream, kinds: [.objects: TrackerOptions()]),
      CoverageLookBack(seconds: lookBack), maximumBytes: maximumFrames * Self.frameBytes)
  }

  /// Adds the items of the letters: `f` the next frame, `p` a packet.
  private func add(_ items: String, to buffer: inout RedactionBuffer) throws {
    for (index, item) in items.enumerated() {
      if item == "p" {
        buffer.add(packet)
      } else {
        buffer.add(try Scripted.annotated(index), ResolvedDetections(found: Detections(objects: [])))
      }
    }
  }

  private func released(_ buffer: inout RedactionBuffer, isEnd: Bool) -> String {
    var released = ""
    while let item = buffer.next(isEnd: isEnd) {
      switch item {
      case .frame: released += "f"
      case .copy: released += "p"
      case .dropped: released += "d"
      }
    }
    return released
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let added: String
    var lookBack = 0.2
    var maximumFrames = 1000
    /// What leaves while the stream goes on, and the rest at its end.
    let before: String
    let atEnd: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Row(name: "packets before the first frame leave at once", added: "ppf", before: "pp", atEnd: "f"),
    Row(name: "packets wait for the frame before them", added: "fpfp", before: "", atEnd: "fpfp"),
    Row(name: "without look-back nothing waits", added: "fpffp", lookBack: 0, before: "fpffp", atEnd: ""),
    Row(
      name: "a frame that leaves takes the packets up to the next one along", added: "fppffffffffff", before: "fpp",
      atEnd: "ffffffffff"),
    Row(
      name: "the memory limit counts frames, not packets", added: "fpppfpf", maximumFrames: 2, before: "fppp",
      atEnd: "fpf"),
    Row(name: "packets alone", added: "ppp", before: "ppp", atEnd: ""),
  ])
  func `packets stay between their frames`(row: Row) throws {
    var buffer = buffer(lookBack: row.lookBack, maximumFrames: row.maximumFrames)
    try add(row.added, to: &buffer)
    #expect(released(&buffer, isEnd: false) == row.before)
    #expect(released(&buffer, isEnd: true) == row.atEnd)
  }

  @Test func `regions outside the frame are omitted`() throws {
    var buffer = buffer(lookBack: 0)
    let found = Detections(objects: [Scripted.object(x: 500), Scripted.object(x: 20)])
    buffer.add(try Scripted.annotated(0), ResolvedDetections(found: found))
    guard case .frame(let released)? = buffer.next(isEnd: false) else {
      Issue.record("the frame waits")
      return
    }
    #expect(released.covered?.map(\.box.x) == [20])
  }

  @Test func `a frame that waits for its first result is covered by a result that comes later`() throws {
    var buffer = buffer(lookBack: 0.2)
    for index in 0..<3 { buffer.add(try Scripted.annotated(index, isLate: true), ResolvedDetections()) }
    let late = (0..<3).map { TimedObservations(time: Scripted.time($0), found: Detections(objects: [])) }
    buffer.add(try Scripted.annotated(3), ResolvedDetections(late: late, found: Detections(objects: [])))
    var coveredCorners: [Bool] = []
    while case .frame(let released)? = buffer.next(isEnd: true) {
      coveredCorners.append(released.covered?.contains { $0.ellipse.contains(Point(x: 0, y: 0)) } == true)
    }
    #expect(coveredCorners == [true, true, true, false], "a result that came late never uncovers a frame")
    #expect(buffer.finalWarnings.first?.description.hasPrefix("3 of 4 frames were released") == true)
  }
}
