import Foundation
import Testing
import VStreamCore
import VStreamInference
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

/// The pose models, compiled once for all tests.
enum SharedPoseModels {
  private static let models = Result {
    try PoseModels(configuration: ModelConfiguration(threads: 1, precision: .float32, usesCache: false))
  }

  static func detector(_ change: (inout PoseDetectorOptions) -> Void = { _ in }) throws -> PoseDetectionStage {
    var options = PoseDetectorOptions()
    change(&options)
    return try PoseDetectionStage(try models.get(), options: options)
  }
}

/// Single images.
struct PoseDetectionStageTests {
  private func poses(
    _ filters: String, _ change: (inout PoseDetectorOptions) -> Void = { _ in }
  ) throws -> [DetectedPose] {
    var detector = try SharedPoseModels.detector {
      $0.detectorMode = .singleImage
      change(&$0)
    }
    return try detector.poses(in: try Portrait.frame(filters), timer: NoTimer())
  }

  @Test(arguments: PoseDetectorOptions.PerformanceMode.allCases)
  func `the portrait's pose is detected, with low likelihoods below the image's edge`(
    mode: PoseDetectorOptions.PerformanceMode
  ) throws {
    let found = try poses("null") { $0.performanceMode = mode }
    #expect(found.count == 1)
    let pose = try #require(found.first)
    #expect(pose.id == nil && pose.score > 0.8)
    #expect(pose.landmarks.map(\.kind) == PoseLandmark.Kind.allCases)
    // Pixels of the portrait, measured by eye.
    let positions: [(PoseLandmark.Kind, Double, Double, Double)] = [
      (.nose, 223, 128, 8), (.rightEye, 204, 102, 8), (.leftEye, 247, 105, 8), (.rightMouth, 206, 147, 8),
      (.leftMouth, 240, 151, 10), (.rightShoulder, 105, 240, 25), (.leftShoulder, 310, 255, 25),
    ]
    for (kind, x, y, tolerance) in positions {
      let landmark = try #require(pose[kind])
      let (position, likelihood) = (landmark.position, landmark.inFrameLikelihood)
      #expect(hypot(position.x - x, position.y - y) < tolerance, "\(kind) at \(position)")
      #expect(likelihood > 0.8, "\(kind)")
    }
    for kind in [PoseLandmark.Kind.leftKnee, .rightKnee, .leftAnkle, .rightAnkle, .leftHeel, .rightFootIndex] {
      let landmark = try #require(pose[kind])
      #expect(landmark.position.y > 512 && landmark.inFrameLikelihood < 0.1, "\(kind)")
    }
    #expect(abs((pose[.leftHip]?.z ?? 1) + (pose[.rightHip]?.z ?? 1)) < 1e-9, "depths count from the hips")
    #expect((pose[.nose]?.z ?? 0) < -50, "she leans forward")
    #expect(pose.box.clipped(to: PixelSize(width: 512, height: 512)) == pose.box)
  }

  /// A transformation of the portrait, and its inverse for positions.
  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    let filters: String
    var isMirrored = false
    let inverse: @Sendable (Point) -> Point
    var testDescription: String { name }
  }

  static let changes = [
    Change(name: "mirrored", filters: "hflip", isMirrored: true) { Point(x: 512 - $0.x, y: $0.y) },
    Change(name: "smaller", filters: "scale=256:256") { Point(x: 2 * $0.x, y: 2 * $0.y) },
    Change(name: "in a wide frame", filters: "scale=384:384,pad=900:400:500:10:gray") {
      Point(x: ($0.x - 500) / 0.75, y: ($0.y - 10) / 0.75)
    },
    Change(name: "rotated clockwise", filters: "rotate=15*PI/180:fillcolor=gray") { rotated($0, by: -15) },
    Change(name: "rotated counter-clockwise", filters: "rotate=-15*PI/180:fillcolor=gray") { rotated($0, by: 15) },
    Change(name: "of odd size", filters: "pad=513:515") { $0 },
  ]

  private static func rotated(_ point: Point, by degrees: Double) -> Point {
    let (x, y, angle) = (point.x - 256, point.y - 256, degrees * .pi / 180)
    return Point(x: 256 + x * cos(angle) - y * sin(angle), y: 256 + x * sin(angle) + y * cos(angle))
  }

  @Test(arguments: changes) func `landmarks move with the image`(change: Change) throws {
    let own = try #require(try poses("null").first)
    let pose = try #require(try poses(change.filters).first)
    var distances: [Double] = []
    for (index, landmark) in pose.landmarks.enumerated() {
      let other = own.landmarks[change.isMirrored ? BodyLandmarks.mirrored[index] : index]
      guard min(landmark.inFrameLikelihood, other.inFrameLikelihood) > 0.6 else { continue }
      let position = change.inverse(landmark.position)
      distances.append(hypot(position.x - other.position.x, position.y - other.position.y))
    }
    #expect(distances.count >= 11, "the head and the shoulders")
    #expect(distances.reduce(0, +) / Double(distances.count) < 8, "\(distances)")
  }

  @Test(arguments: ["crop=150:150:0:0", "boxblur=90,noise=alls=40", "drawbox=color=gray:thickness=fill", "crop=2:2"])
  func `nobody is detected where there is nobody`(filters: String) throws {
    for mode in PoseDetectorOptions.PerformanceMode.allCases {
      let found = try poses(filters) {
        $0.performanceMode = mode
        $0.maxPoses = 5
      }
      #expect(found.isEmpty, "\(mode)")
    }
  }

  private static let threePeople = "scale=320:320,split=3[a][b][c];[b]hflip[d];[a][d][c]hstack=3"

  @Test(arguments: [(1, 1), (2, 2), (3, 3), (8, 3)])
  func `at most the requested number of people are detected, best first`(wanted: Int, expected: Int) throws {
    let found = try poses(Self.threePeople) { $0.maxPoses = wanted }
    #expect(found.count == expected)
    #expect(Set(found.map { Int(($0[.nose]?.position.x ?? 0) / 320) }).count == expected)
    #expect(found.map(\.score) == found.map(\.score).sorted(by: >))
  }

  struct Group: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let filters: String
    let people: Int
  }

  /// In the whole frame the detector finds fewer of them; none of the four.
  @Test(
    arguments: [
      Group(testDescription: "two", filters: "split[a][b];[a][b]hstack", people: 2),
      Group(testDescription: "two, one mirrored", filters: "split[a][b];[b]hflip[c];[a][c]hstack", people: 2),
      Group(
        testDescription: "four in a row", filters: "split=4[a][b][d][e];[b]hflip[c];[a][c][d][e]hstack=4", people: 4),
      Group(
        testDescription: "two by two",
        filters: "split=4[a][b][d][e];[b]hflip[c];[a][c]hstack[x];[d][e]hstack[y];[x][y]vstack", people: 4),
    ], PoseDetectorOptions.PerformanceMode.allCases)
  func `people side by side are detected, each once`(group: Group, mode: PoseDetectorOptions.PerformanceMode) throws {
    let found = try poses(group.filters) {
      $0.maxPoses = 8
      $0.performanceMode = mode
    }
    #expect(found.count == group.people)
    let cells = found.compactMap { $0[.nose]?.position }.map { [Int($0.x / 512), Int($0.y / 512)] }
    #expect(Set(cells).count == group.people)
  }

  @Test(arguments: ["crop=256:512:0:0", "crop=256:512:256:0", "crop=512:200:0:0", "crop=512:256:0:256"])
  func `half a person at an edge is one pose at most, with finite values`(filters: String) throws {
    for mode in PoseDetectorOptions.PerformanceMode.allCases {
      let found = try poses(filters) {
        $0.performanceMode = mode
        $0.maxPoses = 4
      }
      #expect(found.count <= 1)
      for pose in found {
        #expect(!pose.box.isEmpty && pose.box.width < 2000 && pose.box.height < 2000)
        #expect(pose.landmarks.allSatisfy { $0.position.x.isFinite && $0.position.y.isFinite && $0.z.isFinite })
        #expect(pose.landmarks.allSatisfy { (0...1).contains($0.inFrameLikelihood) })
      }
    }
  }

  @Test func `another model is refused`() throws {
    let model = try Model(
      path: try ModelCatalogue.iris.requirePath(), configuration: ModelConfiguration(threads: 1, usesCache: false))
    let errors = [
      #expect(throws: VStreamError.self) { try BodyNetwork(model) },
      #expect(throws: VStreamError.self) { try PoseFinder(model, minimumScore: 0.5) },
    ]
    for (error, name) in zip(errors, ["the landmark network of poses", "the person detector of poses"]) {
      #expect(error?.code == .missingDependency)
      #expect(error?.message.contains("is not \(name): its shapes are [[1, 64, 64, 3]") == true)
    }
  }
}

/// People tracked through frames.
struct PoseStreamTests {
  /// The portrait in motion, 25 frames a second.
  private static func clip(_ filters: String, count: Int) throws -> [VideoFrame] {
    let folder = try TemporaryFolder()
    let file = folder.file("clip.mkv")
    try Program.ffmpeg([
      "-loop", "1", "-framerate", "25", "-i", Portrait.path, "-filter_complex", filters, "-frames:v", "\(count)",
      "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p", file,
    ])
    let media = try MediaReader(MediaInput(file))
    let decoder = try VideoDecoder(media.video)
    var frames: [VideoFrame] = []
    while case .packet(let packet) = try media.next() { frames += try decoder.decode(packet).frames }
    return frames + (try decoder.decode(nil).frames)
  }

  private static let still = "scale=400:400,pad=640:480:120:40:gray"
  private static let moving = "scale=400:400,pad=1000:480:400:40:gray,crop=640:480:'230+100*sin(n/6)':0"

  private func track(
    _ frames: [VideoFrame], timer: any StepTimer = NoTimer(), _ change: (inout PoseDetectorOptions) -> Void = { _ in }
  ) throws -> [[DetectedPose]] {
    var detector = try SharedPoseModels.detector(change)
    return try frames.map { try detector.poses(in: $0, timer: timer) }
  }

  struct PassCount: Sendable, CustomTestStringConvertible {
    let name: String
    let maxPoses: Int
    let mode: PoseDetectorOptions.PerformanceMode
    let running: DetectionMode
    /// Passes of both networks in 11 frames of one person, which are 0.4 s.
    let count: Int
    var testDescription: String { name }
  }

  /// While one person is tracked, the detector is idle if one is wanted; if two are, it runs at 0, 0.2 and 0.4 s.
  static let passCounts = [
    PassCount(name: "one", maxPoses: 1, mode: .base, running: .stream, count: 1 + 11),
    // The whole frame three times, its six crops once, then two of them.
    PassCount(name: "two", maxPoses: 2, mode: .base, running: .stream, count: 3 + 6 + 2 + 11),
    PassCount(name: "each frame", maxPoses: 1, mode: .base, running: .singleImage, count: 2 * 11),
    PassCount(name: "accurate", maxPoses: 1, mode: .accurate, running: .stream, count: 11 + 2 * 11 + 2),
    PassCount(name: "accurate, each frame", maxPoses: 1, mode: .accurate, running: .singleImage, count: 5 * 11),
  ]

  @Test(arguments: passCounts) func `the networks run no more often than needed`(row: PassCount) throws {
    let timer = CountingTimer()
    let found = try track(try Self.clip(Self.still, count: 11), timer: timer) {
      $0.maxPoses = row.maxPoses
      $0.performanceMode = row.mode
      $0.detectorMode = row.running
    }
    #expect(found.allSatisfy { $0.count == 1 })
    let count = timer.steps.filter { $0 == "inferring" }.count
    #expect(count == row.count, "\(count)")
  }

  @Test func `while there is nobody, the detector runs once on every frame`() throws {
    let timer = CountingTimer()
    #expect(
      try track(try SampleFrames.read("shapes-crossing.mp4", at: Array(0..<6)), timer: timer).allSatisfy(\.isEmpty))
    #expect(timer.steps.count == 12)
  }

  /// The person disappears on frame 6 and reappears on frame 12.
  @Test func `a person who disappears is lost, and detected when they reappear`() throws {
    let filters = Self.still + ",drawbox=color=gray:thickness=fill:enable='between(n,6,11)'"
    let counts = try track(try Self.clip(filters, count: 16)).map(\.count)
    #expect(counts == Array(repeating: 1, count: 6) + Array(repeating: 0, count: 6) + Array(repeating: 1, count: 4))
  }

  /// The person moves by up to 17 pixels from frame to frame.
  @Test func `a moving person is tracked without lag`() throws {
    let frames = try Self.clip(Self.moving, count: 40)
    let tracked = try track(frames)
    let single = try track(frames) { $0.detectorMode = .singleImage }
    var offsets: [Double] = []
    for (one, other) in zip(tracked, single) {
      let (nose, own) = (try #require(one.first?[.nose]), try #require(other.first?[.nose]))
      offsets.append(hypot(nose.position.x - own.position.x, nose.position.y - own.position.y))
    }
    #expect(offsets.reduce(0, +) / 40 < 5 && (offsets.max() ?? 99) < 12, "\(offsets)")
  }

  @Test func `smoothing reduces jitter`() throws {
    let frames = try Self.clip(Self.still + ",noise=alls=30:allf=t", count: 20)
    func jitter(_ isSmoothed: Bool) throws -> Double {
      let positions = try track(frames) { $0.isSmoothed = isSmoothed }.compactMap { $0.first?[.leftShoulder]?.position }
      #expect(positions.count == 20)
      return zip(positions, positions.dropFirst()).reduce(0) { $0 + hypot($1.0.x - $1.1.x, $1.0.y - $1.1.y) }
    }
    let (raw, smoothed) = (try jitter(false), try jitter(true))
    #expect(smoothed < 0.8 * raw, "\(smoothed) pixels in all, \(raw) unsmoothed")
  }

  @Test func `two tracked people stay two, at their positions`() throws {
    let filters = "scale=320:320,split[a][b];[b]hflip[c];[a][c]hstack,pad=960:320:160:0:gray"
    let found = try track(try Self.clip(filters, count: 12)) { $0.maxPoses = 4 }
    for poses in found.dropFirst() {
      let noses = poses.compactMap { $0[.nose]?.position.x }.sorted()
      #expect(noses.count == 2)
      #expect(noses.count == 2 && abs(noses[0] - 299) < 25 && abs(noses[1] - 661) < 25, "\(noses)")
    }
  }

  @Test func `the poses do not depend on how early the next frame is started`() throws {
    let frames = try Self.clip(Self.moving, count: 8)
    let one = try track(frames)
    #expect(try track(frames) == one)
    var detector = try SharedPoseModels.detector()
    try detector.start(frames[0], timer: NoTimer())
    var found: [[DetectedPose]] = []
    for frame in frames.dropFirst() {
      try detector.start(frame, timer: NoTimer())
      found.append(try #require(try detector.finish(timer: NoTimer()).poses))
    }
    found.append(try #require(try detector.finish(timer: NoTimer()).poses))
    #expect(found == one)
  }
}
