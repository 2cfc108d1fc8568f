import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

/// The search of redaction: what a face detector overlooks in the plain frame.
struct RedactionSearchTests {
  private func detector(_ change: (inout FaceDetectorOptions) -> Void = { _ in }) throws -> FaceDetectionStage {
    try SharedFaceModels.detector {
      $0.performanceMode = .accurate
      $0.angleMode = .none
      $0.search(for: .redaction)
      change(&$0)
    }
  }

  /// Frames of a face on grey.
  ///
  /// - Parameters:
  ///   - width: of the face, whose centre is at 225,127 of the portrait's 512 pixels, and which is 89 of them wide.
  ///   - center: of the face, in pixels of the frame.
  ///   - shown: the frames with the face, as a condition of FFmpeg's filters.
  ///   - film: FFmpeg's filters for the whole.
  private func frames(
    width: Double, at center: Point, count: Int, shown: String = "1", film: String = "noise=alls=6:allf=t"
  ) throws -> [VideoFrame] {
    let folder = try TemporaryFolder()
    let side = 512 * width / 89
    let corner = Point(x: center.x - side * 225 / 512, y: center.y - side * 127 / 512)
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x480:rate=25", "-loop", "1", "-i", Portrait.path, "-filter_complex",
      "[1]scale=\(Int(side)):\(Int(side))[face];"
        + "[0][face]overlay=x=\(Int(corner.x)):y=\(Int(corner.y)):enable='\(shown)':shortest=0,\(film)",
      "-frames:v", "\(count)", "-c:v", "ffv1", folder.file("face.mkv"),
    ])
    return try SampleFrames.read(path: folder.file("face.mkv"), at: Array(0..<count))
  }

  struct Edge: CustomTestStringConvertible, Sendable {
    let name: String
    /// The face's centre, if this many pixels of its half are beyond the edge.
    let center: @Sendable (Double) -> Point
    var testDescription: String { name }
  }

  static let edges = [
    Edge(name: "left") { Point(x: $0, y: 200) },
    Edge(name: "right") { Point(x: 640 - $0, y: 200) },
    Edge(name: "top") { Point(x: 300, y: 1.3 * $0) },
    Edge(name: "bottom") { Point(x: 300, y: 480 - $0) },
  ]

  @Test(arguments: edges, [40.0, 140])
  func `a face that the frame's edge cuts is detected on every frame`(edge: Edge, width: Double) throws {
    // Six tenths are in the frame.
    let center = edge.center(0.1 * width)
    var detector = try detector()
    for (index, frame) in try frames(width: width, at: center, count: 4).enumerated() {
      let faces = try detector.faces(in: frame, timer: NoTimer())
      let isFound = faces.contains {
        abs($0.box.center.x - center.x) < width / 2 && abs($0.box.center.y - center.y) < width / 2
      }
      #expect(isFound, "frame \(index): \(faces.map(\.box))")
    }
  }

  static let corners = [
    Edge(name: "top left") { Point(x: $0, y: 1.3 * $0) }, Edge(name: "top right") { Point(x: 640 - $0, y: 1.3 * $0) },
    Edge(name: "bottom left") { Point(x: $0, y: 480 - $0) },
    Edge(name: "bottom right") { Point(x: 640 - $0, y: 480 - $0) },
  ]

  /// Seven tenths of its width and height are in the frame: half of the face.
  @Test(arguments: corners, [60.0, 140]) func `a face in a corner is detected on every frame`(
    corner: Edge, width: Double
  )
    throws
  {
    let center = corner.center(0.2 * width)
    let frames = try frames(width: width, at: center, count: 3)
    var detector = try detector()
    for (index, frame) in frames.enumerated() {
      let faces = try detector.faces(in: frame, timer: NoTimer())
      let isFound = faces.contains {
        abs($0.box.center.x - center.x) < 0.4 * width && abs($0.box.center.y - center.y) < 0.4 * width
      }
      #expect(isFound, "frame \(index): \(faces.map(\.box))")
    }
  }

  @Test(arguments: [48.0, 100]) func `a face near the edge is detected once, and not in the mirror`(width: Double)
    throws
  {
    var detector = try detector()
    let center = Point(x: 640 - 0.6 * width, y: 200)
    for (index, frame) in try frames(width: width, at: center, count: 6).enumerated() {
      let faces = try detector.faces(in: frame, timer: NoTimer())
      #expect(faces.count == 1, "frame \(index): \(faces.map(\.box))")
    }
  }

  /// A face of 40 pixels, turned by the angle, from the first frame on.
  @Test(arguments: [90, 135, 180, 270])
  func `a head that is turned is detected within half a second, and then on every frame`(degrees: Int) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x480:rate=25", "-loop", "1", "-i", Portrait.path, "-filter_complex",
      "[1]crop=400:400:25:0,scale=180:180,rotate=\(degrees)*PI/180:fillcolor=gray[face];"
        + "[0][face]overlay=x=200:y=150:enable='gte(n,3)':shortest=0,noise=alls=6:allf=t",
      "-frames:v", "16", "-c:v", "ffv1", folder.file("face.mkv"),
    ])
    let frames = try SampleFrames.read(path: folder.file("face.mkv"), at: Array(0..<16))
    // The face's centre, 200,127 of the portrait's 400 pixels, around that at 200,200.
    let angle = Double(degrees) * .pi / 180
    let center = Point(x: 290 + 73 * 0.45 * sin(angle), y: 240 - 73 * 0.45 * cos(angle))
    var detector = try detector()
    for (index, frame) in frames.enumerated() {
      let faces = try detector.faces(in: frame, timer: NoTimer())
      guard index >= 3 + 11 else { continue }
      let isFound = faces.contains {
        abs($0.box.center.x - center.x) < 20 && abs($0.box.center.y - center.y) < 20
      }
      #expect(isFound, "frame \(index): \(faces.map(\.box))")
    }
  }

  /// What the search of redaction and its verification find in one image, each in its own way.
  @Test(arguments: [0, 90, 180, 270]) func `a verification finds the faces in another way`(degrees: Int) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-i", Portrait.path, "-vf",
      "crop=400:400:25:0,rotate=\(degrees)*PI/180,scale=200:200,pad=640:480:300:200:gray", folder.file("face.png"),
    ])
    let frame = try #require(try SampleFrames.read(path: folder.file("face.png"), at: [0]).first)
    var (one, other) = (
      try detector { $0.detectorMode = .singleImage },
      try detector {
        $0.detectorMode = .singleImage
        $0.search(for: .verification)
      }
    )
    let faces = try one.faces(in: frame, timer: NoTimer())
    let found = try other.faces(in: frame, timer: NoTimer())
    let face = try #require(faces.first)
    #expect(found.contains { $0.box.iou(face.box) > 0.5 && $0.box != face.box }, "\(faces), \(found)")
  }

  @Test(arguments: [24.0, 48]) func `a face on a single frame is detected on it`(width: Double) throws {
    for shown in [4, 6] {
      var detector = try detector()
      let frames = try frames(width: width, at: Point(x: 420, y: 300), count: shown + 1, shown: "eq(n,\(shown))")
      let found = try frames.map { try detector.faces(in: $0, timer: NoTimer()).count }
      #expect(found[shown] == 1, "\(found)")
    }
  }

  @Test(arguments: [27.0, 33]) func `a face in the grain of a film is detected`(width: Double) throws {
    var detector = try detector()
    let center = Point(x: 400, y: 250)
    let film = "eq=contrast=0.6:saturation=0,noise=c0s=40:c0f=t"
    let found = try frames(width: width, at: center, count: 6, film: film).map { frame in
      try detector.faces(in: frame, timer: NoTimer()).contains { $0.box.contains(center) }
    }
    #expect(found.contains(true), "\(found)")
  }

  @Test func `a face in grain is found`() throws {
    let center = Point(x: 400, y: 250)
    let frames = try frames(width: 33, at: center, count: 4, film: "eq=contrast=0.6:saturation=0,noise=c0s=40:c0f=t")
    var detector = try detector { $0.searchSeconds = 0 }
    let found = try frames.map { frame in
      try detector.faces(in: frame, timer: NoTimer()).contains { $0.box.contains(center) }
    }
    #expect(found.contains(true), "\(found)")
  }
}
