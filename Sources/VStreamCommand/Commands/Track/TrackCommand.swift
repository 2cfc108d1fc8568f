internal import ArgumentParser
internal import VStreamCore
internal import VStreamReporting
internal import VStreamSystem
internal import VStreamTracking

struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Tracks detections: MOTChallenge text in, MOTChallenge text out; requires no video and no model.",
    usage: "vstream track DETECTIONS.txt -o TRACKS.txt --fps F [options]",
    discussion: """
      A line is frame,id,left,top,width,height,score[,class[,…[,…]]], as in MOTChallenge's det.txt. Frames \
      count from 1; the ID is ignored; a class that is missing or -1 is 1. The output has a line for each \
      object with an ID, on each frame in which it was detected.
      """)

  @Argument(
    help: ArgumentHelp("The detections: a file, or - for standard input.", valueName: "detections"), completion: .file()
  )
  var input: String

  @OptionGroup(title: "Files and time") var files: TrackFileOptionGroup
  @OptionGroup(title: "Tracking") var tracking: TrackingOptionGroup

  @Option(
    help: ArgumentHelp("Minimum score that starts a track; lower ones may continue one.", valueName: "score"))
  var minScore = 0.5

  func run() throws {
    let signals = StopSignals { [files] in files.stop() }
    defer { signals.end() }
    let options = try tracking.tracker(minimumScore: minScore)
    let clock = try files.frameTimes()
    try files.check(input: input)
    let detections = try MOTDetections(ReadableFile.bytes(of: input), name: input == "-" ? "standard input" : input)
    if let last = detections.frames.last { try clock.check(last.number) }
    var tracker = Tracker(options)
    let text = Self.tracks(of: detections, clock, &tracker)
    try files.write(text.bytes)
    warn(about: tracker)
  }

  static func tracks(of detections: MOTDetections, _ clock: FrameTimes, _ tracker: inout Tracker) -> MOTText {
    var text = MOTText()
    var previous = 0
    for frame in detections.frames {
      // A gap is one update without detections; further ones would change nothing.
      if previous > 0, frame.number > previous + 1 { _ = tracker.update([], at: clock.seconds(previous + 1)) }
      let found = Array(detections.detections[frame.range])
      for object in tracker.update(found, at: clock.seconds(frame.number)) { text.add(object, frame: frame.number) }
      previous = frame.number
    }
    return text
  }

  private func warn(about tracker: Tracker) {
    if tracker.detectionsSkipped > 0 {
      Terminal.printLine(
        "vstream: warning: \(tracker.detectionsSkipped) boxes were ignored: without an area, out of range, or not numbers"
      )
    }
    if tracker.detectionsOmitted > 0 {
      Terminal.printLine(
        "vstream: warning: \(tracker.detectionsOmitted) boxes were ignored: of each frame the "
          + "\(Tracker.maximumDetections) with the highest scores are used")
    }
  }
}

enum FrameTimes {
  /// Frames per second.
  case rate(Double)
  /// Each frame's time in seconds, read from a file.
  case times(path: String, [Double])

  /// The time of a frame in seconds; frames count from 1.
  func seconds(_ frame: Int) -> Double {
    switch self {
    case .rate(let rate): Double(frame - 1) / rate
    case .times(_, let times): times[frame - 1]
    }
  }

  /// Checks that the time of the last frame is known.
  func check(_ frame: Int) throws(VStreamError) {
    guard case .times(let path, let times) = self, frame > times.count else { return }
    throw VStreamError(
      .unreadableInput, "'\(path)' has the times of \(times.count) frames, and there are detections of frame \(frame)",
      remedy: "give the time of each frame, one on each line")
  }
}
