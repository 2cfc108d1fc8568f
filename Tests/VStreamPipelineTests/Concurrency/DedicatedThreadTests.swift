import Foundation
import Synchronization
import Testing
import VStreamCore

@testable import VStreamPipeline

/// Work on threads that may wait.
struct DedicatedThreadTests {
  /// Sixty-four calls wait for something that a task of Swift's own brings, which it could not if they waited on its threads.
  /// The limit is for a hang: other tests hold those threads too, for minutes.
  @Test(.timeLimit(.minutes(30)))
  func `calls that wait leave Swift's own threads free`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let threads = (0..<64).map { DedicatedThread("test \($0)", $0) }
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for thread in threads {
        group.addTask {
          try await thread.run { state in
            gate.wait()
            return state
          }
        }
      }
      group.addTask {
        for _ in threads { gate.signal() }
        return 0
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == 64 * 63 / 2)
  }

  @Test func `one caller at a time has the state`() async throws {
    let thread = DedicatedThread("test", 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          if index % 2 == 0 {
            try await thread.run { $0 += 1 }
          } else {
            try thread.runHere { $0 += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    let total = try await thread.run { $0 }
    #expect(total == 200)
  }

  @Test func `an error comes to who called, and the next call is none the worse`() async throws {
    let thread = DedicatedThread("test", 7)
    let error = await #expect(throws: VStreamError.self) {
      try await thread.run { (_) throws(VStreamError) in throw VStreamError(.usage, "no") }
    }
    #expect(error?.message == "no")
    let state = try await thread.run { $0 }
    #expect(state == 7)
  }

  /// The first call holds the thread until the second one, which waits for its turn, is cancelled.
  @Test(.timeLimit(.minutes(30)))
  func `a call that is cancelled before its turn is not made`() async throws {
    let thread = DedicatedThread("test", 0)
    let (gate, hasStarted) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self))
    let first = Task {
      try await thread.runUnlessCancelled { state in
        hasStarted.continuation.yield()
        gate.wait()
        state += 1
        return state
      }
    }
    for await _ in hasStarted.stream { break }
    let second = Task {
      try await thread.runUnlessCancelled { state in
        state += 100
        return state
      }
    }
    second.cancel()
    gate.signal()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(try await first.value == 1)
    #expect(try await thread.run { $0 } == 1)
  }
}
