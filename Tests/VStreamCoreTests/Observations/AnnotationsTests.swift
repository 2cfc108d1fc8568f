import Foundation
import Testing
import VStreamCore

/// Detections of one frame that come from several detection passes.
struct AnnotationsTests {
  private static let box = Box(x: 1, y: 2, width: 3, height: 4)
  private static let dog = DetectedObject(classIndex: 16, label: "dog", score: 0.9, box: box)
  private static let cat = DetectedObject(classIndex: 15, label: "cat", score: 0.8, box: box)
  private static let face = DetectedFace(score: 0.7, box: box)
  private static let pose = DetectedPose(score: 0.6, box: box, landmarks: [])

  struct MergeRow: CustomTestStringConvertible, Sendable {
    let name: String
    let first: Detections
    let second: Detections
    let merged: Detections
    var testDescription: String { name }
  }

  static let merges = [
    MergeRow(name: "nothing and nothing", first: Detections(), second: Detections(), merged: Detections()),
    MergeRow(
      name: "different kinds", first: Detections(objects: [dog]), second: Detections(faces: [face], poses: [pose]),
      merged: Detections(objects: [dog], faces: [face], poses: [pose])),
    MergeRow(
      name: "the same kind: the second pass replaces the first", first: Detections(objects: [dog, cat]),
      second: Detections(objects: [cat]), merged: Detections(objects: [cat])),
    MergeRow(
      name: "a second pass that detected nothing empties the list", first: Detections(faces: [face]),
      second: Detections(faces: []), merged: Detections(faces: [])),
    MergeRow(
      name: "a second pass without that kind keeps the list", first: Detections(poses: [pose]),
      second: Detections(objects: []), merged: Detections(objects: [], poses: [pose])),
  ]

  @Test(arguments: merges)
  func `a pass replaces the kinds that it detected`(row: MergeRow) {
    var found = row.first
    found.merge(row.second)
    #expect(found == row.merged)
  }

  @Test func `an undetected kind differs from one without observations`() {
    #expect(Detections() != Detections(objects: []))
    #expect(Detections()[DetectedObject.self] == nil)
    #expect(Detections(objects: [])[DetectedObject.self] == [])
  }

  @Test func `annotations are the same after coding and decoding`() throws {
    var tracked = Self.dog
    (tracked.id, tracked.category) = (7, CategoryLabel(.unknown, score: 0.4))
    let annotations = FrameAnnotations(
      frame: 12, time: Time(ticks: 480, base: .milliseconds), source: .predicted,
      found: Detections(objects: [tracked], faces: [], poses: nil))
    let decoded = try JSONDecoder().decode(FrameAnnotations.self, from: JSONEncoder().encode(annotations))
    #expect(decoded == annotations)
    #expect(decoded.found.poses == nil, "not an empty list")
  }

  @Test func `the words of records are stable`() {
    #expect([AnnotationSource.detected, .predicted].map(\.rawValue) == ["detected", "predicted"])
    #expect(DetectionKind.allCases.map(\.rawValue) == ["objects", "faces", "poses"])
    #expect(DetectionMode.allCases.map(\.rawValue) == ["stream", "single-image"])
    #expect(TrackEvent.Kind.allCases.map(\.rawValue) == ["enter", "confirm", "lost", "recovered", "exit"])
    let categories = ["fashion good", "food", "home good", "place", "plant", "unknown"]
    #expect(ObjectCategory.allCases.map(\.rawValue) == categories)
  }
}
