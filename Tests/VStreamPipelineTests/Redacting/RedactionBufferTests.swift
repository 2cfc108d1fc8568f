import Testing
import VStreamMedia
import VStreamOverlay
import VStreamScene
import VStreamTestSupport

@testable import VStreamPipeline

/// How long frames wait to be redacted, and in which order all leaves.
struct RedactorTests {
  private static let size = PixelSize(width: 64, height: 48)

  private func redactor(
    _ state: RunState, isLive: Bool = false, lookBack: Double? = nil, maximumFrames: Int = 1000, every: Int = 1
  ) throws -> RedactionBuffer {
    var configuration = PipelineConfiguration(input: MediaInput("a.mkv"), fontPath: "", threads: 1)
    configuration.detectors = [DetectorFactory(.objects) { _, _ in { ScriptedDetector() } }]
    configuration.detectEvery = .every(every)
    configuration.redaction = RedactionOptions(.mosaic, labels: ["person"], lookBackSeconds: lookBack)
    configuration.redaction?.maximumBufferedBytes = maximumFrames * Self.size.width * Self.size.height
    let flow = Flow(isLive: isLive, isPaced: false, hold: nil, dropsAtEntrance: false)
    return try #require(RedactionBuffer(configuration, mode: .stream, flow: flow, state: state))
  }

  /// Gives frames, 20 a second, and counts those that wait each time.
  private func waiting(_ redactor: inout RedactionBuffer, frames: Int) throws -> [Int] {
    let format = try #require(PixelFormat(name: "gray"))
    var count = 0
    return try (0..<frames).map { index in
      let frame = try VideoFrame(
        format: format, size: Self.size, time: Time(ticks: Int64(index) * 50, base: .milliseconds))
      let annotations = FrameAnnotations(frame: index, time: frame.time, source: .detected)
      redactor.cover(.init(late: [], found: Observations(objects: [])), in: Self.size, at: frame.time.seconds)
      redactor.add(.frame(AnnotatedFrame(frame: frame, annotations: annotations, arrival: 0)))
      count += 1
      while redactor.next(isEnd: false) != nil { count -= 1 }
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
    Row(name: "a file: half a second, and until movement shows", waiting: 14),
    Row(name: "a file, a second", lookBack: 1, waiting: 24),
    Row(name: "a file, without look-back", lookBack: 0, waiting: 0),
    Row(name: "a file that is seldom looked at: two intervals", every: 10, waiting: 20),
    Row(name: "live", isLive: true, waiting: 0),
    Row(name: "live, if it is asked for", isLive: true, lookBack: 0.5, waiting: 14),
  ]

  @Test(arguments: rows)
  func `frames wait for the look-back`(row: Row) throws {
    var redactor = try redactor(RunState(), isLive: row.isLive, lookBack: row.lookBack, every: row.every)
    #expect(try waiting(&redactor, frames: 40).last == row.waiting)
  }

  @Test func `more memory than there may be cuts the look-back short, which is said once`() throws {
    let state = RunState()
    var redactor = try redactor(state, maximumFrames: 5)
    #expect(try waiting(&redactor, frames: 30) == Array(1...5) + Array(repeating: 5, count: 25))
    let warnings = state.contents.read { $0.warnings }
    #expect(warnings.count == 1)
    #expect(warnings.first?.description.contains("the look-back is shorter") == true)
  }

  struct Look: CustomTestStringConvertible, Sendable {
    let name: String
    /// What is known when each of three frames leaves: of itself, and of the first.
    let found: [Observations?]
    var late: [Observations?] = [nil, nil, nil]
    /// Whether the frames' corners are covered, being far from all that is found.
    let isWhole: [Bool]
    var testDescription: String { name }
  }

  private static let nobody = Observations(objects: [])
  private static let somebody = Observations(objects: [
    DetectedObject(classIndex: 0, label: "person", score: 0.9, box: Box(x: 28, y: 20, width: 8, height: 8))
  ])

  static let looks = [
    Look(name: "each in time", found: [nobody, nobody, somebody], isWhole: [false, false, false]),
    Look(name: "the first in time, the others not", found: [nobody, nil, nil], isWhole: [false, false, false]),
    Look(name: "the second in time", found: [nil, somebody, nil], isWhole: [true, false, false]),
    Look(name: "late, nobody", found: [nil, nil, nil], late: [nil, nil, nobody], isWhole: [true, true, false]),
    Look(name: "late, somebody", found: [nil, nil, nil], late: [nil, somebody, nil], isWhole: [true, false, false]),
    Look(name: "none ends", found: [nil, nil, nil], isWhole: [true, true, true]),
  ]

  @Test(arguments: looks)
  func `all of a frame is covered until the first look has ended, and late frames are warned of`(row: Look) throws {
    let state = RunState()
    var redactor = try redactor(state, isLive: true)
    let format = try #require(PixelFormat(name: "gray"))
    let corners = [(0.0, 0.0), (64, 0), (0, 48), (64, 48)].map { Point(x: $0.0, y: $0.1) }
    for (index, isWhole) in row.isWhole.enumerated() {
      let frame = try VideoFrame(
        format: format, size: Self.size, time: Time(ticks: Int64(index) * 50, base: .milliseconds))
      let late = row.late[index].map { TimedObservations(time: Time(ticks: 0, base: .milliseconds), found: $0) }
      redactor.cover(
        .init(late: late.map { [$0] } ?? [], found: row.found[index]), in: Self.size, at: frame.time.seconds)
      let annotations = FrameAnnotations(frame: index, time: frame.time, source: .predicted)
      let isLate = row.found[index] == nil
      redactor.add(.frame(AnnotatedFrame(frame: frame, annotations: annotations, arrival: 0, isLate: isLate)))
      guard case .frame(let annotated)? = redactor.next(isEnd: false) else {
        Issue.record("frame \(index) does not leave")
        return
      }
      let covered = corners.filter { corner in annotated.covered.contains { $0.ellipse.contains(corner) } }
      #expect(covered.count == (isWhole ? 4 : 0), "frame \(index)")
    }
    redactor.finish()
    let late = row.found.filter { $0 == nil }.count
    let warnings = state.contents.read { $0.warnings }
    #expect(warnings.count == (late > 0 ? 1 : 0))
    #expect(warnings.allSatisfy { $0.description.hasPrefix("\(late) of 3 frames left before") })
  }

  @Test func `at the end all leaves, in order`() throws {
    var redactor = try redactor(RunState())
    #expect(try waiting(&redactor, frames: 7).last == 7)
    var frames: [Int] = []
    while case .frame(let annotated)? = redactor.next(isEnd: true) { frames.append(annotated.annotations.frame) }
    #expect(frames == Array(0..<7))
    #expect(redactor.next(isEnd: true) == nil)
  }
}
