import Foundation
import Testing
import VStreamCore
import VStreamPipeline
import VStreamSystem
import VStreamTestSupport

@testable import VStreamServe

/// The database of tracks and events.
struct ArchiveIndexTests {
  private let folder: TemporaryFolder
  private let lines = Monitor<[String]>([])

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.file("index.sqlite") }

  private func open() throws -> ArchiveIndex {
    try ArchiveIndex(path, log: ServeLog(format: .text, write: { [lines] line in lines.update { $0.append(line) } }))
  }

  /// A closed file of the database, with one track.
  private func closedDatabase() throws -> String {
    try store([TestTracks.track(1)], in: open())
    return path
  }

  private func store(_ tracks: [IndexedTrack], _ change: IndexedTrack.Change? = .begin, in index: ArchiveIndex) throws {
    index.store(tracks.map { TrackJournal.Update(track: $0, change: change) }, at: tracks.first?.last ?? 0)
    index.waitUntilWritten()
    #expect(index.lostCount == 0)
  }

  private func tracks(_ index: ArchiveIndex, _ change: (inout TrackFilter) -> Void = { _ in }) throws -> [IndexedTrack]
  {
    var changed = TrackFilter()
    change(&changed)
    let filter = changed
    return try index.read { try filter.fetch($0) }
  }

  private func events(_ index: ArchiveIndex) throws -> [IndexedEvent] {
    try index.read {
      try IndexedEvent.fetch($0, camera: nil, after: 0, in: 0...1e11, limit: 100)
    }
  }

  @Test func `a track and its events are read back`() throws {
    let index = try open()
    var track = TestTracks.track(index.makeTrackID(), zones: ["yard", "road"])
    track.crossings = ["gate:right"]
    try store([track], in: index)
    track.isStationary = true
    try store([track], .change, in: index)
    (track.last, track.score) = (1010, 0.75)
    try store([track], nil, in: index)
    #expect(try tracks(index) == [track])
    let events = try events(index)
    #expect(events.map(\.seq) == [1, 2] && events.allSatisfy { $0.message.contains("\"camera\":\"front\"") })
    let messages = try events.map { try JSONValue(json: $0.message) }
    #expect(messages.map { $0["type"]?.text } == ["begin", "change"])
    #expect(messages.map { $0["stationary"] } == [.flag(false), .flag(true)])
    #expect(messages.allSatisfy { $0["id"]?.number == 1 && $0["zones"]?.list == [.text("yard"), .text("road")] })
    #expect(try index.lastEvent() == 2)
  }

  @Test func `open tracks are ended at the next start, and IDs go on`() throws {
    do {
      let index = try open()
      #expect(try index.lastEvent() == 0)
      try store([TestTracks.track(index.makeTrackID(), hasEnded: false)], in: index)
    }
    let again = try open()
    #expect(try tracks(again).map(\.hasEnded) == [true])
    #expect(again.makeTrackID() == 2 && again.makeTrackID() == 3)
    #expect(lines.read { $0.isEmpty })
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let damage: @Sendable (inout Data) -> Void
  }

  @Test(arguments: [
    Damage(testDescription: "text", damage: { $0 = Data("This is no database, but a text about it.".utf8) }),
    Damage(testDescription: "zeros from the first page on", damage: { $0.resetBytes(in: 100..<$0.count) }),
    Damage(testDescription: "a file cut off", damage: { $0.removeLast($0.count - 5000) }),
  ]) func `a damaged file is set aside, and another one begun`(row: Damage) throws {
    let path = try closedDatabase()
    var data = try Data(contentsOf: URL(filePath: path))
    row.damage(&data)
    try data.write(to: URL(filePath: path))
    let index = try open()
    try store([TestTracks.track(index.makeTrackID())], in: index)
    #expect(try tracks(index).map(\.id) == [1])
    let aside = try #require(folder.names.first { $0.hasPrefix("index.sqlite.damaged-") })
    #expect(try Data(contentsOf: URL(filePath: folder.file(aside))) == data)
    let said = lines.read { $0 }
    #expect(said.count == 1 && said.first?.contains(aside) == true, "\(said)")
  }

  @Test func `a folder in its place is an error that names it`() throws {
    try Folder.createWithParents(path)
    let error = #expect(throws: VStreamError.self) { try open() }
    #expect(error?.code == .cannotCreateOutput && error?.description.contains(path) == true)
  }

  // MARK: Filters

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let filter: TrackFilter
    let ids: [Int64]

    init(_ description: String, _ ids: [Int64], _ change: (inout TrackFilter) -> Void) {
      var filter = TrackFilter()
      change(&filter)
      (testDescription, self.filter, self.ids) = (description, filter, ids)
    }
  }

  /// Of two cameras; the first one lasts for three hours.
  private static let tracks = [
    TestTracks.track(1, label: "car", 10_000...20_800, zones: ["yard"]),
    TestTracks.track(2, 16_000...16_010, zones: ["yard", "road"]),
    TestTracks.track(3, camera: "back", 17_000...17_010, zones: ["yard"]),
    TestTracks.track(4, 18_000...18_010),
    TestTracks.track(5, label: "dog", 19_000...19_010, zones: ["road"]),
  ]

  static let rows = [
    Row("all, the newest first", [5, 4, 3, 2, 1]) { _ in },
    Row("a limit", [5, 4]) { $0.limit = 2 },
    Row("a camera", [3]) { $0.camera = "back" },
    Row("a label", [4, 3, 2]) { $0.label = "person" },
    Row("a zone", [5, 2]) { $0.zone = "road" },
    Row("camera, label and zone", [2]) { ($0.camera, $0.label, $0.zone) = ("front", "person", "yard") },
    Row("a span, with one that began two hours before", [3, 1]) { $0.span = 17_000...17_500 },
    Row("a span in a zone, likewise", [3, 1]) { ($0.span, $0.zone) = (17_000...17_500, "yard") },
    Row("a span exactly an hour after the beginning", [1]) { $0.span = 13_600...13_700 },
    Row("a span just before the end", [2, 1]) { $0.span = 16_010...16_500 },
    Row("a span of a label, with the long one", [1]) { ($0.span, $0.label) = (17_000...17_500, "car") },
    Row("a span with a limit", [3]) { ($0.span, $0.limit) = (17_000...17_500, 1) },
    Row("a span before all", []) { $0.span = 0...9_999 },
    Row("a span after all", []) { $0.span = 20_801...30_000 },
    Row("a camera that is SQL", []) { $0.camera = "x' OR 1=1 --" },
    Row("a label that is SQL", []) { $0.label = "'; DROP TABLE tracks; --" },
    Row("a zone that is SQL", []) { $0.zone = "x\" OR \"\"=\"" },
    Row("a pattern", []) { $0.label = "%" },
  ]

  @Test(arguments: rows) func `tracks by`(row: Row) throws {
    let index = try open()
    try store(Self.tracks, in: index)
    #expect(try index.read { try row.filter.fetch($0) }.map(\.id) == row.ids)
    #expect(try tracks(index).count == 5)
  }

  @Test(arguments: ["x' OR 1=1 --", "'); DROP TABLE tracks; --", "\"", "a\tb\n", "日本 \\ %", ""])
  func `names of any kind are stored as they are`(name: String) throws {
    let index = try open()
    let track = TestTracks.track(1, camera: name, label: name, zones: [name])
    try store([track, TestTracks.track(2)], in: index)
    #expect(try tracks(index) { ($0.camera, $0.label, $0.zone) = (name, name, name) } == [track])
    #expect(try JSONValue(json: events(index)[0].message)["label"]?.text == name)
    index.deleteTracks(endedBefore: [name: 1e10], others: nil)
    index.waitUntilWritten()
    #expect(try tracks(index).map(\.id) == [2])
  }

  @Test func `tracks are counted by label where they began`() throws {
    let index = try open()
    try store(Self.tracks, in: index)
    let counts = try index.read { try TrackCounts($0, camera: "front", in: 16_000...19_000, every: 1000) }
    #expect(counts.counts == ["person": [0: 1, 2: 1], "dog": [3: 1]])
    #expect(try index.read { try TrackCounts($0, camera: "x' OR 1=1 --", in: 0...1e11, every: 60) }.counts.isEmpty)
  }

  @Test func `events of a camera, after one, of a span`() throws {
    let index = try open()
    for track in Self.tracks { try store([track], in: index) }
    func seqs(_ camera: String?, _ after: Int64?, _ span: ClosedRange<Double> = 0...1e11, _ limit: Int = 100) throws
      -> [Int64]
    {
      try index.read { try IndexedEvent.fetch($0, camera: camera, after: after, in: span, limit: limit) }.map(\.seq)
    }
    #expect(try seqs(nil, 0) == [1, 2, 3, 4, 5])
    #expect(try Set(seqs(nil, nil)) == [1, 2, 3, 4, 5] && seqs(nil, nil, 0...1e11, 2).count == 2)
    #expect(try seqs("front", 2) == [4, 5])
    #expect(try seqs(nil, 0, 17_000...18_100) == [3, 4])
    #expect(try Set(seqs(nil, nil, 17_000...18_100)) == [3, 4])
    #expect(try seqs("x' OR 1=1 --", 0).isEmpty && seqs("x' OR 1=1 --", nil).isEmpty)
  }

  // MARK: Pictures and deletion

  @Test func `a track has the last picture, and others none`() throws {
    let index = try open()
    try store([TestTracks.track(1)], in: index)
    for jpeg in [[1, 2, 3], [4, 5]] as [[UInt8]] { index.storePicture(jpeg, of: 1) }
    index.storePicture([6], of: 7)
    index.waitUntilWritten()
    #expect(try index.picture(of: 1) == [4, 5])
    #expect(try index.picture(of: 7) == nil && index.lostCount == 0)
  }

  @Test func `ended tracks are deleted with their zones, pictures and events`() throws {
    let index = try open()
    let stored = [
      TestTracks.track(1, 1000...1010, zones: ["yard"]),
      TestTracks.track(2, 1000...1010, zones: ["yard"], hasEnded: false),
      TestTracks.track(3, camera: "back", 1000...1010, zones: ["yard"]),
      TestTracks.track(4, 1000...2010, zones: ["yard"]),
    ]
    for track in stored {
      try store([track], in: index)
      index.storePicture([1], of: track.id)
    }
    index.deleteTracks(endedBefore: ["front": 2000], others: nil)
    index.waitUntilWritten()
    #expect(try tracks(index).map(\.id) == [4, 3, 2])
    #expect(try stored.map { try index.picture(of: $0.id) } == [nil, [1], [1], [1]])
    #expect(try events(index).map(\.seq) == [3, 4])
    index.deleteTracks(endedBefore: ["front": 0], others: 2000)
    index.waitUntilWritten()
    #expect(try tracks(index).map(\.id) == [4, 2] && events(index).map(\.seq) == [4])
    // Not even its zones are left.
    try store([TestTracks.track(1, 1000...1010)], in: index)
    #expect(try tracks(index) { $0.zone = "yard" }.map(\.id) == [4, 2])
  }
}
