import Foundation
import Synchronization
import VStreamTestSupport

/// The command while it runs: what it says is read as it comes, and it is sent signals.
final class RunningProgram: Sendable {
  private struct Said {
    var text = ""
    var hasEnded = false
    /// Its exit code, if it ended by itself.
    var status: Int32?
  }

  private let child: Child
  private let said = Mutex(Said())
  private let changed = DispatchSemaphore(value: 0)
  /// Signalled when the program is gone, and when all that it said has been read.
  private let exited = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - input: what the program reads as its standard input; nothing by default.
  ///   - output: where its standard output goes.
  init(_ arguments: [String], input: OpenPipe? = nil, output: OpenPipe? = nil) throws {
    let errors = try OpenPipe()
    child = try Child(
      [Program.vstreamPath] + arguments, input: input?.reading, output: output?.writing, errors: errors.writing)
    errors.closeWriting()
    Thread.detachNewThread { [self] in
      let (status, signal) = child.wait()
      if signal == nil { said.withLock { $0.status = status } }
      exited.signal()
    }
    Thread.detachNewThread { [self] in
      while true {
        let data = errors.read()
        said.withLock { said in
          said.text += String(decoding: data, as: UTF8.self)
          said.hasEnded = data.isEmpty
        }
        changed.signal()
        if data.isEmpty { break }
      }
      exited.signal()
    }
  }

  /// All that it said on standard error so far.
  var errors: String { said.withLock { $0.text } }

  /// A count in the last line of status of what it said (`--stats-every`); 0 if there is none.
  static func lastCount(_ name: String, in text: String) -> Int {
    Int((text.components(separatedBy: "\"\(name)\":").last ?? "").prefix(while: \.isNumber)) ?? 0
  }

  /// Waits until it has said something that `isEnough`.
  ///
  /// - Returns: `false` if it ended before, or said nothing for `Program.limit` seconds.
  func waitUntil(_ isEnough: (String) -> Bool) -> Bool {
    while true {
      let (text, hasEnded) = said.withLock { ($0.text, $0.hasEnded) }
      if isEnough(text) { return true }
      if hasEnded || changed.wait(timeout: .now() + Program.limit) == .timedOut { return false }
    }
  }

  /// Waits until the program looks after a signal itself.
  ///
  /// - Returns: `false` if that took longer than `Program.limit` seconds.
  func waitUntilCaught(_ signal: Int32) -> Bool {
    let deadline = ContinuousClock.now + .seconds(Program.limit)
    while ContinuousClock.now < deadline {
      if child.catches(signal) { return true }
      sched_yield()
    }
    return false
  }

  func send(_ signal: Int32) { child.send(signal) }

  /// Waits for its end, and for all that it said; what takes longer than `limit` seconds is killed.
  ///
  /// - Returns: its exit code; `nil` if it had to be killed, or died of a signal.
  func wait(limit: Double = Program.limit) -> Int32? {
    let deadline = DispatchTime.now() + limit
    guard exited.wait(timeout: deadline) == .success, exited.wait(timeout: deadline) == .success else {
      child.send(SIGKILL)
      _ = exited.wait(timeout: .now() + 10)
      return nil
    }
    return said.withLock { $0.status }
  }
}
