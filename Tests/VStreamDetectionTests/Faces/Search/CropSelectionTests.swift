import Testing
import VStreamMedia
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// Which crops of a stream's frames are searched for new faces.
struct CropSelectionTests {
  private static let pyramid = FacePyramid(minFaceSize: 0.03)

  /// How often each crop is searched in frames 1 to 19 of a grey film of 25 frames a second, on which boxes are drawn.
  private func searches(_ boxes: String = "null", doubtful: [FaceCandidate] = []) throws -> [Int] {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x480:rate=25,\(boxes)", "-frames:v", "20", "-c:v", "ffv1",
      folder.file("boxes.mkv"),
    ])
    let frames = try SampleFrames.read(path: folder.file("boxes.mkv"), at: Array(0..<20))
    var selection = CropSelection(FaceDetectorOptions())
    let searched = try frames.map { frame in
      try selection.crops(of: Self.pyramid.crops(of: frame.size), in: frame, doubtful: doubtful)
    }
    return Self.pyramid.crops(of: frames[0].size).map { crop in searched.dropFirst().count { $0.contains(crop) } }
  }

  private static let face = FaceCandidate(
    score: 0.4, box: Box(x: 20, y: 20, width: 30, height: 30),
    keypoints: [Point](repeating: Point(x: 35, y: 35), count: 6))

  @Test func `crops without any change are not searched`() throws {
    #expect(try searches().dropFirst().allSatisfy { $0 == 0 })
  }

  @Test func `the crop that shows what may be a face is searched in its turn`() throws {
    let counts = try searches(doubtful: [Self.face])
    #expect(counts[1] == 4 && counts.dropFirst(2).allSatisfy { $0 == 0 }, "\(counts)")
  }

  @Test func `the crop whose core shows motion is searched in its turn, and no other`() throws {
    let counts = try searches(
      "null[grey];color=black:size=40x40:rate=25[box];[grey][box]overlay=x='20+2*n':y=20")
    #expect(counts[1] >= 3 && counts.dropFirst(2).allSatisfy { $0 == 0 }, "\(counts)")
  }
}
