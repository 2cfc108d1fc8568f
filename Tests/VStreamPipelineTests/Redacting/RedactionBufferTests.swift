import Testing
import VStreamCore
import VStreamMedia
import VStreamOverlay
import VStreamTestSupport

@testable import VStreamPipeline

/// How long frames wait to be redacted, in which order they are released, and that none is released uncovered.
struct RedactionBufferTests {
  private static let size = PixelSize(width: 64, height: 48)

  private func buffer(
    isLive: Bool = false, lookBack: Double? = nil, maximumFrames: Int = 1000, every: Int = 1
  ) throws -> RedactionBuffer {
    var configuration = PipelineConfiguration(input: MediaInput("a.mkv"), fontPath: "", threads: 1)
    configuration.detectors = [DetectorSpec(.objects) { _, _ in { ScriptedDetector() } }]
    configuration.detectEvery = .every(every)
    configuration.output = PipelineOutput(
      destination: try OutputDestination("out.mkv", overwrite: true), codec: try VideoCodec(encoder: "ffv1"),
      encoder: EncoderSettings(codec: "ffv1"))
    configuration.redaction = RedactionOptions(.mosaic, labels: ["person"], lookBack: lookBack.map { .seconds($0) })
    configuration.redaction?.maximumBufferedBytes = maximumFrames * Self.size.width * Self.size.height
    let flow = Flow(isLive: isLive, readsAtFrameRate: false, hold: nil, dropsAtEntrance: false)
    return try #require(RedactionBuffer(configuration, mode: .stream, flow: flow))
  }

  private func annotated(_ index: Int, isLate: Bool = false) throws -> FrameJob {
    let format = try #require(PixelFormat(name: "gray"))
    let frame = try VideoFrame(
      format: format, size: Self.size, time: Time(ticks: Int64(index) * 50, base: .milliseconds))
    var job = Scripted.job(frame, index)
    job.isLate = isLate
    return job
  }

  /// Adds frames, 20 a second, and counts those that wait each time.
  private func waiting(_ buffer: inout RedactionBuffer, frames: Int) throws -> [Int] {
    var count = 0
    return try (0..<frames).map { index in
      buffer.add(try annotated(index), ResolvedDetections(found: Detections(objects: [])))
      count += 1
      while buffer.next(isEnd: false) != nil { count -= 1 }
      return count
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    var isLive = false
    var lookBack: Double?
    var every = 1
    /// Frames that wait in the end.
    let waiting: Int
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "a file: half a second, and until the velocity estimate has settled", waiting: 14),
    Row(name: "a file, a second", lookBack: 1, waiting: 24),
    Row(name: "a file, without look-back", lookBack: 0, waiting: 0),
    Row(name: "a file with an interval of 10 frames: two intervals", every: 10, waiting: 20),
    Row(name: "live", isLive: true, waiting: 0),
    Row(name: "live, with a look-back window", isLive: true, lookBack: 0.5, waiting: 14),
  ]

  @Test(arguments: rows)
  func `frames wait for the look-back`(row: Row) throws {
    var buffer = try buffer(isLive: row.isLive, lookBack: row.lookBack, every: row.every)
    #expect(try waiting(&buffer, frames: 40).last == row.waiting)
  }

  @Test func `the memory limit shortens the look-back window, which is warned of once`() throws {
    var buffer = try buffer(maximumFrames: 5)
    #expect(try waiting(&buffer, frames: 30) == Array(1...5) + Array(repeating: 5, count: 25))
    let warnings = buffer.takeWarnings()
    #expect(warnings.count == 1)
    #expect(warnings.first?.description.contains("the look-back window is shorter") == true)
    #expect(buffer.takeWarnings().isEmpty)
  }

  struct CoverRow: CustomTestStringConvertible, Sendable {
    let name: String
    /// What is known when each of three frames is released: of itself, and of the first.
    let found: [Detections?]
    var late: [Detections?] = [nil, nil, nil]
    /// Whether the frames' corners are covered, which are far from all detections.
    let isWhole: [Bool]
    var testDescription: String { name }
  }

  private static let noPerson = Detections(objects: [])
  private static let onePerson = Detections(objects: [
    DetectedObject(classIndex: 0, label: "person", score: 0.9, box: Box(x: 28, y: 20, width: 8, height: 8))
  ])

  @Test(arguments: [
    CoverRow(name: "each in time", found: [noPerson, noPerson, onePerson], isWhole: [false, false, false]),
    CoverRow(name: "the first in time, the others not", found: [noPerson, nil, nil], isWhole: [false, true, true]),
    CoverRow(name: "the second in time", found: [nil, onePerson, nil], isWhole: [true, false, true]),
    CoverRow(
      name: "late, no person", found: [nil, nil, nil], late: [nil, nil, noPerson], isWhole: [true, true, true]),
    CoverRow(
      name: "late, one person", found: [nil, nil, nil], late: [nil, onePerson, nil], isWhole: [true, true, true]),
    CoverRow(name: "all superseded", found: [nil, nil, nil], isWhole: [true, true, true]),
  ])
  func `a frame is covered whole until the first result, and if it is late, which is warned of`(row: CoverRow) throws {
    var buffer = try buffer(isLive: true)
    let corners = [(0.0, 0.0), (64, 0), (0, 48), (64, 48)].map { Point(x: $0.0, y: $0.1) }
    for (index, isWhole) in row.isWhole.enumerated() {
      let late = row.late[index].map { TimedObservations(time: Time(ticks: 0, base: .milliseconds), found: $0) }
      let frame = try annotated(index, isLate: row.found[index] == nil)
      buffer.add(frame, ResolvedDetections(late: late.map { [$0] } ?? [], found: row.found[index]))
      guard case .frame(let released)? = buffer.next(isEnd: false), let covered = released.covered else {
        Issue.record("frame \(index) is not released with its regions")
        return
      }
      let coveredCorners = corners.filter { corner in covered.contains { $0.ellipse.contains(corner) } }
      #expect(coveredCorners.count == (isWhole ? 4 : 0), "frame \(index)")
    }
    let lateCount = row.found.filter { $0 == nil }.count
    #expect((buffer.finalWarnings.isEmpty) == (lateCount == 0))
    if let warning = buffer.finalWarnings.first?.description {
      #expect(warning.hasPrefix("\(lateCount) of 3 frames were released before"))
    }
  }

  @Test func `frames without any result are covered whole at the end of the stream`() throws {
    var buffer = try buffer()
    for index in 0..<3 { buffer.add(try annotated(index), ResolvedDetections()) }
    #expect(buffer.next(isEnd: false) == nil)
    for index in 0..<3 {
      guard case .frame(let released)? = buffer.next(isEnd: true) else {
        Issue.record("frame \(index) is not released")
        return
      }
      #expect(released.covered?.contains { $0.ellipse.contains(Point(x: 0, y: 0)) } == true)
    }
  }

  @Test func `a subject is covered in the frames before its first detection`() throws {
    var buffer = try buffer()
    for index in 0..<20 {
      buffer.add(try annotated(index), ResolvedDetections(found: index < 8 ? Self.noPerson : Self.onePerson))
    }
    var covered: [Int] = []
    while case .frame(let released)? = buffer.next(isEnd: true) {
      let isCovered = released.covered?.contains { $0.ellipse.contains(Point(x: 32, y: 24)) } == true
      if isCovered { covered.append(released.record.annotations.frame) }
    }
    #expect(covered == Array(0..<20), "all within half a second before frame 8")
  }

  @Test func `at the end all frames are released, in order`() throws {
    var buffer = try buffer()
    #expect(try waiting(&buffer, frames: 7).last == 7)
    var frames: [Int] = []
    while case .frame(let released)? = buffer.next(isEnd: true) { frames.append(released.record.annotations.frame) }
    #expect(frames == Array(0..<7))
    #expect(buffer.next(isEnd: true) == nil)
  }
}
