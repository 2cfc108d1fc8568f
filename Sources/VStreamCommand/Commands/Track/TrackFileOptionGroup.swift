internal import ArgumentParser
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The files of `vstream track`, and when its frames are.
struct TrackFileOptionGroup: ParsableArguments {
  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("Where the tracks go: a file, or - for standard output.", valueName: "tracks"))
  var output: String

  @Option(help: ArgumentHelp("Frames per second, for example 25, 29.97 or 30000/1001.", valueName: "rate"))
  var fps: String?

  @Option(
    help: ArgumentHelp(
      "File with the time of each frame in seconds, one on each line, instead of a rate.", valueName: "file"))
  var times: String?

  @Flag(name: [.customShort("y"), .long], help: "Replace an existing file.")
  var overwrite = false

  func clock() throws(VStreamError) -> FrameTimes {
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

  private static func rate(_ text: String) throws(VStreamError) -> Double {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
    let rate = parts.count == 1 ? parts[0] : parts.count == 2 ? parts[0] / parts[1] : .nan
    guard rate > 0, rate.isFinite, rate >= 1e-6, rate <= 1e6 else {
      throw usageError("--fps", text, "is not a frame rate", remedy: "write, for example, 25, 29.97 or 30000/1001")
    }
    return rate
  }

  /// Reads the times of a file, which increase from line to line.
  private static func seconds(_ path: String) throws(VStreamError) -> [Double] {
    var times: [Double] = []
    let lines = try ReadableFile.bytes(of: path).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where index < lines.count - 1 || !line.isEmpty {
      let text = String(decoding: line, as: UTF8.self)
      let time = Double(text.filter { !$0.isWhitespace })
      guard let time, time.isFinite, time > times.last ?? -.infinity else {
        throw VStreamError(
          .unreadableInput,
          "'\(path)' line \(index + 1): '\(text.prefix(20))' is not later than the line before",
          remedy: "each line is the time of one frame, in seconds")
      }
      times.append(time)
    }
    return times
  }

  /// Checks that the output is not an input, and overwrites nothing unasked.
  func check(input: String) throws {
    guard output != "-" else { return }
    for file in [input, times].compactMap({ $0 }) where file != "-" && PathIdentity.isSameLocation(file, output) {
      throw VStreamError(
        .usage, "'\(output)' is the input itself and would be overwritten", remedy: "give the output another name")
    }
    guard try !FileCheck.isSpecial(output), let partPath else { return }
    for file in [input, times].compactMap({ $0 }) where file != "-" && PathIdentity.isSameLocation(file, partPath) {
      throw VStreamError(
        .usage, "'\(output)' is first written as '\(partPath)', which is the input", remedy: "rename the input")
    }
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
    let file = try TextFile(creating: output)
    try file.write(text)
    try file.close()
  }

  /// Ends the process at once; an unfinished file stays as it is.
  func stop() { _exit(ExitStatus.interrupted) }
}
