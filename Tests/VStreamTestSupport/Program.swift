import Foundation
import Synchronization

/// The result of a program's run.
public struct ProgramResult: Sendable {
  /// Its exit code, or the number of the signal that ended it.
  public let status: Int32
  /// The signal that ended it: that of a crash, or `SIGKILL` at the time limit; `nil` if it exited.
  public let signal: Int32?
  public let output: Data
  public let errors: String

  public var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs programs to their end.
public enum Program {
  /// Seconds after which a program counts as hung and is killed.
  public static let limit = 300.0

  /// The built command: `$VSTREAM_BINARY`, or the one beside the tests.
  public static let vstreamPath: String = {
    if let named = ProcessInfo.processInfo.environment["VSTREAM_BINARY"] { return named }
    return Checkout.root.appending(path: ".build/debug/vstream").path
  }()

  /// Runs the built command.
  public static func vstream(
    _ arguments: [String], environment: [String: String] = [:], folder: String? = nil, limit: Double = limit
  ) throws -> ProgramResult {
    try run(vstreamPath, arguments, environment: environment, folder: folder, limit: limit)
  }

  /// Runs FFmpeg's command, which has to succeed.
  @discardableResult
  public static func ffmpeg(_ arguments: [String], folder: String? = nil) throws -> ProgramResult {
    let result = try run("/usr/bin/env", ["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments, folder: folder)
    guard result.status == 0 else { throw ProgramFailure(description: "ffmpeg \(arguments): \(result.errors)") }
    return result
  }

  /// FFmpeg's arguments that copy a video with an orientation, before the name of the copy. Its option for that came with
  /// version 6, which no longer reads the tag that served before.
  ///
  /// - Parameter degrees: counter-clockwise, how players rotate it.
  public static func rotating(_ input: String, by degrees: Int) -> [String] {
    ffmpegVersion >= 6
      ? ["-display_rotation", "\(degrees)", "-i", input, "-c", "copy"]
      : ["-i", input, "-c", "copy", "-metadata:s:v", "rotate=\(degrees)"]
  }

  /// Whether this FFmpeg writes PCM into MP4, as ISO/IEC 23003-5 has it: from 6.1 on.
  public static let mp4HoldsPCM =
    (try? run(
      "/usr/bin/env",
      ["ffmpeg", "-v", "quiet", "-f", "lavfi", "-i", "sine=d=0.1", "-c:a", "pcm_s16le", "-y", "-f", "mp4", "/dev/null"]
    ).status == 0) ?? false

  /// The major version of the installed FFmpeg; a development version counts as the newest.
  public static let ffmpegVersion: Int = {
    let words = (try? run("/usr/bin/env", ["ffmpeg", "-version"]).text)?.split(separator: " ") ?? []
    return words.dropFirst(2).first.flatMap { Int($0.prefix { $0.isNumber }) } ?? .max
  }()

  /// Runs a program; both its outputs are read while it runs, so that neither fills up.
  ///
  /// - Parameters:
  ///   - environment: added to this process's own.
  ///   - limit: seconds after which it counts as hung and is killed.
  public static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
    limit: Double = limit
  ) throws -> ProgramResult {
    let place = folder.map { ["/usr/bin/env", "-C", $0] } ?? []
    let (output, errors) = (try OpenPipe(), try OpenPipe())
    let child = try Child(
      place + [path] + arguments, environment: environment, output: output.writing, errors: errors.writing)
    output.closeWriting()
    errors.closeWriting()
    let watch = DispatchWorkItem { child.send(SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watch)
    let said = Mutex(Data())
    let reading = DispatchGroup()
    DispatchQueue.global().async(group: reading) {
      let data = errors.readToEnd()
      said.withLock { $0 = data }
    }
    let data = output.readToEnd()
    reading.wait()
    let (status, signal) = child.wait()
    watch.cancel()
    return ProgramResult(
      status: status, signal: signal, output: data, errors: String(decoding: said.withLock { $0 }, as: UTF8.self))
  }
}

/// A helper program that failed.
public struct ProgramFailure: Error, CustomStringConvertible {
  public let description: String

  public init(description: String) { self.description = description }
}
