internal import ArgumentParser
internal import Foundation
internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

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
