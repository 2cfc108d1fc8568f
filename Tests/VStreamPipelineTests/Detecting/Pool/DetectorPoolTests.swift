import Dispatch
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// Runs that share detector threads.
struct DetectorPoolTests {
  /// Finds an object in each frame, or fails.
  private struct Stage: FrameDetecting {
    let label: String
    let seen: Monitor<[String]>

    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
      seen.update { $0.append(label) }
      if label == "fails" { throw VStreamError(.library, "scripted failure") }
      return Detections(objects: [Scripted.object(label)])
    }
  }

  /// Says when it has a frame, and keeps it until it may go on.
  private struct GatedStage: FrameDetecting {
    let entered: DispatchSemaphore
    let mayGoOn: DispatchSemaphore

    mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
      entered.signal()
      mayGoOn.wait()
      return Detections()
    }
  }

  private let pool = DetectorPool(threads: 2)
  private let seen = Monitor<[String]>([])

  private func member(_ label: String) -> PoolMember {
    let member = pool.join(PoolShare(passesPerSecond: 5))
    let seen = seen
    member.begin([{ Stage(label: label, seen: seen) }], state: RunState())
    return member
  }

  private static func outcome(_ result: PendingDetection) -> String {
    switch result.wait(until: nil) {
    case .found(let found): found.objects?.first?.label ?? "nothing"
    case .failed(let error): error.message
    case .superseded: "superseded"
    case nil: "no outcome"
    }
  }

  @Test func `each member's frames are detected by its own detectors`() throws {
    let members = ["person", "car", "dog"].map { ($0, member($0)) }
    for index in 0..<20 {
      let results = try members.map { label, member in
        let result = PendingDetection()
        member.offer(DetectionTask(frame: try Scripted.frame(index), result: result))
        return (label, result)
      }
      for (label, result) in results { #expect(Self.outcome(result) == label) }
    }
    #expect(seen.read { $0.count } == 60)
    pool.stop()
  }

  /// Otherwise nothing is predicted after a cut.
  @Test func `detections are of their frame's shot`() throws {
    var frame = try Scripted.frame(0)
    frame.shot = 3
    let result = PendingDetection()
    member("person").offer(DetectionTask(frame: frame, result: result))
    guard case .found(let found)? = result.wait(until: nil) else { return #expect(Bool(false), "nothing was found") }
    #expect(found.shot == 3)
    pool.stop()
  }

  @Test func `a detector that fails fails its own member's frames only`() throws {
    let (good, bad) = (member("person"), member("fails"))
    for index in 0..<5 {
      let (one, other) = (PendingDetection(), PendingDetection())
      bad.offer(DetectionTask(frame: try Scripted.frame(index), result: other))
      good.offer(DetectionTask(frame: try Scripted.frame(index), result: one))
      #expect(Self.outcome(one) == "person")
      #expect(Self.outcome(other) == "scripted failure")
    }
    pool.stop()
  }

  @Test func `frames of a member whose models are not loaded, or that has left, are not waited for`() throws {
    let early = pool.join(PoolShare(passesPerSecond: 5))
    let result = PendingDetection()
    early.offer(DetectionTask(frame: try Scripted.frame(0), result: result))
    #expect(Self.outcome(result) == "superseded")
    early.leave()
    let late = PendingDetection()
    early.offer(DetectionTask(frame: try Scripted.frame(1), result: late))
    #expect(Self.outcome(late) == "superseded")
    pool.stop()
  }

  @Test func `a live run is detected by the shared pool, one that waits by its own threads`() throws {
    var configuration = PipelineConfiguration(input: MediaInput("x"), fontPath: "", threads: 1)
    configuration.detectorPool = (pool, PoolShare(passesPerSecond: 5))
    configuration.detectors = [DetectorSpec(.objects) { _, _ in { Stage(label: "person", seen: Monitor([])) } }]
    let live = Flow(isLive: true, readsAtFrameRate: false, hold: 0.05, dropsAtEntrance: true)
    let waiting = Flow(isLive: true, readsAtFrameRate: false, hold: nil, dropsAtEntrance: false)
    let groups = [live, waiting].flatMap {
      DetectorGroup.groups(for: configuration, $0, DetectorRequirements(mode: .stream), on: ThreadGroup())
    }
    #expect(groups.count == 2)
    guard case .newest(_, ownPool: nil) = groups[0].queue else { return #expect(Bool(false), "the shared pool") }
    #expect(groups[0].threadCount == pool.threadCount)
    guard case .every = groups[1].queue else { return #expect(Bool(false), "every frame is waited for") }
    pool.stop()
  }

  /// With a model for fewer threads, that was loaded first, the pool's other threads would wait.
  @Test func `a run's models are loaded once, for all threads of the pool`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=0.5", "-c:v", "ffv1", folder.file("in.mkv"),
    ])
    let loads = Monitor<[[Int]]>([])
    var configuration = PipelineConfiguration(input: MediaInput(folder.file("in.mkv")), fontPath: "", threads: 1)
    configuration.isRealtime = true
    configuration.detectorPool = (pool, PoolShare(passesPerSecond: 5))
    configuration.detectors = [
      DetectorSpec(.objects) { [seen] detectors, threads in
        loads.update { $0.append([detectors, threads]) }
        return { Stage(label: "person", seen: seen) }
      }
    ]
    _ = try Pipeline(configuration).run()
    #expect(loads.read { $0 } == [[pool.threadCount, pool.threadCount]])
    pool.stop()
  }

  /// The program may free what detectors use only after that.
  @Test func `a stopped pool has ended when the frames in flight are detected`() throws {
    let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let member = pool.join(PoolShare(passesPerSecond: 5))
    member.begin([{ GatedStage(entered: entered, mayGoOn: mayGoOn) }], state: RunState())
    let result = PendingDetection()
    member.offer(DetectionTask(frame: try Scripted.frame(0), result: result))
    entered.wait()
    pool.stop()
    #expect(!pool.waitUntilEnded(seconds: 0))
    mayGoOn.signal()
    #expect(pool.waitUntilEnded(seconds: Program.limit))
    #expect(Self.outcome(result) == "nothing")
  }

  @Test(arguments: [(5.0, 1.0, 0.2), (5.0, 2.0, 0.1), (10.0, 0.5, 0.2), (0.0, 0.0, 10_000.0)])
  func `a share's deadline is its period, divided by its weight`(passes: Double, weight: Double, deadline: Double) {
    #expect(abs(PoolShare(passesPerSecond: passes, weight: weight).relativeDeadline - deadline) < 1e-9 * deadline)
  }
}
