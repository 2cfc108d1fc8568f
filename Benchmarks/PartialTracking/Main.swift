import VStreamDetection
import VStreamReporting
import VStreamScene
import VStreamSystem
import VStreamTracking

#if canImport(Glibc)
  import Glibc
#endif

/// Tracks detections as if the detector had been run only where the planner of object detection had selected, for
/// scripts/evaluate/tracking:
///
///     PartialTracking DETECTIONS.txt TRUTH.txt TIMES.txt TRACKS.txt WIDTH HEIGHT PASSES
///
/// DETECTIONS.txt and TRUTH.txt are MOTChallenge files, TIMES.txt has the time of each frame in seconds. What is in a box of
/// the truth moves. Prints the number of passes for a frame.
@main
struct Main {
  /// Size of the input of the network whose runs are simulated.
  private static let input = PixelSize(width: 300, height: 300)
  /// As for files.
  private static let framesInFlight = 4

  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      print("PartialTracking: \(error)")
      exit(70)
    }
  }

  private static func run(_ words: [String]) throws {
    guard words.count == 7, let width = Int(words[4]), let height = Int(words[5]), let passes = Double(words[6]) else {
      throw ArgumentError(words: words)
    }
    let frame = PixelSize(width: width, height: height)
    let detections = try frames(words[0])
    let truth = try frames(words[1])
    let text = String(decoding: try ReadableFile.bytes(of: words[2]), as: UTF8.self)
    let times = text.split(separator: "\n").compactMap { Double($0) }

    var planner = ObjectSearchPlanner(
      passes: passes, input: input, tracking: TrackerOptions(), framesInFlight: framesInFlight)
    var tracker = Tracker()
    var tracks = MOTText()
    var passCount = 0
    for (index, time) in times.enumerated() {
      let motion = MotionMap(moving: truth[index + 1, default: []].map(\.box), in: frame)
      let search = planner.plan(frame, at: time, motion: motion)
      passCount += search.regions.count
      let found = detections[index + 1, default: []].filter { search.scale(of: $0.box) != nil }
      planner.add(found, foundBy: search, at: time)
      for object in tracker.update(found, searched: search, at: time) { tracks.add(object, frame: index + 1) }
    }
    let file = try TextFile(creating: words[3], overwrite: true)
    try file.write(tracks.bytes)
    try file.close()
    print(Double(passCount) / Double(max(1, times.count)))
  }

  private static func frames(_ path: String) throws -> [Int: [DetectedObject]] {
    let file = try MOTDetections(ReadableFile.bytes(of: path), name: path)
    return Dictionary(uniqueKeysWithValues: file.frames.map { ($0.number, Array(file.detections[$0.range])) })
  }
}

struct ArgumentError: Error {
  let words: [String]
}
