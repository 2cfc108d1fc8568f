import Foundation
import Testing
import VStreamCore
import VStreamPipeline
import VStreamSystem
import VStreamTestSupport

@testable import VStreamServe

/// The files of recordings and their rows in the index, over restarts.
struct RecordingStoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store() throws -> RecordingStore { try TestRecordings.store(folder) }

  private func all(_ store: RecordingStore) -> [RecordedFile] { store.files(of: nil, in: 0...1e11) }

  private static func settings(keep: Double?, keepEvents: Double?) -> RecordingSettings {
    var settings = RecordingSettings()
    (settings.keep, settings.keepEvents) = (keep, keepEvents)
    return settings
  }

  /// Seconds from the start of the first file until now.
  private static var age: Double { WallClock.now - TestRecordings.start }

  // MARK: The index

  @Test func `files have the same figures after a restart`() throws {
    let before: [RecordedFile]
    do {
      let store = try store()
      try TestRecordings.add([1, 2], boxes: "{}\n", to: store, at: 0.25, seconds: 59.5, hasEvent: true)
      try TestRecordings.add([3], to: store, camera: "back", at: 30, seconds: 60)
      store.index.waitUntilWritten()
      before = all(store)
    }
    #expect(before.map(\.bytes) == [5, 1] && before.map(\.hasEvent) == [true, false])
    #expect(before.first.map { $0.end - $0.start } == 59.5)
    #expect(try all(store()) == before)
  }

  @Test func `an index that was lost is made again from the files`() throws {
    let clip = try TestFragments(folder, seconds: 2)
    do {
      let store = try store()
      try TestRecordings.add(clip.bytes(0..<2), boxes: "{}\n", to: store, at: 0.25, seconds: 2)
      store.index.waitUntilWritten()
    }
    for ending in ["", "-wal", "-shm"] { PartFile.remove(folder.file("recordings/index.sqlite\(ending)")) }
    let file = try #require(all(store()).first)
    // Its second, and when it was written.
    #expect(file.start == TestRecordings.start && abs(file.end - max(file.start, WallClock.now)) < 60)
    #expect(file.bytes == clip.bytes(0..<2).count + 3 && file.hasEvent)
  }

  @Test func `rows of files that are gone disappear, and files without a row get one`() throws {
    do {
      let store = try store()
      let gone = try TestRecordings.add([1], to: store)
      try TestRecordings.add([2], to: store, at: 60, seconds: 60)
      // As if the program had ended before the index was written.
      let open = try store.create("front", at: TestRecordings.start + 120)
      try open.video.write([3, 3])
      store.index.waitUntilWritten()
      PartFile.remove(store.path(of: gone))
    }
    let names = ["2026-11-25/08-01-00.mp4", "2026-11-25/08-02-00.mp4"]
    for _ in 0..<2 {
      let store = try store()
      store.index.waitUntilWritten()
      #expect(all(store).map(\.name) == names)
      #expect(all(store).map(\.hasEvent) == [false, true] && all(store).map(\.isOpen) == [false, false])
      let rows = try store.index.read { try RecordedFile.fetchAll($0).map(\.name).sorted() }
      #expect(rows == names)
    }
  }

  // MARK: Age

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let keep: Double?
    let keepEvents: Double?
    /// Whether the two files are left, of which the second one has an event.
    let left: [Bool]
  }

  /// The files are 1000 s old.
  static let rows = [
    Row(testDescription: "without limits", keep: nil, keepEvents: nil, left: [true, true]),
    Row(testDescription: "younger", keep: 2000, keepEvents: 2000, left: [true, true]),
    Row(testDescription: "older, without an event", keep: 500, keepEvents: 2000, left: [false, true]),
    Row(testDescription: "older, with one", keep: 2000, keepEvents: 500, left: [true, false]),
    Row(testDescription: "older, without another limit for events", keep: 500, keepEvents: nil, left: [false, false]),
    Row(testDescription: "with a limit for events alone", keep: nil, keepEvents: 500, left: [true, false]),
  ]

  @Test(arguments: rows) func `files that are kept`(row: Row) throws {
    let store = try store()
    for (second, hasEvent) in [(0.0, false), (1, true)] {
      try TestRecordings.add([1], to: store, at: Self.age - 1000 + second, hasEvent: hasEvent)
    }
    let before = all(store)
    store.set(Self.settings(keep: row.keep, keepEvents: row.keepEvents), of: "front")
    #expect(store.enforce() == row.left.contains(false))
    #expect(all(store) == zip(before, row.left).filter(\.1).map(\.0))
    store.index.waitUntilWritten()
    #expect(try store.index.read { try RecordedFile.fetchAll($0).count } == row.left.count { $0 })
    for (file, isLeft) in zip(before, row.left) {
      #expect(FileCheck.exists(store.path(of: file)) == isLeft)
      #expect(FileCheck.exists("\(store.path)/front/\(file.boxesName)") == isLeft)
    }
    #expect(store.measures.deletedCount == row.left.count { !$0 })
  }

  @Test func `an open file is never deleted`() throws {
    let store = try store()
    let open = try store.create("front", at: TestRecordings.start)
    store.set(Self.settings(keep: 60, keepEvents: 60), of: "front")
    var space = TestRecordings.space(folder)
    (space.maximumBytes, space.minimumFree) = (0, 1 << 60)
    store.update(space, defaults: RecordingSettings())
    #expect(FileCheck.exists(store.path(of: open.file)) && all(store).map(\.isOpen) == [true])
    // Until now there is something of it.
    // It reaches as far as its recorder noted, and may reach a little further.
    #expect(all(store).first.map { $0.end - $0.start } == RecordingStore.noteInterval)
    var file = open.file
    file.isOpen = false
    store.finish(file)
    #expect(!FileCheck.exists(store.path(of: file)) && all(store).isEmpty)
  }

  @Test func `a file that is found without a row is kept like those with an event`() throws {
    do {
      let store = try store()
      let open = try store.create("front", at: TestRecordings.start + Self.age - 1000)
      try open.video.write([1])
    }
    let store = try store()
    store.set(Self.settings(keep: 500, keepEvents: 2000), of: "front")
    #expect(!store.enforce() && all(store).count == 1)
    store.set(Self.settings(keep: 2000, keepEvents: 500), of: "front")
    #expect(store.enforce() && all(store).isEmpty)
  }

  @Test func `tracks are kept as long as the files of events`() throws {
    let store = try store()
    let now = WallClock.now
    for (id, age) in [(1, 1000.0), (2, 100)] {
      let track = TestTracks.track(Int64(id), now - age...now - age + 1)
      store.index.store([.init(track: track, change: .begin)], at: track.first)
    }
    func ids() throws -> [Int64] {
      store.enforceOnTracks()
      store.index.waitUntilWritten()
      return try store.index.read { try TrackFilter().fetch($0).map(\.id) }
    }
    store.set(Self.settings(keep: 60, keepEvents: 2000), of: "front")
    #expect(try ids() == [2, 1])
    store.set(Self.settings(keep: 500, keepEvents: nil), of: "front")
    #expect(try ids() == [2])
  }
}
