import Testing
import VStreamCore
import VStreamMedia

@testable import VStreamPipeline

/// Which frames detectors are run on, and what becomes of the others.
struct DetectionQueueTests {
  private let clock = ManualClock()

  private func task(_ index: Int) throws -> DetectionTask {
    DetectionTask(frame: try Scripted.frame(index), result: PendingDetection(clock: clock))
  }

  private func ticks(_ task: DetectionTask?) -> Int64? { task?.frame.time.ticks }

  @Test func `a queue of every frame keeps their order, and ends after the last`() throws {
    let channel = Channel<DetectionTask>(capacity: 4)
    let queue = DetectionQueue.every(channel)
    #expect(channel.receiveIfAvailable() == nil)
    let tasks = try (0..<3).map(task)
    for task in tasks { #expect(queue.offer(task)) }
    queue.withdraw(tasks[1].result)
    #expect(ticks(channel.receiveIfAvailable()) == 0)
    queue.finish()
    #expect(ticks(channel.receive()) == 40, "frames are never withdrawn")
    #expect(ticks(channel.receive()) == 80)
    #expect(channel.receive() == nil)
    #expect(tasks.allSatisfy { $0.result.outcome == nil })
  }

  @Test func `a newer frame supersedes the one that waits`() throws {
    let (queue, pool) = Scripted.newestQueue(clock)
    let tasks = try (0..<3).map(task)
    for task in tasks { #expect(queue.offer(task)) }
    #expect(tasks.map(\.result.isSuperseded) == [true, true, false])
    #expect(ticks(pool.next()?.task) == 80)
  }

  @Test func `only the frame that waits can be withdrawn`() throws {
    let (queue, pool) = Scripted.newestQueue(clock)
    let (inFlight, waiting) = (try task(0), try task(1))
    #expect(queue.offer(inFlight))
    let job = try #require(pool.next())
    #expect(ticks(job.task) == 0 && queue.offer(waiting))
    queue.withdraw(inFlight.result)
    #expect(!inFlight.result.isSuperseded)
    queue.withdraw(waiting.result)
    #expect(waiting.result.isSuperseded)
    queue.finish()
    pool.complete(job)
    #expect(pool.next() == nil)
  }

  @Test func `a run's own pool ends after the frame that waits`() throws {
    let (queue, pool) = Scripted.newestQueue(clock)
    #expect(queue.offer(try task(0)))
    queue.finish()
    #expect(ticks(pool.next()?.task) == 0 && pool.next() == nil)
  }

  @Test func `a result is settled once`() {
    let detection = PendingDetection(clock: clock)
    #expect(detection.outcome == nil && detection.wait(until: 0) == nil)
    detection.settle(.superseded)
    detection.settle(.found(Detections(objects: [])))
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
