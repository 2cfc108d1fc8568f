import Foundation
import Synchronization

/// The running command: its standard error is read as it is written, and it can be sent signals.
public final class RunningProgram: Sendable {
  private struct Said {
    var text = ""
    var hasEnded = false
    /// Its exit code, if it exited.
    var status: Int32?
  }

  private let child: Child
  private let said = Mutex(Said())
  private let changed = DispatchSemaphore(value: 0)
  /// Signalled when the program has ended, and when its standard error has been read to the end.
  private let exited = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - input: its standard input; empty by default.
  ///   - output: its standard output.
  public init(_ arguments: [String], input: OpenPipe? = nil, output: OpenPipe? = nil) throws {
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

  /// Its standard error so far.
  public var errors: String { said.withLock { $0.text } }

  /// A count in the last status line (`--stats-every`); 0 if there is none.
  public static func lastCount(_ name: String, in text: String) -> Int {
    Int((text.components(separatedBy: "\"\(name)\":").last ?? "").prefix(while: \.isNumber)) ?? 0
  }

  /// Waits until its standard error satisfies `isEnough`.
  ///
  /// - Returns: `false` if it ended before, or wrote nothing for `Program.limit` seconds.
  public func waitUntil(_ isEnough: (String) -> Bool) -> Bool {
    while true {
      let (text, hasEnded) = said.withLock { ($0.text, $0.hasEnded) }
      if isEnough(text) { return true }
      if hasEnded || changed.wait(timeout: .now() + Program.limit) == .timedOut { return false }
    }
  }

  /// Waits until the program handles a signal.
  ///
  /// - Returns: `false` if that took longer than `Program.limit` seconds.
  public func waitUntilCaught(_ signal: Int32) -> Bool { wait(until: { child.catches(signal) }) }

  /// Waits until a signal would not end the program as it ends any other: it is handled, or ignored.
  public func waitUntilNotDefault(_ signal: Int32) -> Bool {
    wait(until: { child.catches(signal) || child.ignores(signal) })
  }

  private func wait(until condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(Program.limit)
    while ContinuousClock.now < deadline {
      if condition() { return true }
      sched_yield()
    }
    return false
  }

  public func send(_ signal: Int32) { child.send(signal) }

  /// Waits for its end and the end of its standard error, and kills it after `limit` seconds.
  ///
  /// - Returns: its exit code; `nil` if a signal ended it, also at the limit.
  public func wait(limit: Double = Program.limit) -> Int32? {
    let deadline = DispatchTime.now() + limit
    guard exited.wait(timeout: deadline) == .success, exited.wait(timeout: deadline) == .success else {
      child.send(SIGKILL)
      _ = exited.wait(timeout: .now() + 10)
      return nil
    }
    return said.withLock { $0.status }
  }
}
