import Foundation
import Testing
import VStreamMedia
import VStreamScene
import VStreamTestSupport
import VStreamTracking

@testable import VStreamPipeline

/// Which faces are saved, when, and under which names.
struct FaceSaverTests {
  private let outside: TemporaryFolder
  private let folder: ImageFolder

  init() throws {
    outside = try TemporaryFolder()
    folder = ImageFolder(
      outside.file("faces"), prefix: "face-", index: "faces.csv", format: .png, overwrites: false)
  }

  private static let size = PixelSize(width: 160, height: 120)

  /// A frame of noise, so that all of it is equally sharp.
  private func frame() throws -> VideoFrame {
    var numbers = SeededNumbers(seed: 1)
    let rgb = (0..<Self.size.width * Self.size.height * 3).map { _ in UInt8(numbers.below(256)) }
    return try VideoFrame(rgb: rgb, size: Self.size)
  }

  private func face(_ id: Int?, x: Double = 20, side: Double, score: Double = 1) -> DetectedFace {
    var face = DetectedFace(id: id, score: score, box: Box(x: x, y: 20, width: side, height: side))
    face.angles = HeadAngles(x: 0, y: 0, z: 0)
    return face
  }

  private func annotations(
    _ index: Int, _ faces: [DetectedFace], source: AnnotationSource = .detected
  ) -> FrameAnnotations {
    let time = Time(ticks: Int64(index) * 40, base: .milliseconds)
    return FrameAnnotations(frame: index, time: time, source: source, found: Observations(faces: faces))
  }

  /// The table's lines below its heading, each as its first three fields.
  private func table() throws -> [String] {
    let lines = try String(contentsOfFile: folder.indexPath, encoding: .utf8).split(separator: "\n")
    return lines.dropFirst().map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).prefix(3).joined(separator: ",")
    }
  }

  @Test func `each ID's best picture is saved when it ends, and the rest at the end`() throws {
    var saver = FaceSaver(folder, mode: .stream)
    let frame = try frame()
    try saver.look(at: frame, annotations(0, [face(1, side: 30), face(2, side: 40)]))
    try saver.look(at: frame, annotations(1, [face(1, side: 50), face(2, side: 35)]))
    #expect(try table() == [])
    saver.end([1, 99])
    try saver.look(at: frame, annotations(2, [face(2, side: 38)]))
    #expect(try table() == ["face-0001.png,1,1"])
    #expect(try Probe(folder.imagePath(1)).video?.width == 80)
    try saver.look(at: frame, annotations(3, [face(3, side: 20)]))
    try saver.finish()
    try saver.finish()
    #expect(try table() == ["face-0001.png,1,1", "face-0002.png,2,0", "face-0003.png,3,3"])
    #expect(try Probe(folder.imagePath(2)).video?.width == 64)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["face-0001.png", "face-0002.png", "face-0003.png", "faces.csv"])
  }

  @Test func `a face is gone when its track ends, and is told once`() {
    var trackers = Trackers(TrackerOptions(lostAfter: 0.1), kinds: [.objects, .faces])
    var gone: [[Int]] = []
    for index in 0..<12 {
      let faces = index < 4 ? [face(nil, side: 50)] : []
      let object = DetectedObject(classIndex: 0, label: "face", score: 1, box: Box(x: 0, y: 0, width: 9, height: 9))
      let found = Observations(objects: index < 2 ? [object] : [], faces: faces)
      _ = trackers.update(found, at: Double(index) * 0.04)
      gone.append(trackers.endedFaces)
    }
    #expect(gone.flatMap { $0 } == [1])
    #expect(gone.prefix(4).allSatisfy { $0.isEmpty })
  }

  @Test func `a face that is predicted, without an ID or out of sight is not saved`() throws {
    var saver = FaceSaver(folder, mode: .stream)
    let frame = try frame()
    try saver.look(at: frame, annotations(0, [face(1, side: 90)], source: .predicted))
    try saver.look(at: frame, annotations(1, [face(nil, side: 90), face(2, x: 500, side: 20)]))
    try saver.look(at: frame, annotations(2, [face(1, side: 30)]))
    try saver.finish()
    #expect(try table() == ["face-0001.png,1,2"])
  }

  @Test func `of single images every face is saved, the best of each first`() throws {
    var saver = FaceSaver(folder, mode: .singleImage)
    let frame = try frame()
    try saver.look(at: frame, annotations(0, [face(nil, side: 30, score: 0.6), face(nil, side: 20, score: 0.9)]))
    try saver.look(at: frame, annotations(1, []))
    try saver.look(at: frame, annotations(2, [face(nil, side: 40)]))
    #expect(try table() == ["face-0001.png,,0", "face-0002.png,,0", "face-0003.png,,2"])
    #expect(try [1, 2, 3].map { try Probe(folder.imagePath($0)).video?.width } == [32, 48, 64])
    try saver.finish()
  }

  @Test func `without a frame nothing is made, without a face the table alone`() throws {
    var none = FaceSaver(folder, mode: .stream)
    try none.finish()
    #expect(outside.names == [])
    var empty = FaceSaver(folder, mode: .stream)
    try empty.look(at: try frame(), annotations(0, []))
    try empty.finish()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["faces.csv"])
  }

  @Test func `a folder that goes away is an error that names the file`() throws {
    var saver = FaceSaver(folder, mode: .stream)
    try saver.look(at: try frame(), annotations(0, [face(1, side: 30)]))
    try FileManager.default.removeItem(atPath: folder.path)
    let error = #expect(throws: VStreamError.self) { try saver.finish() }
    #expect(error?.message.contains("face-0001.png") == true)
  }
}
