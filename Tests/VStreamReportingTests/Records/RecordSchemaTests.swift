import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamReporting

struct RecordSchemaTests {
  private let schema: JSONSchema
  private let root: JSONValue

  init() throws {
    schema = try JSONSchema(RecordSchema.text)
    root = try JSONValue(json: RecordSchema.text)
  }

  /// A value of the schema, by its path.
  private func value(_ path: String...) -> JSONValue? { path.reduce(root) { $0?[$1] } }

  private func names(_ value: JSONValue?) -> Set<String> { Set(value?.list?.compactMap(\.text) ?? []) }

  @Test func `the scene's lines are valid, with events, counts, late detections and the geometry of zones`() throws {
    var header = RecordScene.header
    header.zones = [.init(name: "door", points: [Point(x: 0, y: 0), Point(x: 9, y: 0), Point(x: 0, y: 9)])]
    header.lines = [.init(name: "gate", points: [Point(x: 0, y: 5), Point(x: 9, y: 5)])]
    header.options.append(("recordDetections", .flag(true)))
    var zone = RegionCounts.InZone(name: "door")
    zone.inside = ["person": 1]
    zone.dwellSeconds = ["person": 0.4]
    let counts = RegionCounts(zones: [zone], lines: [RegionCounts.AcrossLine(name: "gate")])
    var record = RecordScene.frames[0]
    record.counts = counts
    record.detections = Detections(objects: [RecordScene.quoted])
    record.late = [TimedObservations(time: Time(ticks: 40, base: .milliseconds), found: Detections(faces: []))]
    let exit = TrackEvent(kind: .exit, id: 7, classIndex: 2, label: "car", time: 1.12)
    let text = try RecordScene.text(".jsonl", header: header, [record], events: [exit], counts: counts)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 6)
    for line in lines { #expect(try schema.errors(in: JSONValue(json: line)) == [], "\(line)") }
  }

  @Test func `it lists the values that the program knows`() {
    #expect(
      names(value("$defs", "event", "properties", "event", "enum")) == [
        "enter", "confirm", "lost", "recovered", "exit",
      ])
    let landmarks = value("$defs", "pose", "properties", "landmarks", "items", "properties", "type", "enum")
    #expect(names(landmarks) == Set(PoseLandmark.Kind.allCases.map(\.rawValue)))
    let points = value("$defs", "face", "properties", "landmarks", "properties")?.members ?? [:]
    #expect(Set(points.keys) == Set(FaceLandmark.Kind.allCases.map(\.rawValue)))
    let contours = value("$defs", "face", "properties", "contours", "properties")?.members ?? [:]
    #expect(Set(contours.keys) == Set(FaceContour.Kind.allCases.map(\.rawValue)))
    #expect(
      names(value("$defs", "header", "properties", "options", "properties", "detect", "items", "enum"))
        == Set(DetectionKind.allCases.map(\.rawValue)))
  }
}
