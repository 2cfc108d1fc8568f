import Foundation
import Synchronization

/// What a program that was run left.
public struct ProgramResult: Sendable {
  public let status: Int32
  public let output: Data
  public let errors: String

  public var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs programs to their end.
public enum Program {
  /// How long a program may run before it counts as hung and is killed.
  static let limit = 300.0

  /// The built command: `$VSTREAM_BINARY`, else the one beside the tests.
  public static let vstreamPath: String = {
    if let named = ProcessInfo.processInfo.environment["VSTREAM_BINARY"] { return named }
    return Checkout.root.appending(path: ".build/debug/vstream").path
  }()

  /// Runs the built command.
  public static func vstream(
    _ arguments: [String], environment: [String: String] = [:], folder: String? = nil
  ) throws -> ProgramResult {
    try run(vstreamPath, arguments, environment: environment, folder: folder)
  }

  /// Runs FFmpeg's command, which has to succeed.
  @discardableResult
  public static func ffmpeg(_ arguments: [String]) throws -> ProgramResult {
    let result = try run("/usr/bin/env", ["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments)
    guard result.status == 0 else { throw ProgramFailure(description: "ffmpeg \(arguments): \(result.errors)") }
    return result
  }

  /// Runs a program; both its outputs are read while it runs, so that neither fills up.
  ///
  /// - Parameter environment: added to this process's own.
  public static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], folder: String? = nil
  ) throws -> ProgramResult {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let watch = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watch)
    let said = Mutex(Data())
    let reading = DispatchGroup()
    let errorHandle = errors.fileHandleForReading
    DispatchQueue.global().async(group: reading) {
      let data = errorHandle.readDataToEndOfFile()
      said.withLock { $0 = data }
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    reading.wait()
    process.waitUntilExit()
    watch.cancel()
    return ProgramResult(
      status: process.terminationStatus, output: data, errors: String(decoding: said.withLock { $0 }, as: UTF8.self))
  }
}

/// A helper program that failed.
public struct ProgramFailure: Error, CustomStringConvertible {
  public let description: String
}
