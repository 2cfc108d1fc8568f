import Testing
import VStreamCore
import VStreamTracking

@testable import VStreamPipeline

/// What is covered, by what is known.
struct CoverageStepTests {
  private static let size = PixelSize(width: 64, height: 48)
  private static let corners = [(0.0, 0.0), (64, 0), (0, 48), (64, 48)].map { Point(x: $0.0, y: $0.1) }

  private func step(_ labels: Set<String>, mode: DetectionMode = .stream) -> CoverageStep {
    CoverageStep(
      labels: labels, mode: mode,
      kinds: [.objects: TrackerOptions(), .faces: TrackerOptions(), .poses: TrackerOptions()])
  }

  private static let found = Detections(
    objects: [
      DetectedObject(classIndex: 0, label: "Person", score: 0.9, box: Box(x: 4, y: 4, width: 8, height: 8)),
      DetectedObject(classIndex: 2, label: "car", score: 0.9, box: Box(x: 24, y: 20, width: 8, height: 8)),
    ],
    faces: [DetectedFace(score: 0.9, box: Box(x: 44, y: 30, width: 8, height: 8))],
    poses: [DetectedPose(score: 0.9, box: Box(x: 24, y: 4, width: 8, height: 8), landmarks: [])])

  private func isWhole(_ regions: [CoveredRegion]) -> Bool {
    Self.corners.allSatisfy { corner in regions.contains { $0.ellipse.contains(corner) } }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let labels: Set<String>
    /// Left edges of the boxes that are covered.
    let covered: [Double]
    var testDescription: String { name }
  }

  @Test(arguments: [
    Row(name: "people, whatever the label's case", labels: ["person"], covered: [4]),
    Row(name: "faces, and the heads of persons without one", labels: ["faces"], covered: [5.2, 44]),
    Row(name: "people and faces", labels: ["person", "faces"], covered: [4, 44]),
    Row(name: "a class that is not there", labels: ["dog"], covered: []),
  ])
  func `detections are covered by their labels`(row: Row) {
    var step = step(row.labels)
    let regions = step.cover(ResolvedDetections(found: Self.found), in: Self.size, at: 0)
    #expect(regions.map(\.box.x).sorted() == row.covered)
  }

  @Test(arguments: [
    ("in the head", 7.0, 5.0, 0.9, 1), ("below it", 7, 9, 0.9, 2), ("beside it", 20, 5, 0.9, 2),
    ("too weak to be covered", 7, 5, 0.4, 1),
  ])
  func `the head of a person with a face is not covered again`(
    name: String, x: Double, y: Double, score: Double, count: Int
  ) {
    var step = step(["faces"])
    let person = DetectedObject(classIndex: 0, label: "person", score: 0.9, box: Box(x: 4, y: 4, width: 8, height: 16))
    let face = DetectedFace(score: score, box: Box(x: x, y: y, width: 2, height: 2))
    let found = Detections(objects: [person], faces: [face])
    #expect(
      step.cover(ResolvedDetections(found: found), in: Self.size, at: 0).count { $0.box.width > 2 || score > 0.5 }
        == count, "\(name)")
  }

  /// IDs of each kind begin with 1, and what lies between two observations of one ID is covered.
  @Test func `a person and a face are not taken for one subject`() {
    var step = step(["person", "faces", "poses"])
    var ids: Set<Int> = []
    for frame in 0..<3 {
      let regions = step.cover(ResolvedDetections(found: Self.found), in: Self.size, at: Double(frame) / 25)
      ids.formUnion(regions.compactMap(\.id))
      #expect(Set(regions.compactMap(\.id)).count == regions.count)
    }
    let predicted = step.cover(ResolvedDetections(), in: Self.size, at: 0.12)
    #expect(Set(predicted.compactMap(\.id)) == ids)
  }

  @Test func `the whole frame is covered until the first result`() {
    var step = step(["person"])
    #expect(isWhole(step.cover(ResolvedDetections(), in: Self.size, at: 0)))
    #expect(isWhole(step.cover(ResolvedDetections(), in: Self.size, at: 0.1)))
    #expect(step.cover(ResolvedDetections(found: Detections(objects: [])), in: Self.size, at: 0.2).isEmpty)
    #expect(step.cover(ResolvedDetections(), in: Self.size, at: 0.3).isEmpty, "predicted from then on")
  }

  @Test func `in a new shot the whole frame is covered until its first result, and what was covered before stays so`() {
    var step = step(["faces", "person"])
    func resolution(_ found: Detections?, shot: Int) -> ResolvedDetections {
      var found = found
      found?.shot = shot
      var resolution = ResolvedDetections(found: found)
      resolution.shot = shot
      return resolution
    }
    _ = step.cover(resolution(Self.found, shot: 0), in: Self.size, at: 0)
    #expect(!isWhole(step.cover(resolution(nil, shot: 0), in: Self.size, at: 0.04)))
    #expect(isWhole(step.cover(resolution(nil, shot: 1), in: Self.size, at: 0.08)))
    let empty = Detections(objects: [], faces: [], poses: [])
    #expect(step.cover(resolution(empty, shot: 1), in: Self.size, at: 0.12).isEmpty)
    let face = Self.found.faces?.first?.box.center ?? Point(x: -1, y: -1)
    #expect(step.left(at: 0.12).contains { $0.ellipse.contains(face) })
    #expect(step.left(at: 0.5).isEmpty)
    #expect(!isWhole(step.cover(resolution(nil, shot: 1), in: Self.size, at: 0.16)))
  }

  @Test func `a late result is the first result as well`() {
    var step = step(["person"])
    let late = TimedObservations(time: Time(ticks: 0, base: .milliseconds), found: Self.found)
    let regions = step.cover(ResolvedDetections(late: [late]), in: Self.size, at: 0.1)
    #expect(!isWhole(regions) && regions.contains { $0.ellipse.contains(Point(x: 8, y: 8)) })
  }

  @Test func `a subject that is not detected any more stays covered where it may be`() {
    var step = step(["person"])
    _ = step.cover(ResolvedDetections(found: Self.found), in: Self.size, at: 0)
    let regions = step.cover(ResolvedDetections(found: Detections(objects: [])), in: Self.size, at: 0.1)
    #expect(regions.contains { $0.ellipse.contains(Point(x: 8, y: 8)) })
  }

  @Test func `subjects of different images have no IDs, by which they would be taken for one`() {
    var step = step(["person"], mode: .singleImage)
    for _ in 0..<2 {
      let regions = step.cover(ResolvedDetections(found: Self.found), in: Self.size, at: 0)
      #expect(regions.map(\.id) == [nil])
    }
  }

  @Test func `in single images a subject is covered in its own image only`() {
    var step = step(["person"], mode: .singleImage)
    #expect(step.cover(ResolvedDetections(found: Self.found), in: Self.size, at: 0).count == 1)
    #expect(step.cover(ResolvedDetections(found: Detections(objects: [])), in: Self.size, at: 0).isEmpty)
  }
}
