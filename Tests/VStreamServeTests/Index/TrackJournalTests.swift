import Testing
import VStreamCore
import VStreamPipeline
import VStreamReporting

@testable import VStreamServe

/// The journal that makes tracks and their events of a camera's records.
struct TrackJournalTests {
  /// An object of a frame, 40 by 40 pixels.
  struct Seen: Sendable {
    var x: Double
    var y = 40.0
    var score = 0.5
    var label = "person"
    var isPredicted = false
  }

  private static let zone = CountedRegions.Region(
    name: "yard", pixels: [Point(x: 0, y: 0), Point(x: 100, y: 0), Point(x: 100, y: 200), Point(x: 0, y: 200)])
  /// Upwards: its right side is that of greater x.
  private static let line = CountedRegions.Region(name: "gate", pixels: [Point(x: 200, y: 200), Point(x: 200, y: 0)])

  private static func journal() -> TrackJournal {
    var settings = CameraConfiguration()
    (settings.counted.zones, settings.counted.lines) = ([zone], [line])
    let last = Monitor<Int64>(0)
    return TrackJournal("front", settings) {
      last.update { last in
        last += 1
        return last
      }
    }
  }

  private static func record(_ found: Detections, at now: Double) -> FrameRecord {
    FrameRecord(
      FrameAnnotations(
        frame: Int(10 * now), time: Time(ticks: Int64(1000 * now), base: .milliseconds), source: .detected, found: found
      ))
  }

  private static func object(_ seen: Seen, id: Int? = 1) -> DetectedObject {
    var object = DetectedObject(
      id: id, classIndex: 0, label: seen.label, score: seen.score, box: Box(x: seen.x, y: seen.y, width: 40, height: 40)
    )
    object.isPredicted = seen.isPredicted
    return object
  }

  private static let size = PixelSize(width: 400, height: 200)

  /// Updates of an object that is seen at the seconds of `moments`, until its end.
  private static func updates(_ moments: [(Double, Seen)]) -> [TrackJournal.Update] {
    var journal = journal()
    let updates = moments.flatMap { now, seen in
      journal.add(record(Detections(objects: [object(seen)]), at: now), size, at: now)
    }
    return updates + journal.finish()
  }

  @Test func `a track begins, changes and ends under one ID`() {
    let updates = Self.updates([(0, Seen(x: 300)), (1, Seen(x: 300)), (2, Seen(x: 300, label: "dog"))])
    #expect(updates.map(\.change) == [.begin, .change, .end])
    #expect(Set(updates.map(\.track.id)) == [1] && updates.allSatisfy { $0.track.track == 1 })
    #expect(updates.map(\.track.label) == ["person", "dog", "dog"])
    #expect(updates.map(\.track.hasEnded) == [false, false, true])
    #expect(updates.map(\.track.first) == [0, 0, 0] && updates.map(\.track.last) == [0, 2, 2])
    #expect(updates.allSatisfy { $0.track.camera == "front" && $0.track.kind == "object" })
  }

  struct Path: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The left edges of the boxes, one a second.
    let path: [Double]
    let zones: [String]
    let crossings: [String]
  }

  @Test(arguments: [
    Path(testDescription: "neither", path: [120, 130, 140], zones: [], crossings: []),
    Path(testDescription: "a zone, twice", path: [120, 20, 120, 20], zones: ["yard"], crossings: []),
    Path(testDescription: "a line to the right", path: [120, 260], zones: [], crossings: ["gate:right"]),
    Path(
      testDescription: "a line to both sides, and again", path: [120, 260, 120, 260], zones: [],
      crossings: ["gate:right", "gate:left"]),
    Path(testDescription: "a line, then a zone", path: [260, 120, 20], zones: ["yard"], crossings: ["gate:left"]),
  ]) func `zones and crossings are noted once`(row: Path) throws {
    let updates = Self.updates(row.path.enumerated().map { (Double($0.offset), Seen(x: $0.element)) })
    let last = try #require(updates.last).track
    #expect(last.zones == row.zones && last.crossings == row.crossings)
    #expect(updates.count { $0.change == .change } == row.zones.count + row.crossings.count)
  }

  @Test func `a track that begins in a zone has it at once`() {
    #expect(Self.updates([(0, Seen(x: 20))]).first?.track.zones == ["yard"])
  }

  @Test func `predictions enter no zone, and are no best moment`() throws {
    let updates = Self.updates([(0, Seen(x: 120)), (1, Seen(x: 20, score: 0.9, isPredicted: true))])
    let last = try #require(updates.last).track
    #expect(last.zones.isEmpty && last.score == 0.5 && last.last == 1)
  }

  @Test func `the best moment is that of the highest score`() throws {
    let moments = [(0.0, 300.0, 0.5), (1, 310, 0.9), (2, 320, 0.7)].map { ($0.0, Seen(x: $0.1, score: $0.2)) }
    let track = try #require(Self.updates(moments).last).track
    #expect(track.score == 0.9 && track.best == 1)
    #expect([track.x, track.y, track.width, track.height] == [310, 40, 40, 40])
  }

  @Test func `a picture is wanted first, and when the score has gained`() {
    let scores = [0.5, 0.54, 0.56, 0.58, 0.4, 0.62]
    let updates = Self.updates(scores.enumerated().map { (Double($0.offset), Seen(x: 300, score: $0.element)) })
    #expect(updates.filter(\.isBest).map(\.track.score) == [0.5, 0.56, 0.62])
  }

  struct Absence: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let seconds: Double
    let ends: Bool
  }

  @Test(arguments: [
    Absence(testDescription: "as long as it is kept", seconds: 1.5, ends: false),
    Absence(testDescription: "longer", seconds: 1.6, ends: true),
    Absence(testDescription: "by a clock that was set back", seconds: -3600, ends: true),
  ]) func `a track that was not seen for`(row: Absence) {
    var journal = Self.journal()
    _ = journal.add(Self.record(Detections(objects: [Self.object(Seen(x: 300))]), at: 5000), Self.size, at: 5000)
    let updates = journal.add(Self.record(Detections(objects: []), at: 5001), Self.size, at: 5000 + row.seconds)
    #expect(updates.map(\.change) == (row.ends ? [.end] : []))
    #expect(updates.allSatisfy { $0.track.last == 5000 })
    #expect(journal.finish().count == (row.ends ? 0 : 1))
  }

  @Test func `the end of the run ends all tracks, once`() {
    var journal = Self.journal()
    let objects = (1...3).map { Self.object(Seen(x: 100 * Double($0)), id: $0) }
    _ = journal.add(Self.record(Detections(objects: objects), at: 0), Self.size, at: 0)
    #expect(journal.finish().map(\.track.id) == [1, 2, 3])
    #expect(journal.finish().isEmpty)
  }

  struct Movement: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The left edge of the box, by seconds.
    let path: @Sendable (Int) -> Double
    /// The seconds of the changes, and whether it is stationary then.
    let changes: [Int: Bool]
  }

  @Test(arguments: [
    Movement(testDescription: "not at all", path: { _ in 300 }, changes: [10: true]),
    Movement(testDescription: "by less than its size", path: { 300 + Double($0 % 2) * 4 }, changes: [10: true]),
    Movement(testDescription: "all the time", path: { 220 + Double($0) * 5 }, changes: [:]),
    Movement(testDescription: "after a while", path: { $0 < 15 ? 300 : 340 }, changes: [10: true, 15: false]),
    Movement(testDescription: "and stops", path: { $0 < 5 ? 300 : 340 }, changes: [15: true]),
  ]) func `an object that moves`(row: Movement) {
    let updates = Self.updates((0...20).map { (Double($0), Seen(x: row.path($0))) })
    let changes = updates.filter { $0.change == .change }.map { (Int($0.track.last), $0.track.isStationary) }
    #expect(Dictionary(uniqueKeysWithValues: changes) == row.changes)
  }

  @Test func `figures of a track that does not change are stored every 10 s`() {
    let updates = Self.updates((0...35).map { (Double($0), Seen(x: 220 + Double($0) * 4)) })
    #expect(updates.dropLast().dropFirst().map(\.change) == [nil, nil, nil])
    #expect(updates.map(\.track.last) == [0, 10, 20, 30, 35])
  }

  @Test func `kinds have IDs of their own, and detections without an ID none`() {
    var journal = Self.journal()
    let box = Box(x: 300, y: 0, width: 20, height: 20)
    let found = Detections(
      objects: [Self.object(Seen(x: 300)), Self.object(Seen(x: 100), id: nil)],
      faces: [DetectedFace(id: 1, score: 0.5, box: box)],
      poses: [DetectedPose(id: 1, score: 0.5, box: box, landmarks: [])])
    let begun = journal.add(Self.record(found, at: 0), Self.size, at: 0)
    #expect(begun.map(\.track.kind) == ["object", "face", "pose"])
    #expect(begun.map(\.track.id) == [1, 2, 3] && begun.allSatisfy { $0.track.track == 1 })
    // Only the face is still there.
    let later = journal.add(Self.record(Detections(faces: found.faces), at: 2), Self.size, at: 2)
    #expect(later.map(\.track.kind) == ["object", "pose"] && later.allSatisfy { $0.change == .end })
  }
}
