import Dispatch
import Foundation
import Testing
import VStreamCore
import VStreamMedia

@testable import VStreamPipeline

/// Which frames detectors and annotator get, without threads, with a clock that the test sets.
struct FrameDispatcherTests {
  private let clock = ManualClock()
  private let state: RunState

  init() { state = RunState(clock: clock) }

  private func dispatcher(
    every: Int = 1, drops: Bool = false, trim: Trim = Trim(first: 0, skip: nil, duration: nil),
    to output: Channel<StreamItem>, queues: [DetectionQueue] = [], part: InputPart? = nil, joinsPackets: Bool = false
  ) -> FrameDispatcher {
    var configuration = PipelineConfiguration(input: MediaInput("in.mkv"), fontPath: "", threads: 2)
    configuration.detectEvery = .every(every)
    if let part { configuration.run = .part(part) }
    if joinsPackets {
      let input = try? JSONDecoder().decode(
        InputIdentity.self, from: Data(#"{"name":"a","bytes":1,"headSHA256":"","tailSHA256":""}"#.utf8))
      if let input { configuration.run = .joinVideo(JoinedPackets(of: input, paths: [])) }
    }
    let flow = Flow(isLive: drops, readsAtFrameRate: false, hold: drops ? 0.05 : nil, dropsAtEntrance: drops)
    return FrameDispatcher(configuration, flow, trim: trim, state: state, output: output, queues: queues)
  }

  /// What the annotator gets: `frame 3 (2)` for the frame at 3 × 40 ms with the results of two detectors pending.
  private func items(_ channel: Channel<StreamItem>) -> [String] {
    channel.finish()
    var items: [String] = []
    while let item = channel.receive() {
      switch item {
      case .frame(let decoded):
        items.append("frame \(decoded.frame.time.ticks / 40) (\(decoded.detection.results.count))")
      case .dropped(let frame): items.append("dropped \(frame.time.ticks / 40)")
      case .copy: items.append("packet")
      }
    }
    return items
  }

  private func dispatch(_ indices: Range<Int>, with dispatcher: inout FrameDispatcher) throws {
    for index in indices { #expect(try dispatcher.dispatch(Scripted.frame(index), rotation: 0)) }
  }

  @Test func `frames outside the trimmed part are neither counted nor sent`() throws {
    let output = Channel<StreamItem>(capacity: 1000)
    var dispatcher = dispatcher(trim: Trim(first: 0, skip: 0.08, duration: 0.08), to: output)
    try dispatch(0..<6, with: &dispatcher)
    #expect(state.contents.read { $0.counts.framesIn } == 2)
    #expect(items(output) == ["frame 2 (0)", "frame 3 (0)"])
  }

  /// At seconds; the grid has cells of 30.
  private static func frame(_ seconds: Int64) throws -> VideoFrame {
    try VideoFrame(
      withoutPixels: PixelSize(width: 8, height: 8), format: #require(PixelFormat(name: "gray")),
      time: Time(ticks: 1000 * seconds, base: .milliseconds))
  }

  struct PartRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let part: InputPart
    /// Seconds of the frames that are sent, of those from 0 to 100 at every tenth.
    let sent: [Int64]
    /// Damaged data that is counted, of one piece before the first frame and one after each.
    let damaged: Int
    let isPast: Bool
  }

  @Test(arguments: [
    PartRow(
      testDescription: "the first part", part: InputPart(number: 0, firstCell: nil, endCell: 1), sent: [0, 10, 20],
      damaged: 4, isPast: true),
    PartRow(
      testDescription: "a part in the middle", part: InputPart(number: 1, firstCell: 1, endCell: 2),
      sent: [30, 40, 50],
      damaged: 3, isPast: true),
    PartRow(
      testDescription: "the last part", part: InputPart(number: 2, firstCell: 2, endCell: nil),
      sent: [60, 70, 80, 90, 100], damaged: 5, isPast: false),
  ])
  func `frames and damage belong to one part`(row: PartRow) throws {
    let output = Channel<StreamItem>(capacity: 10_000)
    var dispatcher = dispatcher(to: output, part: row.part)
    dispatcher.countDamage()
    for seconds in stride(from: Int64(0), through: 100, by: 10) {
      #expect(try dispatcher.dispatch(try Self.frame(seconds), rotation: 0))
      dispatcher.countDamage()
    }
    #expect(dispatcher.isPastPart == row.isPast)
    #expect(state.contents.read { $0.counts.corruptPackets } == row.damaged)
    #expect(state.contents.read { $0.counts.framesIn } == row.sent.count)
    output.finish()
    var sent: [Int64] = []
    var indices: [Int] = []
    while case .frame(let decoded)? = output.receive() {
      sent.append(decoded.frame.time.ticks / 1000)
      indices.append(decoded.record.annotations.frame)
    }
    #expect(sent == row.sent)
    #expect(indices == Array(row.sent.indices))
  }

  struct IntervalRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let isLive: Bool
    /// Seconds of the frames that are detected, of those from 0 to 80 at every tenth.
    let detected: [Int64]
  }

  @Test(arguments: [
    IntervalRow(testDescription: "a file", isLive: false, detected: [0, 20, 30, 50, 60, 80]),
    IntervalRow(testDescription: "a live input", isLive: true, detected: [0, 20, 40, 60, 80]),
  ])
  func `the detection interval of a file is counted from each cell of the grid on`(row: IntervalRow) throws {
    let output = Channel<StreamItem>(capacity: 10_000)
    let queue = DetectionQueue.every(Channel(capacity: 9))
    var dispatcher = dispatcher(every: 2, drops: row.isLive, to: output, queues: [queue])
    for seconds in stride(from: Int64(0), through: 80, by: 10) {
      #expect(try dispatcher.dispatch(try Self.frame(seconds), rotation: 0))
    }
    output.finish()
    var detected: [Int64] = []
    while case .frame(let decoded)? = output.receive() {
      if !decoded.detection.results.isEmpty { detected.append(decoded.frame.time.ticks / 1000) }
    }
    #expect(detected == row.detected)
  }

  @Test func `where rendered parts are joined, only the first frame is sent`() throws {
    let output = Channel<StreamItem>(capacity: 1000)
    var dispatcher = dispatcher(to: output, joinsPackets: true)
    #expect(!dispatcher.hasAllFrames)
    try dispatch(0..<3, with: &dispatcher)
    #expect(dispatcher.hasAllFrames)
    #expect(items(output) == ["frame 0 (0)"])
  }

  @Test func `without a part, all damage is counted`() throws {
    let output = Channel<StreamItem>(capacity: 1000)
    var dispatcher = dispatcher(to: output)
    dispatcher.countDamage()
    try dispatch(0..<2, with: &dispatcher)
    dispatcher.countDamage()
    #expect(!dispatcher.isPastPart)
    #expect(state.contents.read { $0.counts.corruptPackets } == 2)
  }

  @Test(arguments: [(1, [2, 2, 2, 2]), (2, [2, 0, 2, 0]), (4, [2, 0, 0, 0])])
  func `all detectors get the frames of the interval`(every: Int, expected: [Int]) throws {
    let output = Channel<StreamItem>(capacity: 1000)
    let channels = (0..<2).map { _ in Channel<DetectionTask>(capacity: 9) }
    var dispatcher = dispatcher(every: every, to: output, queues: channels.map { .every($0) })
    try dispatch(0..<4, with: &dispatcher)
    #expect(items(output) == expected.enumerated().map { "frame \($0.offset) (\($0.element))" })
    for channel in channels {
      channel.finish()
      var offered: [Int] = []
      while let task = channel.receive() { offered.append(Int(task.frame.time.ticks / 40)) }
      #expect(offered == expected.indices.filter { expected[$0] > 0 })
    }
  }

  @Test func `a frame has the arrival of its packet, or of the latest one`() throws {
    let output = Channel<StreamItem>(capacity: 1000)
    var dispatcher = dispatcher(to: output)
    clock.advance(to: 3)
    dispatcher.noteArrival(at: 0.04)
    clock.advance(to: 4)
    dispatcher.noteArrival(at: 0.16)
    clock.advance(to: 5)
    try dispatch(1..<3, with: &dispatcher)
    output.finish()
    var arrivals: [[Double]] = []
    while case .frame(let decoded)? = output.receive() {
      arrivals.append([decoded.arrival, decoded.detection.offered])
    }
    #expect(arrivals == [[3, 5], [4, 5]])
  }

  @Test func `when the annotator falls behind the oldest frames are dropped, and pending results stay`() throws {
    let output = Channel<StreamItem>(capacity: 2 * Weight.frame)
    let (queue, pool) = Scripted.newestQueue(clock)
    var dispatcher = dispatcher(drops: true, to: output, queues: [queue])
    try dispatch(0..<1, with: &dispatcher)
    #expect(pool.next()?.task.frame.time.ticks == 0, "the detector has the first frame")
    try dispatch(1..<4, with: &dispatcher)
    #expect(state.contents.read { $0.counts.framesDropped } == 2)
    #expect(items(output) == ["dropped 0", "frame 2 (1)", "frame 3 (1)"], "frame 1 was superseded")
  }

  @Test func `a dropped frame that still waits for a detector is withdrawn`() throws {
    let output = Channel<StreamItem>(capacity: Weight.frame)
    let (queue, pool) = Scripted.newestQueue(clock)
    var dispatcher = dispatcher(every: 9, drops: true, to: output, queues: [queue])
    try dispatch(0..<2, with: &dispatcher)
    queue.finish()
    #expect(pool.next() == nil, "no detector is run on it")
    guard case .dropped(let frame)? = output.receive() else {
      Issue.record("the frame was not dropped")
      return
    }
    #expect(frame.results.map(\.isSuperseded) == [true])
  }

  @Test func `no frame of a backlog is dropped, however many there are`() throws {
    let output = Channel<StreamItem>(capacity: 2 * Weight.frame)
    var dispatcher = dispatcher(drops: true, to: output)
    dispatcher.waitsForAnnotator = true
    let frames = try (0..<20).map { try Scripted.frame($0) }
    let sender = Transfer((dispatcher, frames))
    let workers = ThreadGroup()
    workers.start {
      guard let (reader, frames) = sender.take() else { return }
      var dispatcher = reader
      for frame in frames { _ = try? dispatcher.dispatch(frame, rotation: 0) }
      dispatcher.finish()
    }
    var received: [Int64] = []
    while let item = output.receive() {
      if case .frame(let decoded) = item { received.append(decoded.frame.time.ticks / 40) }
    }
    #expect(received == Array(0..<20))
    #expect(workers.wait(until: .now() + 300))
    #expect(state.contents.read { $0.counts.framesDropped } == 0)
  }

  /// What detectors report of frames, one of which each call of `takeScene` follows; `nil` for one that is superseded.
  struct SceneRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let isStill: [Bool?]
    let expected: [KeyFrameDecoding.Scene]
  }

  @Test(arguments: [
    SceneRow(testDescription: "still frames", isStill: [true, true], expected: [.still, .still]),
    SceneRow(testDescription: "something moves", isStill: [true, false, true], expected: [.still, .moving, .still]),
    SceneRow(
      testDescription: "no detector has time", isStill: [nil, nil, true], expected: [.unknown, .unknown, .still]),
  ])
  func `what detectors report of the scene is known once, in the frames' order`(row: SceneRow) throws {
    let (queue, pool) = Scripted.newestQueue(clock)
    var dispatcher = dispatcher(to: Channel<StreamItem>(capacity: 10_000), queues: [queue])
    dispatcher.watchesScene = true
    for (index, (isStill, expected)) in zip(row.isStill, row.expected).enumerated() {
      #expect(try dispatcher.dispatch(Scripted.frame(index), rotation: 0))
      #expect(dispatcher.takeScene() == .unknown, "its result has not come")
      let job = try #require(pool.next())
      let task = job.task
      pool.complete(job)
      if let isStill {
        var found = Detections(objects: [])
        found.isStill = isStill
        task.result.settle(.found(found))
      } else {
        task.result.settle(.superseded)
      }
      #expect(dispatcher.takeScene() == expected)
      #expect(dispatcher.takeScene() == .unknown)
    }
  }

  @Test func `without detectors nothing moves that is of interest`() throws {
    var dispatcher = dispatcher(to: Channel<StreamItem>(capacity: 1000))
    dispatcher.watchesScene = true
    #expect(try dispatcher.dispatch(Scripted.frame(0), rotation: 0))
    #expect(dispatcher.takeScene() == .still && dispatcher.takeScene() == .still)
  }

  @Test func `a frame that is not decoded follows the last one, and is late if it may have changed`() throws {
    let output = Channel<StreamItem>(capacity: 1000)
    let queue = Scripted.newestQueue(clock).queue
    var dispatcher = dispatcher(to: output, queues: [queue])
    #expect(try dispatcher.dispatchUndecoded(at: Scripted.time(0), isUnchanged: true), "there is none yet")
    #expect(try dispatcher.dispatch(Scripted.frame(1), rotation: 90))
    #expect(try dispatcher.dispatchUndecoded(at: Scripted.time(2), isUnchanged: true))
    #expect(try dispatcher.dispatchUndecoded(at: Scripted.time(3), isUnchanged: false))
    output.finish()
    var frames: [FrameJob] = []
    while case .frame(let decoded)? = output.receive() { frames.append(decoded) }
    #expect(frames.map(\.record.annotations.frame) == [0, 1, 2] && frames.map(\.frame.time.ticks) == [40, 80, 120])
    #expect(frames.allSatisfy { $0.frame.size == Scripted.size && $0.rotation == 90 })
    #expect(frames.map(\.frame.hasPixels) == [true, false, false])
    #expect(frames.map(\.isUnchanged) == [false, true, false])
    #expect(frames[1].detection.results.isEmpty && frames[2].detection.results.map(\.isSuperseded) == [true])
    #expect(state.contents.read { $0.counts.framesIn } == 3)
    #expect(state.contents.read { $0.counts.framesUndecoded } == 2)
    var resolver = DetectionResolver(hold: 0.05)
    #expect(try resolver.resolve(frames[1]).isUnchanged)
    let late = try resolver.resolve(frames[2])
    #expect(!late.isUnchanged && late.found == nil)
  }

  @Test func `nothing is dispatched after the annotator has ended`() throws {
    let output = Channel<StreamItem>(capacity: 1000)
    var dispatcher = dispatcher(to: output)
    output.cancel()
    #expect(try !dispatcher.dispatch(Scripted.frame(0), rotation: 0))
  }
}
