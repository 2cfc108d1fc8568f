import Dispatch
import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport
import VStreamTracking

@testable import VStreamPipeline

/// Which faces are saved, when, and under which names.
struct FaceRecorderTests {
  private let outside: TemporaryFolder
  private let folder: ImageFolder

  init() throws {
    outside = try TemporaryFolder()
    folder = ImageFolder(
      outside.file("faces"), prefix: "face-", index: "faces.csv", format: .png, overwrites: false)
  }

  private static let size = PixelSize(width: 160, height: 120)

  /// A frame of noise, which is equally sharp everywhere.
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
    return FrameAnnotations(frame: index, time: time, source: source, found: Detections(faces: faces))
  }

  /// The ID, frame and width of each image.
  private func listed(_ images: [FaceImage]) -> [[Int]] {
    images.map { [$0.number, $0.frame, $0.image.size.width] }
  }

  /// The index's lines below its heading, each as its first three fields.
  private func index() throws -> [String] {
    let lines = try String(contentsOfFile: folder.indexPath, encoding: .utf8).split(separator: "\n")
    return lines.dropFirst().map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).prefix(3).joined(separator: ",")
    }
  }

  @Test func `the best image of each ID is selected when its track ends, and the rest at the end`() throws {
    var selector = FaceSelector(mode: .stream)
    let frame = try frame()
    let first = annotations(0, [face(1, side: 30), face(2, side: 40)])
    #expect(try selector.select(from: frame, first, ended: []).isEmpty)
    let second = annotations(1, [face(1, side: 50), face(2, side: 35)])
    #expect(try selector.select(from: frame, second, ended: []).isEmpty)
    let third = annotations(2, [face(2, side: 38)])
    #expect(try listed(selector.select(from: frame, third, ended: [1, 99])) == [[1, 1, 80]])
    #expect(try selector.select(from: frame, annotations(3, [face(3, side: 20)]), ended: []).isEmpty)
    #expect(listed(selector.finish()) == [[2, 0, 64], [3, 3, 32]])
    #expect(selector.finish().isEmpty)
  }

  @Test func `a face that is predicted, has no ID or is outside the frame is not selected`() throws {
    var selector = FaceSelector(mode: .stream)
    let frame = try frame()
    let predicted = annotations(0, [face(1, side: 90)], source: .predicted)
    _ = try selector.select(from: frame, predicted, ended: [])
    let others = annotations(1, [face(nil, side: 90), face(2, x: 500, side: 20)])
    _ = try selector.select(from: frame, others, ended: [])
    _ = try selector.select(from: frame, annotations(2, [face(1, side: 30)]), ended: [])
    #expect(listed(selector.finish()) == [[1, 2, 48]])
  }

  @Test func `of single images every face is selected at once, by falling score`() throws {
    var selector = FaceSelector(mode: .singleImage)
    let frame = try frame()
    let two = annotations(0, [face(nil, side: 30, score: 0.6), face(nil, side: 20, score: 0.9)])
    #expect(try listed(selector.select(from: frame, two, ended: [])) == [[1, 0, 32], [2, 0, 48]])
    #expect(try selector.select(from: frame, annotations(1, []), ended: []).isEmpty)
    #expect(try listed(selector.select(from: frame, annotations(2, [face(nil, side: 40)]), ended: [])) == [[3, 2, 64]])
    #expect(selector.finish().isEmpty)
  }

  /// Runs a recorder and its writer thread to their end.
  private func record(
    _ state: RunState = RunState(), _ body: (inout FaceRecorder) throws -> Void
  ) throws {
    let threads = ThreadGroup()
    var recorder = FaceRecorder(folder, mode: .stream, threads: threads, state: state)
    state.contents.update { $0.isOutputOpen = true }
    try body(&recorder)
    try recorder.finish()
    #expect(threads.wait(until: .distantFuture))
  }

  @Test func `images are written in the order in which they are selected`() throws {
    let frame = try frame()
    try record { recorder in
      try recorder.add(frame, annotations(0, [face(1, side: 30), face(2, side: 40)]), ended: [])
      try recorder.add(frame, annotations(1, [face(3, side: 20)]), ended: [2])
    }
    #expect(try index() == ["face-0002.png,2,0", "face-0001.png,1,0", "face-0003.png,3,1"])
    #expect(try Probe(folder.imagePath(2)).video?.width == 64)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["face-0001.png", "face-0002.png", "face-0003.png", "faces.csv"])
  }

  @Test func `more images than the queue holds are all written`() throws {
    let frame = try frame()
    try record { recorder in
      for id in 1...80 { try recorder.add(frame, annotations(id, [face(id, side: 20)]), ended: [id - 1]) }
    }
    #expect(try index().count == 80)
  }

  @Test func `no folder is created before the output is open`() throws {
    let threads = ThreadGroup()
    let state = RunState()
    var recorder = FaceRecorder(folder, mode: .stream, threads: threads, state: state)
    try recorder.add(try frame(), annotations(0, [face(1, side: 30)]), ended: [])
    try recorder.add(try frame(), annotations(1, []), ended: [1])
    #expect(outside.names == [])
    state.contents.update { $0.isOutputOpen = true }
    try recorder.finish()
    #expect(threads.wait(until: .distantFuture))
    #expect(try index() == ["face-0001.png,1,0"])
  }

  @Test func `without a frame no folder is created`() throws {
    try record { _ in }
    #expect(outside.names == [])
  }

  @Test func `without a face the folder has an empty index`() throws {
    let frame = try frame()
    try record { try $0.add(frame, annotations(0, []), ended: []) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["faces.csv"])
  }

  @Test func `a folder that cannot be created is an error before the first frame is released`() throws {
    try Data().write(to: URL(fileURLWithPath: folder.path))
    let frame = try frame()
    let error = #expect(throws: VStreamError.self) {
      try record { try $0.add(frame, annotations(0, []), ended: []) }
    }
    #expect(error?.code == .cannotCreateOutput || error?.code == .inputOutput)
  }

  @Test func `a file that cannot be written ends the run with an error that names it`() throws {
    let state = RunState()
    let frame = try frame()
    try record(state) { recorder in
      try recorder.add(frame, annotations(0, [face(1, side: 30)]), ended: [])
      try FileManager.default.removeItem(atPath: folder.path)
    }
    #expect(state.isStopping)
    #expect(state.contents.read { $0.error }?.message.contains("face-0001.png") == true)
  }
}
