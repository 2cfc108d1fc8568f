import Foundation
import Synchronization

/// A program that was started by `posix_spawn`: Foundation's `Process` crashes now and then when several threads start some.
public final class Child: Sendable {
  private let id: pid_t
  /// Held while a program is started or a pipe made, so that none inherits the pipes of another.
  fileprivate static let starting = Mutex(())
  /// Whether the process was waited for, so that its number may be reused.
  private let hasEnded = Mutex(false)

  /// - Parameters:
  ///   - arguments: the program's path and its arguments.
  ///   - environment: added to this process's own.
  ///   - input: its standard input; empty by default. The outputs are discarded by default.
  public init(
    _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil, output: Int32? = nil,
    errors: Int32? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, file) in [input, output, errors].enumerated() {
      if let file {
        posix_spawn_file_actions_adddup2(&actions, file, Int32(number))
      } else {
        posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
      }
    }
    // The threads of the tests may block signals that the program must receive.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    let (words, settings) = (arguments.map { strdup($0) } + [nil], variables.map { strdup($0) } + [nil])
    defer { for text in words + settings { free(text) } }
    var child: pid_t = 0
    let code = Self.starting.withLock { _ in
      posix_spawn(&child, arguments[0], &actions, &attributes, words, settings)
    }
    guard code == 0 else { throw ProgramFailure(description: "\(arguments[0]): \(String(cString: strerror(code)))") }
    id = child
  }

  /// Waits for its end; called once.
  ///
  /// - Returns: its exit code, or the number of the signal that ended it, and that signal.
  public func wait() -> (status: Int32, signal: Int32?) {
    // Its number cannot be reused before it is waited for.
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    return hasEnded.withLock { hasEnded in
      hasEnded = true
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7F
      return signal == 0 ? (status >> 8 & 0xFF, nil) : (signal, signal)
    }
  }

  /// Waits for its end, and kills it after `limit` seconds; called once.
  ///
  /// - Returns: its exit code, or the number of the signal that ended it, and that signal.
  public func wait(limit: Double) -> (status: Int32, signal: Int32?) {
    let watch = DispatchWorkItem { [self] in send(SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watch)
    defer { watch.cancel() }
    return wait()
  }

  /// Sends it a signal, unless it has ended.
  public func send(_ signal: Int32) {
    hasEnded.withLock { hasEnded in
      if !hasEnded { kill(id, signal) }
    }
  }

  /// Whether the program handles a signal itself.
  public func catches(_ signal: Int32) -> Bool { has(signal, in: "SigCgt:") }

  /// Whether a signal has no effect on the program.
  public func ignores(_ signal: Int32) -> Bool { has(signal, in: "SigIgn:") }

  private func has(_ signal: Int32, in mask: String) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(mask) }
    let mask = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
    return mask & (1 << UInt64(signal - 1)) != 0
  }
}

/// A pipe between the tests and a program. A program inherits only its own end.
public final class OpenPipe: Sendable {
  private struct Ends {
    var reading: Int32?
    var writing: Int32?
  }

  private let ends: Mutex<Ends>
  /// The end to read from, and the one to write to.
  public let reading: Int32
  public let writing: Int32

  public init() throws {
    var made: [Int32] = [0, 0]
    let isMade = Child.starting.withLock { _ in
      guard pipe(&made) == 0 else { return false }
      for end in made { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return true
    }
    guard isMade else { throw ProgramFailure(description: "pipe: \(String(cString: strerror(errno)))") }
    (reading, writing) = (made[0], made[1])
    ends = Mutex(Ends(reading: reading, writing: writing))
  }

  deinit {
    closeReading()
    closeWriting()
  }

  public func closeReading() {
    ends.withLock { ends in
      if let reading = ends.reading { close(reading) }
      ends.reading = nil
    }
  }

  /// Closes this process's own end, so that the pipe ends when the program does.
  public func closeWriting() {
    ends.withLock { ends in
      if let writing = ends.writing { close(writing) }
      ends.writing = nil
    }
  }

  /// Fills the pipe, so that the next write to it waits until it is read.
  public func fill() throws {
    // An open file of its own: a program that inherited the other one does not become non-blocking.
    let end = open("/proc/self/fd/\(writing)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard end >= 0 else { throw ProgramFailure(description: "fill: \(String(cString: strerror(errno)))") }
    defer { close(end) }
    let bytes = [UInt8](repeating: 0, count: 4096)
    // Page by page, then the rest of the last page.
    for count in [bytes.count, 1] {
      while write(end, bytes, count) > 0 {}
    }
    guard errno == EAGAIN else { throw ProgramFailure(description: "fill: \(String(cString: strerror(errno)))") }
  }

  /// The next bytes, at most `count`; empty at the end.
  public func read(upTo count: Int = 65_536) -> Data {
    var buffer = [UInt8](repeating: 0, count: count)
    while true {
      let got = Glibc.read(reading, &buffer, count)
      if got >= 0 { return Data(buffer[..<got]) }
      if errno != EINTR { return Data() }
    }
  }

  public func readToEnd() -> Data {
    var data = Data()
    while case let next = read(), !next.isEmpty { data += next }
    return data
  }
}
