import Foundation
import Synchronization

/// A program that runs beside the test, and is ended when the object is deinitialised at the latest.
public final class Background: Sendable {
  private struct State {
    var said = ""
    var hasEnded = false
    /// Its exit code, or the negative number of the signal that ended it; `nil` while it runs.
    var status: Int32?
  }

  private let child: Child
  private let name: String
  private let state = Mutex(State())
  /// Signalled at each output and at the end.
  private let changed = DispatchSemaphore(value: 0)
  private let exited = DispatchGroup()

  /// - Parameters:
  ///   - arguments: the program, searched for on PATH, and its arguments.
  ///   - environment: added to this process's own.
  public init(_ arguments: [String], environment: [String: String] = [:], folder: String? = nil) throws {
    name = arguments.joined(separator: " ")
    let place = folder.map { ["-C", $0] } ?? []
    let output = try OpenPipe()
    let started = try Child(
      ["/usr/bin/env"] + place + arguments, environment: environment, output: output.writing, errors: output.writing)
    child = started
    output.closeWriting()
    exited.enter()
    // The object itself is not captured, as that would keep it alive.
    Thread.detachNewThread { [weak self, exited] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(output.reading, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        self?.add(String(decoding: buffer[..<count], as: UTF8.self))
      }
      let (status, signal) = started.wait()
      self?.end(signal.map { -$0 } ?? status)
      exited.leave()
    }
  }

  deinit {
    if state.withLock({ $0.status == nil }) { child.send(SIGKILL) }
    exited.wait()
  }

  private func add(_ text: String) {
    state.withLock { $0.said += text }
    changed.signal()
  }

  private func end(_ status: Int32) {
    state.withLock { state in
      state.status = status
      state.hasEnded = true
    }
    changed.signal()
  }

  /// The output so far, of standard output and standard error.
  public var said: String { state.withLock { $0.said } }

  /// Waits until the output satisfies a condition.
  ///
  /// - Returns: the result of `find`.
  /// - Throws: `ProgramFailure` if it ended before, or wrote nothing for `Program.limit` seconds.
  @discardableResult
  public func wait<Found>(for what: String, _ find: (String) -> Found?) throws -> Found {
    while true {
      let (said, hasEnded) = state.withLock { ($0.said, $0.hasEnded) }
      if let found = find(said) { return found }
      if hasEnded { throw ProgramFailure(description: "\(name) ended without \(what): \(said)") }
      if changed.wait(timeout: .now() + Program.limit) == .timedOut {
        throw ProgramFailure(description: "\(name) did not come to \(what): \(said)")
      }
    }
  }

  public func send(_ signal: Int32) { child.send(signal) }

  /// Kills it at once, without a shutdown.
  public func killNow() {
    if state.withLock({ $0.status == nil }) { child.send(SIGKILL) }
    exited.wait()
  }

  /// Waits for its end, and kills it after `limit` seconds.
  ///
  /// - Returns: its exit code, or the negative number of the signal that ended it.
  public func wait(limit: Double = Program.limit) -> Int32 {
    if exited.wait(timeout: .now() + limit) == .timedOut { killNow() }
    return state.withLock { $0.status ?? -1 }
  }
}
