import Foundation
import Testing
import VStreamCore
import VStreamInference
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

/// The face models, compiled once for all tests.
enum SharedFaceModels {
  private static let fast = Result { try load(.fast) }
  private static let accurate = Result { try load(.accurate) }

  private static func load(_ mode: FaceDetectorOptions.PerformanceMode) throws -> FaceModels {
    var options = FaceDetectorOptions()
    options.performanceMode = mode
    options.classificationMode = .all
    return try FaceModels(
      for: options, configuration: ModelConfiguration(threads: 1, precision: .float32, usesCache: false))
  }

  static func detector(_ change: (inout FaceDetectorOptions) -> Void = { _ in }) throws -> FaceDetectionStage {
    var options = FaceDetectorOptions()
    change(&options)
    return try FaceDetectionStage(try (options.performanceMode == .fast ? fast : accurate).get(), options: options)
  }
}

/// Images derived from the astronaut's portrait, whose face lies at 181,76 and is 89 wide and 103 high.
enum Portrait {
  static let path = Checkout.root.appending(path: ".deps/footage/astronaut.png").path

  /// The portrait after filters of FFmpeg.
  static func frame(_ filters: String) throws -> VideoFrame {
    let folder = try TemporaryFolder()
    let file = folder.file("image.png")
    try Program.ffmpeg(["-i", path, "-filter_complex", filters, "-frames:v", "1", file])
    return try first(of: file)
  }

  private static func first(of path: String) throws -> VideoFrame {
    let media = try MediaReader(MediaInput(path))
    let decoder = try VideoDecoder(media.video)
    while case .packet(let packet) = try media.next() {
      if let frame = try decoder.decode(packet).frames.first { return frame }
    }
    return try #require(try decoder.decode(nil).frames.first)
  }
}

/// Single images.
struct FaceDetectionStageTests {
  private func faces(
    _ filters: String, _ change: (inout FaceDetectorOptions) -> Void = { _ in }
  ) throws -> [DetectedFace] {
    var detector = try SharedFaceModels.detector {
      $0.detectorMode = .singleImage
      change(&$0)
    }
    return try detector.faces(in: try Portrait.frame(filters), timer: NoTimer())
  }

  @Test(arguments: FaceDetectorOptions.PerformanceMode.allCases)
  func `the portrait's face is detected with all its parts`(mode: FaceDetectorOptions.PerformanceMode) throws {
    let found = try faces("null") {
      $0.performanceMode = mode
      $0.landmarkMode = .all
      $0.contourMode = .all
      $0.classificationMode = .all
    }
    #expect(found.count == 1)
    let face = try #require(found.first)
    #expect(face.score > 0.8)
    #expect(face.box.iou(Box(x: 178, y: 82, width: 96, height: 96)) > 0.7, "\(face.box)")
    // Pixels of the portrait, measured by eye.
    let positions: [(FaceLandmark.Kind, Double, Double)] = [
      (.rightEye, 204, 101), (.leftEye, 247, 104), (.noseBase, 223, 134), (.mouthRight, 202, 139),
      (.mouthLeft, 246, 143), (.mouthBottom, 223, 155),
    ]
    for (kind, x, y) in positions {
      let position = try #require(face.position(of: kind))
      #expect(abs(position.x - x) < 6 && abs(position.y - y) < 6, "\(kind) at \(position)")
    }
    #expect(face.landmarks?.map(\.kind) == FaceLandmark.Kind.allCases)
    #expect(face.contours?.map { $0.points.count } == FaceContour.Kind.allCases.map(\.pointCount))
    for value in [face.smiling, face.leftEyeOpen, face.rightEyeOpen] { #expect((value ?? 0) > 0.9) }
    let angles = try #require(face.angles)
    #expect(max(abs(angles.x), abs(angles.y), abs(angles.z)) < 8, "\(angles)")
  }

  @Test func `parts that are not requested are nil`() throws {
    let face = try #require(try faces("null").first)
    #expect(face.id == nil && face.landmarks == nil && face.contours == nil && face.smiling == nil)
    #expect(face.leftEyeOpen == nil && face.rightEyeOpen == nil)
    #expect(face.angles != nil)
  }

  /// Without a mesh the box is the detector's; with one it is the same.
  @Test(arguments: DetectionMode.allCases)
  func `boxes are the same with and without a mesh`(mode: DetectionMode) throws {
    let whole = try #require(try faces("null") { $0.detectorMode = mode }.first)
    let found = try faces("null") {
      $0.detectorMode = mode
      $0.angleMode = .none
    }
    #expect(found.count == 1)
    let face = try #require(found.first)
    #expect(face.angles == nil)
    #expect(face.score == whole.score)
    #expect(face.box.iou(whole.box) > 0.999, "\(face.box), with a mesh \(whole.box)")
  }

  /// The portrait rotated in its plane; the face's own tilt is that of the upright image.
  @Test(arguments: Array(stride(from: -45.0, through: 45, by: 7.5)))
  func `the angle Z changes with the image's rotation`(degrees: Double) throws {
    let rotated = "crop=300:300:76:0,rotate=\(-degrees)*PI/180:fillcolor=gray:bilinear=1"
    let found = try faces(rotated)
    if abs(degrees) <= 30 { #expect(found.count == 1) }
    let own = try #require(try faces("crop=300:300:76:0").first?.angles)
    for angles in found.compactMap(\.angles) {
      #expect(abs(angles.z - own.z - degrees) < 4, "\(angles.z) at \(degrees)")
    }
  }

  @Test(arguments: ["crop=150:150:0:0", "boxblur=90,noise=alls=40", "drawbox=color=gray:thickness=fill"])
  func `nothing is detected where there is no face`(filters: String) throws {
    for mode in FaceDetectorOptions.PerformanceMode.allCases {
      let found = try faces(filters) { $0.performanceMode = mode }
      #expect(found.isEmpty, "\(mode)")
    }
  }

  struct Half: Sendable, CustomTestStringConvertible {
    let name: String
    let crop: String
    var testDescription: String { name }
  }

  static let halves = [
    Half(name: "left", crop: "crop=287:400:225:0"), Half(name: "right", crop: "crop=225:400:0:0"),
    Half(name: "top", crop: "crop=512:385:0:127"), Half(name: "bottom", crop: "crop=512:127:0:0"),
  ]

  @Test(arguments: halves) func `half a face at an edge is one face at most, near that edge`(half: Half) throws {
    for mode in FaceDetectorOptions.PerformanceMode.allCases {
      let frame = try Portrait.frame(half.crop)
      var detector = try SharedFaceModels.detector {
        $0.performanceMode = mode
        $0.contourMode = .all
      }
      let found = try detector.faces(in: frame, timer: NoTimer())
      #expect(found.count <= 1)
      for face in found {
        #expect(face.box.clipped(to: frame.size) != nil)
        #expect(face.box.width < 160 && face.box.height < 160)
        #expect(face.contours?.allSatisfy { $0.points.allSatisfy { $0.x.isFinite && $0.y.isFinite } } ?? true)
      }
    }
  }

  @Test func `a face of eight pixels is detected or not, and no other is`() throws {
    let found = try faces("scale=46:46,pad=640:480:300:200:gray") {
      $0.performanceMode = .accurate
      $0.minFaceSize = 0.0125
    }
    #expect(found.count <= 1)
    for face in found { #expect(face.box.iou(Box(x: 314, y: 205, width: 12, height: 12)) > 0.1, "\(face.box)") }
  }

  @Test(arguments: FaceDetectorOptions.PerformanceMode.allCases)
  func `a face as large as the frame is detected`(mode: FaceDetectorOptions.PerformanceMode) throws {
    let found = try faces("crop=110:120:170:70,scale=550:600") { $0.performanceMode = mode }
    #expect(found.count == 1)
    #expect((found.first?.box.width ?? 0) > 250)
  }

  @Test func `a hundred faces are all detected`() throws {
    let found = try faces("crop=220:220:116:10,scale=108:108,loop=99:1,tile=10x10:margin=20") {
      $0.performanceMode = .accurate
      $0.minFaceSize = 0.02
    }
    #expect(found.count == 100)
    let cells = Set(found.map { Int(($0.box.center.x - 20) / 108) + 10 * Int(($0.box.center.y - 20) / 108) })
    #expect(cells.count == 100, "one in each cell")
  }

  /// 20 pixels of a 1080p frame.
  @Test func `small faces are detected if the minimum size is small`() throws {
    let filters = "scale=107:107,pad=1920:1080:1200:600:gray"
    #expect(try faces(filters).isEmpty, "too small for one pass")
    let found = try faces(filters) {
      $0.performanceMode = .accurate
      $0.minFaceSize = 20.0 / 1920
    }
    #expect(found.count == 1)
    #expect(found.first?.box.iou(Box(x: 1237, y: 617, width: 20, height: 20)) ?? 0 > 0.4, "\(found.map(\.box))")
  }

  @Test func `another model is refused`() throws {
    let model = try Model(
      path: try ModelCatalogue.iris.requirePath(), configuration: ModelConfiguration(threads: 1, usesCache: false))
    let error = #expect(throws: VStreamError.self) { try FaceMeshNetwork(model) }
    #expect(error?.code == .missingDependency)
    #expect(error?.message.contains("is not the face mesh: its shapes are [[1, 64, 64, 3]") == true)
  }
}

/// Faces tracked through clips.
struct FaceStreamTests {
  private func track(
    _ clip: String, _ frames: [Int], timer: any StepTimer = NoTimer(),
    _ change: (inout FaceDetectorOptions) -> Void = { _ in }
  ) throws -> [[DetectedFace]] {
    var detector = try SharedFaceModels.detector(change)
    return try SampleFrames.read(clip, at: frames).map { try detector.faces(in: $0, timer: timer) }
  }

  /// 31 frames are just over a second: a mesh pass each, one more on the first, and one where the face moves out of its crop; a
  /// detector pass on the first and then every sixth.
  @Test func `the detector runs every fifth of a second, the mesh on every frame`() throws {
    let timer = CountingTimer()
    let found = try track("face-panning.mp4", Array(0..<31), timer: timer)
    #expect(found.allSatisfy { $0.count == 1 })
    let runs = timer.steps.filter { $0 == "inferring" }.count
    #expect(runs == 31 + 2 + 6, "\(runs)")
  }

  @Test func `while there is no face, the detector runs on every fifth frame at most`() throws {
    let timer = CountingTimer()
    #expect(try track("shapes-crossing.mp4", Array(0..<21), timer: timer).allSatisfy(\.isEmpty))
    #expect(timer.steps.filter { $0 == "inferring" }.count == 5)
  }

  /// The truth is the box from hairline to chin; the detector's is smaller, with a constant offset.
  @Test func `a moving face is tracked without lag`() throws {
    let frames = Array(0..<60)
    let truth = try String(contentsOfFile: Checkout.sample("face-panning.txt"), encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: ",").compactMap { Double($0) } }
    let found = try track("face-panning.mp4", frames)
    var offsets: [Point] = []
    for (index, faces) in found.enumerated() {
      let face = try #require(faces.first)
      let box = Box(x: truth[index][1], y: truth[index][2], width: truth[index][3], height: truth[index][4])
      offsets.append(Point(x: face.box.center.x - box.center.x, y: face.box.center.y - box.center.y))
      #expect(face.box.iou(box) > 0.55, "frame \(index)")
    }
    let (x, y) = (offsets.map(\.x).sorted(), offsets.map(\.y).sorted())
    #expect((x.last ?? 0) - (x.first ?? 0) < 8 && (y.last ?? 0) - (y.first ?? 0) < 8, "always at the same offset")
  }

  @Test func `smoothing reduces jitter and keeps the position`() throws {
    func noses(_ isSmoothed: Bool) throws -> [Point] {
      try track("face.mp4", Array(0..<40)) {
        $0.isSmoothed = isSmoothed
        $0.landmarkMode = .all
      }.compactMap { $0.first?.position(of: .noseBase) }
    }
    let (raw, smoothed) = (try noses(false), try noses(true))
    #expect(raw.count == 40 && smoothed.count == 40)
    for (one, other) in zip(raw, smoothed) { #expect(abs(one.x - other.x) < 1.5 && abs(one.y - other.y) < 1.5) }
    func jitter(_ points: [Point]) -> Double {
      var sum = 0.0
      for index in 2..<points.count {
        let (before, now, after) = (points[index - 2].x, points[index - 1].x, points[index].x)
        sum += abs(after - 2 * now + before)
      }
      return sum
    }
    #expect(jitter(smoothed) < jitter(raw))
  }

  @Test func `a closed eye is distinguished from an open one`() throws {
    // The man blinks on frame 228, and his eyes are wide open on frame 210.
    let found = try track("animation.avi", [210, 228]) { $0.classificationMode = .all }
    let (open, closed) = (try #require(found[0].first), try #require(found[1].first))
    #expect((open.leftEyeOpen ?? 0) > 0.9 && (open.rightEyeOpen ?? 0) > 0.9)
    #expect((closed.leftEyeOpen ?? 1) < 0.2 && (closed.rightEyeOpen ?? 1) < 0.2)
  }

  @Test func `the same frames give the same faces`() throws {
    let one = try track("face.mp4", Array(0..<12)) { $0.contourMode = .all }
    let other = try track("face.mp4", Array(0..<12)) { $0.contourMode = .all }
    #expect(one == other)
  }
}
