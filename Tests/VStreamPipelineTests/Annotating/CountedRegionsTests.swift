import Testing
import VStreamCore
import VStreamOverlay
import VStreamTracking

@testable import VStreamPipeline

/// Zones and lines of the options in the pixels of a frame, and what is counted in them.
struct CountedRegionsTests {
  private static let size = PixelSize(width: 200, height: 100)

  private static let regions = {
    var regions = CountedRegions()
    regions.zones = [
      .init(
        name: "left",
        corners: [(0.0, 0.0), (0.5, 0), (0.5, 1), (0, 1)].map { .init(x: .fraction($0.0), y: .fraction($0.1)) })
    ]
    regions.lines = [
      .init(
        name: "middle", corners: [.init(x: .pixels(100), y: .fraction(0)), .init(x: .pixels(100), y: .fraction(1))])
    ]
    return regions
  }()

  @Test func `fractions follow the frame's size, pixels do not`() {
    let line = Self.regions.lines[0]
    #expect(line.points(in: Self.size) == [Point(x: 100, y: 0), Point(x: 100, y: 100)])
    #expect(line.points(in: PixelSize(width: 400, height: 300)) == [Point(x: 100, y: 0), Point(x: 100, y: 300)])
  }

  @Test func `zones and lines are drawn in one numbering`() {
    let counts = Self.regions.counter(in: Self.size).counts
    let (zone, line) = (Self.regions.zones[0], Self.regions.lines[0])
    let ends = line.points(in: Self.size)
    #expect(
      Self.regions.marks(in: Self.size, counts) == [
        RegionMark(zone: zone.points(in: Self.size), number: 0, counts: counts.zones[0]),
        RegionMark(line: ends[0], ends[1], number: 1, counts: counts.lines[0]),
      ])
  }

  /// Annotates detections of a person at these left edges, one frame each, 0.1 s apart; `nil`: no detector ran.
  private func counts(
    _ edges: [Double?], mode: DetectionMode = .stream, late: [Int: Double] = [:]
  ) -> RegionCounts? {
    var options = AnnotationOptions(
      mode: mode, kinds: [.objects: .init(tracker: TrackerOptions(confirmAfter: 1), minimumScore: 0.5)])
    options.counted = Self.regions
    var step = AnnotationStep(options)
    var last: RegionCounts?
    for (index, x) in edges.enumerated() {
      let late = late[index].map {
        TimedObservations(
          time: Time(ticks: Int64(index * 100 - 100), base: .milliseconds),
          found: Detections(objects: [Scripted.object(x: $0, side: 40)]))
      }
      let found = x.map { Detections(objects: [Scripted.object(x: $0, side: 40)]) }
      last =
        step.annotate(
          ResolvedDetections(late: late.map { [$0] } ?? [], found: found), at: Double(index) * 0.1, in: Self.size
        ).counts
    }
    return last
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let edges: [Double?]
    var late: [Int: Double] = [:]
    let entered: Int
    /// Crossings of the line from the zone, which are to its left, as the line leads downwards.
    let crossings: Int
    var testDescription: String { name }
  }

  @Test(arguments: [
    Row(name: "stays in the zone", edges: [20, 24, 28], entered: 1, crossings: 0),
    Row(name: "leaves it", edges: [50, 60, 70, 80, 90, 100, 110], entered: 1, crossings: 1),
    Row(name: "never in it", edges: [120, 124], entered: 0, crossings: 0),
    Row(
      name: "predicted positions do not count", edges: [40, 50, 60, nil, nil, nil, nil, nil], entered: 1, crossings: 0),
    Row(name: "late results count", edges: [nil, nil], late: [1: 20], entered: 1, crossings: 0),
  ])
  func `objects are counted where they were detected`(row: Row) throws {
    let counts = try #require(self.counts(row.edges, late: row.late))
    #expect(counts.zones[0].entered["person", default: 0] == row.entered)
    #expect(counts.lines[0].toLeft["person", default: 0] == row.crossings)
    #expect(counts.lines[0].toRight["person"] == nil)
  }

  @Test func `in single images nothing is counted`() {
    #expect(counts([20, 24], mode: .singleImage) == nil)
  }

  @Test func `without regions there are no counts`() {
    #expect(CountedRegions().isEmpty && !Self.regions.isEmpty)
  }
}
