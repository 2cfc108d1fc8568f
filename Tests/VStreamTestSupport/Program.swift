import Foundation
import Synchronization

/// What a program that was run left.
public struct ProgramResult: Sendable {
  /// Its exit code; for one that died of a signal, the signal's number.
  public let status: Int32
  /// The signal that ended it: a crash, or `SIGKILL` for one that took too long; `nil` if it ended by itself.
  public let signal: Int32?
  public let output: Data
  public let errors: String

  public var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs programs to their end.
public enum Program {
  /// How long a program may run before it counts as hung and is killed.
  public static let limit = 300.0

  /// The built command: `$VSTREAM_BINARY`, else the one beside the tests.
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

  /// Runs a program; both its outputs are read while it runs, so that neither fills up.
  ///
  /// - Parameters:
  ///   - environment: added to this process's own.
  ///   - limit: seconds after which it counts as hung and is killed.
  public static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
    limit: Double = limit
  ) throws -> ProgramResult {
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    let place = folder.map { ["/usr/bin/env", "-C", $0] } ?? []
    let (child, output, errors) = try starting.withLock { _ in
      let (output, errors) = (try Channel(), try Channel())
      return (try start(place + [path] + arguments, environment: variables, output, errors), output, errors)
    }
    output.closeWriting()
    errors.closeWriting()
    let watch = DispatchWorkItem { kill(child, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watch)
    let said = Mutex(Data())
    let reading = DispatchGroup()
    DispatchQueue.global().async(group: reading) {
      let data = errors.readToEnd()
      said.withLock { $0 = data }
    }
    let data = output.readToEnd()
    reading.wait()
    let (status, signal) = wait(for: child)
    watch.cancel()
    return ProgramResult(
      status: status, signal: signal, output: data, errors: String(decoding: said.withLock { $0 }, as: UTF8.self))
  }

  /// Held while a program is started, so that none inherits the pipes of another.
  private static let starting = Mutex(())

  /// Starts a program by `posix_spawn`: Foundation's `Process` crashes now and then when several threads start some.
  private static func start(
    _ arguments: [String], environment: [String], _ output: Channel, _ errors: Channel
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.writing, 2)
    // The threads that tests run on may have signals blocked, which the program is to see.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let (words, variables) = (arguments.map { strdup($0) } + [nil], environment.map { strdup($0) } + [nil])
    defer { for text in words + variables { free(text) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, arguments[0], &actions, &attributes, words, variables)
    guard code == 0 else { throw ProgramFailure(description: "\(arguments[0]): \(String(cString: strerror(code)))") }
    return child
  }

  private static func wait(for child: pid_t) -> (status: Int32, signal: Int32?) {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8 & 0xFF, nil) : (signal, signal)
  }
}

/// A pipe that a program writes to and the tests read from. No other program inherits it.
private final class Channel: Sendable {
  let writing: Int32
  private let reading: Int32
  private let isWritable = Mutex(true)

  init() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw ProgramFailure(description: "pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    closeWriting()
    close(reading)
  }

  /// Closes this process's own end, so that the pipe ends when the program does.
  func closeWriting() {
    isWritable.withLock { isWritable in
      if isWritable { close(writing) }
      isWritable = false
    }
  }

  func readToEnd() -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(reading, &buffer, buffer.count)
      if count > 0 { data.append(contentsOf: buffer[..<count]) }
      if count == 0 || (count < 0 && errno != EINTR) { return data }
    }
  }
}

/// A helper program that failed.
public struct ProgramFailure: Error, CustomStringConvertible {
  public let description: String
}
