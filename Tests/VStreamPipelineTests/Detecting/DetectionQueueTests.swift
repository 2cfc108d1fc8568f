import Testing
import VStreamMedia
import VStreamScene

@testable import VStreamPipeline

/// Which frames detectors are run on, and what becomes of the others.
struct DetectionQueueTests {
  private let clock = ManualClock()

  private func task(_ index: Int) throws -> DetectionTask {
    DetectionTask(frame: try Scripted.frame(index), result: PendingDetection(clock: clock))
  }

  private func ticks(_ task: DetectionTask?) -> Int64? { task?.frame.time.ticks }

  @Test func `a queue of every frame keeps their order, and ends after the last`() throws {
    let queue = DetectionQueue(everyFrameUpTo: 4)
    #expect(queue.hasEveryFrame && queue.nextIfAvailable() == nil)
    let tasks = try (0..<3).map(task)
    for task in tasks { #expect(queue.offer(task)) }
    queue.withdraw(tasks[1].result)
    #expect(ticks(queue.nextIfAvailable()) == 0)
    queue.finish()
    #expect(ticks(queue.next()) == 40, "frames are never withdrawn")
    #expect(ticks(queue.next()) == 80)
    #expect(queue.next() == nil)
    #expect(tasks.allSatisfy { $0.result.outcome == nil })
  }

  @Test func `a newer frame supersedes the one that waits`() throws {
    let queue = DetectionQueue(newestFrameBy: clock)
    #expect(!queue.hasEveryFrame)
    let tasks = try (0..<3).map(task)
    for task in tasks { #expect(queue.offer(task)) }
    #expect(tasks.map(\.result.isSuperseded) == [true, true, false])
    #expect(queue.nextIfAvailable() == nil, "one frame is in flight at a time")
    #expect(ticks(queue.next()) == 80)
  }

  @Test func `only the frame that waits can be withdrawn`() throws {
    let queue = DetectionQueue(newestFrameBy: clock)
    let (inFlight, waiting) = (try task(0), try task(1))
    #expect(queue.offer(inFlight) && ticks(queue.next()) == 0)
    #expect(queue.offer(waiting))
    queue.withdraw(inFlight.result)
    #expect(!inFlight.result.isSuperseded)
    queue.withdraw(waiting.result)
    #expect(waiting.result.isSuperseded)
    queue.finish()
    #expect(queue.next() == nil)
  }

  @Test func `a result is settled once`() {
    let detection = PendingDetection(clock: clock)
    #expect(detection.outcome == nil && detection.wait(until: 0) == nil)
    detection.settle(.superseded)
    detection.settle(.found(Observations(objects: [])))
    #expect(detection.isSuperseded)
  }

  @Test func `waiting for a result ends at the deadline`() {
    let detection = PendingDetection(clock: clock)
    let ended = Monitor<Bool?>(nil)
    let threads = ThreadGroup()
    threads.start {
      let isSettled = detection.wait(until: 3) != nil
      ended.update { $0 = isSettled }
    }
    clock.advance(to: 3)
    #expect(ended.wait { $0 } == false)
  }
}
