import NIOCore
import Testing
import VStreamCore
import VStreamPipeline
import VStreamSystem
import VStreamTestSupport

@testable import VStreamServe

/// Recordings: where files begin and end, which are deleted, and what is on the disk.
struct RecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Files of a minute

  /// One fragment, or the start of a video.
  struct Step: Sendable {
    var now: Double
    var isKey = false
    var isEvent = false
    /// Seconds by which the wall clock is set.
    var clock = 0.0
    var isStart = false
    var isRecord = false
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var settings: String
    let steps: [Step]
    /// `b10` begins a file of second 10, `k10` and `f10` write the fragment of that second, `r10` its boxes, `e` ends it.
    let actions: String
  }

  private static func steps(_ seconds: ClosedRange<Int>, key every: Int, events: Set<Int> = []) -> [Step] {
    seconds.map { Step(now: Double($0), isKey: $0 % every == 0, isEvent: events.contains($0)) }
  }

  static let rows = [
    Row(
      testDescription: "begins at a key frame", settings: "{mode: always}", steps: steps(3...6, key: 4),
      actions: "b4 k4 f5 f6"),
    Row(
      testDescription: "ends at the first key frame after a minute", settings: "{mode: always}",
      steps: [0, 30, 60, 61, 62].map { Step(now: $0, isKey: $0 != 60) }, actions: "b0 k0 k30 f60 e b61 k61 k62"),
    Row(
      testDescription: "ends where the video starts again", settings: "{mode: always}",
      steps: [Step(now: 0, isKey: true), Step(now: 1, isStart: true), Step(now: 2), Step(now: 3, isKey: true)],
      actions: "b0 k0 e b3 k3"),
    Row(
      testDescription: "ends where the clock was set back", settings: "{mode: always}",
      steps: [Step(now: 0, isKey: true), Step(now: 1, clock: -3600), Step(now: 2, isKey: true, clock: -3600)],
      actions: "b0 k0 e b-3598 k2"),
    Row(
      testDescription: "has the seconds before and after an event, from a key frame on",
      settings: "{mode: events, before: 3s, after: 2s}", steps: steps(0...14, key: 2, events: [9]),
      actions: "b6 k6 f7 k8 f9 k10 f11 e"),
    Row(
      testDescription: "goes on through a second event", settings: "{mode: events, before: 0s, after: 3s}",
      steps: steps(0...9, key: 1, events: [2, 4]), actions: "b2 k2 k3 k4 k5 k6 k7 e"),
    Row(
      testDescription: "has the boxes of its frames, also of those before an event",
      settings: "{mode: events, after: 1s}",
      steps: [
        Step(now: 0, isKey: true), Step(now: 0, isRecord: true), Step(now: 1, isEvent: true),
        Step(now: 1, isRecord: true),
      ], actions: "r0 b0 k0 r0 f1 r1"),
    Row(
      testDescription: "nothing without an event", settings: "{mode: events}", steps: steps(0...9, key: 1), actions: ""),
  ]

  private static func settings(_ text: String) throws -> RecordingSettings {
    let settings = try ConfigurationText.file("c.yaml").root(of: "record: \(text)").entries()[0].value
    return try RecordingSettings(settings)
  }

  @Test(arguments: rows) func `a file`(row: Row) throws {
    var cutter = RecordingCutter(try Self.settings(row.settings))
    var actions: [String] = []
    let start = LiveMessage(.start, bytes: [1])
    _ = cutter.add(start, isEvent: false, at: .init(now: 0, wall: 0))
    for step in row.steps {
      let text = "\(Int(step.now))"
      let message =
        step.isRecord
        ? LiveMessage(.record, text: "r\(text)")
        : step.isStart ? start : LiveMessage(.fragment(isKey: step.isKey), text: text)
      let moment = RecordingCutter.Moment(now: step.now, wall: step.now + step.clock)
      actions += cutter.add(message, isEvent: step.isEvent, at: moment).map { action in
        switch action {
        case .begin(let wall, _, _): "b\(Int(wall))"
        case .write(let bytes, let isKey): (isKey ? "k" : "f") + String(buffer: bytes)
        case .end: "e"
        case .boxes(let line): String(buffer: line)
        }
      }
    }
    #expect(actions.joined(separator: " ") == row.actions)
  }

  // MARK: Deletion

  struct Deletion: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var maximum: Int?
    var free: Int?
    var keep: [String: Double] = [:]
    /// The index of a file in which something was tracked, and of one that is being written.
    var event: Int?
    var open: Int?
    let deleted: [Int]
  }

  @Test(arguments: [
    Deletion(testDescription: "nothing", deleted: []),
    Deletion(testDescription: "the oldest beyond a size", maximum: 250, deleted: [0, 1]),
    Deletion(testDescription: "the oldest for free space", free: 950, deleted: [0]),
    Deletion(testDescription: "all, where nothing suffices", free: 0, deleted: [0, 1, 2, 3]),
    Deletion(testDescription: "those that are old, of one camera", keep: ["b": 250], deleted: [1]),
    Deletion(testDescription: "old ones count for the size", maximum: 350, keep: ["b": 250], deleted: [1]),
    Deletion(testDescription: "none in which something was tracked", keep: ["b": 250], event: 1, deleted: []),
    Deletion(testDescription: "none that is being written", free: 0, open: 0, deleted: [1, 2, 3]),
    Deletion(testDescription: "nothing where free space is not known", free: nil, deleted: []),
  ]) func `deleted are`(row: Deletion) {
    let files = [("a", 100.0), ("b", 200), ("a", 300), ("b", 400)].enumerated().map { index, file in
      RecordedFile(
        camera: file.0, name: "n", start: file.1, end: file.1, bytes: 100, hasEvent: row.event == index,
        isOpen: row.open == index)
    }
    let settings = row.keep.mapValues { keep in
      var settings = RecordingSettings()
      (settings.keep, settings.keepEvents) = (keep, 1000)
      return settings
    }
    var space = RecordingSpace()
    (space.maximumBytes, space.minimumFree) = (row.maximum, 1000)
    let rules = RecordingRules(space: space, settings: settings)
    #expect(
      rules.expired(files, free: row.free ?? (row.testDescription.contains("not known") ? nil : 5000), at: 500)
        == row.deleted)
  }

  // MARK: The disk

  private func camera(_ name: String = "front") throws -> Camera {
    var settings = CameraConfiguration()
    (settings.source, settings.record) = ("rtsp://none/", try Self.settings("{mode: always}"))
    return Camera(.init(name: name, settings: settings), log: ServeLog(format: .text, write: { _ in }))
  }

  private static let log = ServeLog(format: .text, write: { _ in })

  private func space(minimumFree: Int = 0) -> RecordingSpace {
    var space = RecordingSpace()
    (space.path, space.minimumFree) = (folder.file("recordings"), minimumFree)
    return space
  }

  @Test func `a file has the start and the fragments, for its owner alone, and is found again`() throws {
    let (camera, store) = (try camera(), try RecordingStore(space(), log: Self.log))
    let log = ServeLog(format: .text, write: { _ in })
    var recorder = Recorder(camera, store, log: log)
    #expect(camera.read { $0.isFollowed(.recorded) && !$0.isWatched(.recorded) })
    camera.handle(.message(LiveMessage(.start, text: "{}"), [.recorded]))
    camera.handle(.message(LiveMessage(.start, bytes: Array("start ".utf8)), [.recorded]))
    for (text, isKey) in [("lost ", false), ("key ", true), ("frame", false)] {
      camera.handle(.message(LiveMessage(.fragment(isKey: isKey), bytes: Array(text.utf8)), [.recorded]))
    }
    camera.stop()
    recorder.run()
    // With the line about the video.
    #expect(store.measures.bytes == ["front": 18])
    let found = try #require(RecordingStore.files(in: store.path).first)
    let file = "\(store.path)/front/\(found.name)"
    #expect(String(decoding: try ReadableFile.bytes(of: file), as: UTF8.self) == "start key frame")
    #expect(abs(found.start - WallClock.now) < 3600)
    let boxes = "\(store.path)/front/\(found.boxesName)"
    #expect(String(decoding: try ReadableFile.bytes(of: boxes), as: UTF8.self) == "{}\n")
    for path in [store.path, "\(store.path)/front"] {
      #expect(try Program.run("/usr/bin/env", ["stat", "-c", "%a", path]).text == "700\n")
    }
    #expect(try RecordingStore(space(), log: Self.log).measures == store.measures)
  }

  @Test func `where too little is free, nothing is recorded, and one line says so`() throws {
    let lines = Monitor<[String]>([])
    let log = ServeLog(format: .text, write: { line in lines.update { $0.append(line) } })
    let (camera, store) = (try camera(), try RecordingStore(space(minimumFree: 1 << 60), log: Self.log))
    var recorder = Recorder(camera, store, log: log)
    camera.handle(.message(LiveMessage(.start, bytes: [1]), [.recorded]))
    for _ in 0..<3 { camera.handle(.message(LiveMessage(.fragment(isKey: true), bytes: [2]), [.recorded])) }
    camera.stop()
    recorder.run()
    #expect(RecordingStore.files(in: store.path).isEmpty)
    let warnings = lines.read { $0 }
    #expect(warnings.count == 1 && warnings.first?.contains("recordings.min-free") == true, "\(warnings)")
  }

  @Test func `other files in the folder are no recordings, and stay`() throws {
    let store = try RecordingStore(space(), log: Self.log)
    try Folder.createWithParents("\(store.path)/front/2026-11-25")
    for name in ["08-00-00.mp4", "08-00-00-2.mp4", "notes.txt", "8-0-0.mp4", "08-00-00.mp4.part"] {
      _ = try folder.write("recordings/front/2026-11-25/\(name)", "x")
    }
    _ = try folder.write("recordings/index.sqlite", "x")
    let names = RecordingStore.files(in: store.path).map(\.name)
    #expect(names == ["2026-11-25/08-00-00-2.mp4", "2026-11-25/08-00-00.mp4"])
    #expect(RecordingStore.files(in: store.path).first?.start == 1_795_593_600)
  }

  @Test(arguments: [
    ("{mode: sometimes}", "'sometimes' is not known; use always, events, never"),
    ("{before: soon}", "'soon' is not a duration; write, for example, 5s, 10m, 12h or 7d"),
    ("{before: 2h}", "2h is out of range; give 0s to 60s"),
    ("{after: 2d}", "2d is out of range; give 0s to 3600s"),
    ("{keep: 1s}", "1s is out of range; give 60s to"),
    ("{keeps: 7d}", "there is no setting 'record.keeps'; did you mean keep?"),
    ("{keep-events: 1s}", "1s is out of range; give 60s to"),
  ]) func `a wrong setting is an error`(text: String, message: String) throws {
    let error = #expect(throws: VStreamError.self) { try Self.settings(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("500GB", 500_000_000_000), ("1.5MB", 1_500_000), ("10", nil), ("-1GB", nil), ("1e3GB", nil), ("GB", nil),
  ])
  func `a size`(text: String, bytes: Int?) throws {
    let node = try ConfigurationText.file("c.yaml").root(of: "max-size: \(text)")
    #expect((try? RecordingSpace(node))?.maximumBytes == bytes)
  }

  // MARK: Rules on the disk

  @Test func `the oldest files are deleted when one is added, and the count says so`() throws {
    var space = space()
    space.maximumBytes = 25
    let store = try RecordingStore(space, log: Self.log)
    for (index, camera) in ["front", "yard", "front", "yard"].enumerated() {
      var open = try store.create(camera, at: 1_795_593_600 + Double(60 * index))
      try open.video.write([UInt8](repeating: 0, count: 10))
      (open.file.bytes, open.file.isOpen) = (10, false)
      store.finish(open.file)
    }
    #expect(store.measures.bytes == ["front": 10, "yard": 10] && store.measures.deletedCount == 2)
    #expect(store.measures.oldest == 1_795_593_720)
    #expect(RecordingStore.files(in: store.path).map(\.camera) == ["front", "yard"])
    // A file that somebody removed is no obstacle.
    let first = try #require(RecordingStore.files(in: store.path).first)
    PartFile.remove("\(store.path)/\(first.camera)/\(first.name)")
    space.maximumBytes = 0
    store.update(space, defaults: RecordingSettings())
    #expect(store.measures.bytes.isEmpty && RecordingStore.files(in: store.path).isEmpty)
  }

  @Test func `files of one second have names of their own`() throws {
    let store = try RecordingStore(space(), log: Self.log)
    let names = try (0..<3).map { (_) -> String in try store.create("front", at: 1_795_593_600).file.name }
    #expect(Set(names).count == 3)
    let date = try #require(names.first).prefix(10)
    let clocks = names.map { String($0.dropFirst(11)) }
    #expect(names.allSatisfy { $0.hasPrefix(date) })
    #expect(clocks.map(\.count) == [12, 14, 14])
    for clock in clocks { #expect(UTCTime.seconds(date: String(date), clock: clock) == 1_795_593_600, "\(clock)") }
  }

  @Test func `the times of names are those of the clock`() {
    for seconds in stride(from: 1_500_000_000, to: 2_500_000_000, by: 86_399_999) {
      let time = UTCTime(secondsSince1970: seconds)
      #expect(UTCTime.seconds(date: time.date, clock: "\(time.clock).mp4") == seconds)
    }
    for (date, clock) in [("2026-11-25", "08-00.mp4"), ("26-11-25", "08-00-00.mp4"), ("2026-11-25", "08-00-00.mkv")] {
      #expect(UTCTime.seconds(date: date, clock: clock) == nil)
    }
  }

  // MARK: The server

  @Test func `the folder is made with the first recorded camera, and metrics have its figures`() throws {
    let log = ServeLog(format: .text, write: { _ in })
    let registry = CameraRegistry(CameraDetectors(threads: 1), log: log)
    var configuration = ServeConfiguration()
    var settings = CameraConfiguration()
    (settings.source, settings.detect) = ("rtsp://127.0.0.1:9/a", [])
    configuration.cameras = [.init(name: "a", settings: settings)]
    try registry.replace(by: configuration)
    #expect(registry.recordings == nil && folder.names.isEmpty)
    configuration.recordings = space()
    settings.record = try Self.settings("{mode: always}")
    configuration.cameras.append(.init(name: "b", settings: settings))
    try registry.replace(by: configuration)
    #expect(folder.names == ["recordings"] && registry.recordings != nil)
    let text = Metrics.text(registry.all, registry.recordings?.measures)
    #expect(text.contains("vstream_recordings_deleted_total 0\n"))
    // Another folder is used after a restart only; other rules at once.
    configuration.recordings?.path = folder.file("other")
    try registry.replace(by: configuration)
    #expect(registry.recordings?.path == folder.file("recordings"))
    registry.stop()
  }

  @Test func `a recorder is no viewer`() throws {
    let camera = try camera()
    let recorder = LiveViewer(.live, isRecorder: true) {}
    camera.handle(.joined(recorder))
    #expect(camera.read { $0.viewerCount(.live) == 0 && !$0.isWatched(.live) && $0.isFollowed(.live) })
    camera.handle(.joined(LiveViewer(.live) {}))
    #expect(camera.read { $0.viewerCount(.live) == 1 && $0.isWatched(.live) })
    camera.handle(.left(recorder))
    #expect(camera.read { $0.viewerCount(.live) == 1 })
    camera.stop()
    #expect(camera.read { !$0.isFollowed(.live) })
  }
}
