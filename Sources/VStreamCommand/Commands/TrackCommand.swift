internal import ArgumentParser
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem
internal import VStreamTracking

#if canImport(Glibc)
  internal import Glibc
#endif

struct TrackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "track",
    abstract: "Gives detections IDs: MOTChallenge text in, MOTChallenge text out; no video, no model.",
    usage: "vstream track DETECTIONS.txt -o TRACKS.txt --fps F [options]",
    discussion: """
      A line is frame,id,left,top,width,height,score[,class[,…[,…]]], as in MOTChallenge's det.txt. Frames \
      count from 1; the ID is not looked at; a class that is missing or -1 is 1. The output has a line for \
      each object with an ID on each frame that it was detected on.
      """)

  @Argument(help: ArgumentHelp("The detections: a file, or - for standard input.", valueName: "detections"))
  var input: String

  @OptionGroup(title: "Files and time") var files: TrackFileOptions
  @OptionGroup(title: "Tracking") var tracking: TrackingOptions

  @Option(
    help: ArgumentHelp("The score that starts a track; lower ones may continue one.", valueName: "score"))
  var minScore = 0.5

  func run() throws {
    let signals = StopSignals { [files] in files.stop() }
    defer { signals.end() }
    let options = try tracking.tracker(minimumScore: FindOptions.checked(minScore: minScore))
    let clock = try files.clock()
    try files.check(input: input)
    let detections = try MOTDetections(ReadableFile.bytes(of: input), name: input == "-" ? "standard input" : input)
    if let last = detections.frames.last { try clock.check(last.number) }
    var tracker = Tracker(options)
    let text = Self.tracks(of: detections, clock, &tracker)
    try files.write(text.bytes)
    warn(about: tracker)
  }

  private static func tracks(of detections: MOTDetections, _ clock: FrameClock, _ tracker: inout Tracker) -> MOTText {
    var text = MOTText()
    var previous = 0
    for frame in detections.frames {
      // Frames without a detection were looked at as well; after one of them the others change nothing more.
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
        "vstream: warning: \(tracker.detectionsSkipped) boxes without an area, or not made of numbers, passed over")
    }
    if tracker.detectionsOmitted > 0 {
      Terminal.printLine(
        "vstream: warning: \(tracker.detectionsOmitted) boxes left out: of a frame's boxes the best-scored "
          + "\(Tracker.maximumDetections) are used")
    }
  }
}

struct TrackFileOptions: ParsableArguments {
  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Where the tracks go: a file, or - for standard output.", valueName: "tracks"))
  var output: String

  @Option(help: ArgumentHelp("Frames per second, for example 25, 29.97 or 30000/1001.", valueName: "rate"))
  var fps: String?

  @Option(
    help: ArgumentHelp(
      "Instead of a rate: a file with the time of each frame in seconds, one a line.", valueName: "file"))
  var times: String?

  @Flag(name: [.customShort("y"), .long], help: "Replace a file that exists.")
  var overwrite = false

  func clock() throws(VStreamError) -> FrameClock {
    switch (fps, times) {
    case (let fps?, nil): return .rate(try Self.rate(fps))
    case (nil, let times?): return .times(path: times, try Self.seconds(times))
    case (nil, nil):
      throw VStreamError(
        .usage, "the frames' times are not known", remedy: "give the frame rate, for example --fps 25, or --times FILE")
    default: throw VStreamError(.usage, "--fps and --times say the same thing twice", remedy: "leave one out")
    }
  }

  private static func rate(_ text: String) throws(VStreamError) -> Double {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
    let rate = parts.count == 1 ? parts[0] : parts.count == 2 ? parts[0] / parts[1] : .nan
    guard rate > 0, rate.isFinite, rate >= 1e-6, rate <= 1e6 else {
      throw usageError("--fps", text, "is not a frame rate", remedy: "write, for example, 25, 29.97 or 30000/1001")
    }
    return rate
  }

  /// The times of a file, which rise from line to line.
  private static func seconds(_ path: String) throws(VStreamError) -> [Double] {
    var times: [Double] = []
    let lines = try ReadableFile.bytes(of: path).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where index < lines.count - 1 || !line.isEmpty {
      let text = String(decoding: line, as: UTF8.self)
      let time = Double(text.filter { !$0.isWhitespace })
      guard let time, time.isFinite, time > times.last ?? -.infinity else {
        throw VStreamError(
          .unreadableInput,
          "'\(path)' line \(index + 1): '\(text.prefix(20))' is not a later time than the line before",
          remedy: "each line is the time of one frame, in seconds")
      }
      times.append(time)
    }
    return times
  }

  /// That the output is not the input, and not written over unasked.
  func check(input: String) throws {
    guard output != "-" else { return }
    for file in [input, times].compactMap({ $0 }) where file != "-" && PathIdentity.isSameLocation(file, output) {
      throw VStreamError(
        .usage, "'\(output)' is the input itself and would be lost", remedy: "give the output another name")
    }
    guard try !FileCheck.isSpecial(output), let draft else { return }
    for file in [input, times].compactMap({ $0 }) where file != "-" && PathIdentity.isSameLocation(file, draft) {
      throw VStreamError(
        .usage, "'\(output)' is first written as '\(draft)', which is the input", remedy: "rename the input")
    }
    try FileCheck.requireCreatable(output, overwrite: overwrite)
    try FileCheck.requireNoPart(draft, overwrite: overwrite)
  }

  /// Where a file is written until it is whole; `nil` for what is written directly.
  private var draft: String? { output == "-" || (try? FileCheck.isSpecial(output)) != false ? nil : output + ".part" }

  /// Writes the output, which has its name only when it is whole.
  func write(_ text: [UInt8]) throws {
    guard let draft else {
      let file = try TextFile(creating: output)
      try file.write(text)
      return try file.close()
    }
    do {
      let file = try TextFile(creating: draft)
      try file.write(text)
      try file.close()
      guard rename(draft, output) == 0 else {
        throw VStreamError(.cannotCreateOutput, "'\(output)' cannot be created: \(String(cString: strerror(errno)))")
      }
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Ends the process at once; a file that is just being written stays unfinished.
  func stop() { _exit(ExitStatus.interrupted) }
}

/// When frames are.
enum FrameClock {
  /// So many frames per second.
  case rate(Double)
  /// Each frame's time in seconds, read from a file.
  case times(path: String, [Double])

  /// The time of a frame; frames count from 1.
  func seconds(_ frame: Int) -> Double {
    switch self {
    case .rate(let rate): Double(frame - 1) / rate
    case .times(_, let times): times[frame - 1]
    }
  }

  /// That the time of the last frame is known.
  func check(_ frame: Int) throws(VStreamError) {
    guard case .times(let path, let times) = self, frame > times.count else { return }
    throw VStreamError(
      .unreadableInput, "'\(path)' has the times of \(times.count) frames, but there are detections of frame \(frame)",
      remedy: "give the time of each frame, one a line")
  }
}
