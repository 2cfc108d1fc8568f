internal import ArgumentParser
internal import Foundation
internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem
internal import VStreamTracking

#if canImport(Glibc)
  internal import Glibc
#endif

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

/// The files of `vstream track`, and the times of its frames.
struct TrackFileOptionGroup: ParsableArguments {
  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Where the tracks go: a file, or - for standard output.", valueName: "tracks"),
    completion: .file())
  var output: String

  @Option(help: ArgumentHelp("Frames per second, for example 25, 29.97 or 30000/1001.", valueName: "rate"))
  var fps: String?

  @Option(
    help: ArgumentHelp(
      "File with the time of each frame in seconds, one on each line, instead of a rate.", valueName: "file"),
    completion: .file())
  var times: String?

  @Flag(name: [.customShort("y"), .long], help: "Replace an existing file.")
  var overwrite = false

  func frameTimes() throws(VStreamError) -> FrameTimes {
    switch (fps, times) {
    case (let fps?, nil): return .rate(try Self.rate(fps))
    case (nil, let times?): return .times(path: times, try Self.seconds(times))
    case (nil, nil):
      throw VStreamError(
        .usage, "the times of the frames are not given",
        remedy: "give the frame rate, for example --fps 25, or --times FILE")
    default: throw usageError("--fps", "", "cannot be combined with --times", remedy: "omit one of them")
    }
  }

  static func rate(_ text: String) throws(VStreamError) -> Double {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
    let rate = parts.count == 1 ? parts[0] : parts.count == 2 ? parts[0] / parts[1] : .nan
    guard rate > 0, rate.isFinite, rate >= 1e-6, rate <= 1e6 else {
      throw usageError("--fps", text, "is not a frame rate", remedy: "write, for example, 25, 29.97 or 30000/1001")
    }
    return rate
  }

  /// Reads the times of a file, which increase from line to line.
  static func seconds(_ path: String) throws(VStreamError) -> [Double] {
    var times: [Double] = []
    let lines = try ReadableFile.bytes(of: path).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where index < lines.count - 1 || !line.isEmpty {
      let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
      guard let time = Double(text), time.isFinite else { throw Self.invalid(path, index, text, "is not a time") }
      guard time > times.last ?? -.infinity else {
        throw Self.invalid(path, index, text, "is not later than the line before")
      }
      times.append(time)
    }
    return times
  }

  private static func invalid(_ path: String, _ index: Int, _ text: String, _ problem: String) -> VStreamError {
    VStreamError(
      .unreadableInput, "'\(path)' line \(index + 1): '\(text.prefix(20))' \(problem)", subject: path,
      remedy: "each line is the time of one frame, in seconds")
  }

  /// Checks that the output is not an input, and overwrites nothing unasked.
  func check(input: String) throws {
    if input == "-", times == "-" {
      throw usageError("--times", "-", "is the input as well", remedy: "read one of them from a file")
    }
    guard output != "-" else { return }
    try WrittenPaths.check([output], reading: [input, times].compactMap(\.self).filter { $0 != "-" })
    guard try !FileCheck.isSpecial(output), let partPath else { return }
    try FileCheck.requireCreatable(output, overwrite: overwrite)
    try FileCheck.requireNoPart(partPath, overwrite: overwrite)
  }

  /// The path of the unfinished file; `nil` for an output that is written directly.
  private var partPath: String? {
    output == "-" || (try? FileCheck.isSpecial(output)) != false ? nil : PartFile.path(for: output)
  }

  /// Writes the output, which gets its name when it is finished.
  func write(_ text: [UInt8]) throws {
    guard partPath == nil else {
      try PartFile.write(text, for: output)
      return try PartFile.commit(output)
    }
    let file = try TextFile(creating: output, overwrite: overwrite)
    try file.write(text)
    try file.close()
  }

  /// Ends the process at once; an unfinished file stays as it is.
  func stop() { _exit(ExitStatus.interrupted) }
}
