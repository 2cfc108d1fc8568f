import Testing
import VStreamCore
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// Runs that are repeated until they are stopped.
struct RunSupervisorTests {
  /// What a supervisor reported, in words.
  private final class Log: Sendable {
    private let events = Monitor<[String]>([])

    func add(_ event: RunSupervisor.Event) {
      switch event {
      case .starting: events.update { $0.append("starting") }
      case .progress: break
      case .ended(let error):
        events.update { $0.append("ended: \(error?.code == .inputNotFound ? "not found" : "well")") }
      case .waiting: events.update { $0.append("waiting") }
      case .stopped: events.update { $0.append("stopped") }
      }
    }

    /// Waits for so many events.
    func first(_ count: Int) -> [String] { events.wait { $0.count >= count ? Array($0[..<count]) : nil } ?? [] }
  }

  @Test func `a run that fails is followed by another, and none after it was stopped`() throws {
    let log = Log()
    let supervisor = RunSupervisor(
      makeRun: { () throws(VStreamError) in
        Pipeline(PipelineConfiguration(input: MediaInput("/no/such/file.mp4"), fontPath: "", threads: 1))
      }, onEvent: { log.add($0) })
    supervisor.start()
    let round = ["starting", "ended: not found", "waiting"]
    #expect(log.first(6) == round + round)
    supervisor.stop()
    #expect(supervisor.waitUntilEnded(seconds: Program.limit))
  }

  /// A run without an input, which ends at once, with or without an error.
  private struct EndedRun: SupervisedRun {
    var fails = false
    func runSupervised(onProgress: (PipelineProgress) -> Void) throws {
      if fails { throw VStreamError(.inputNotFound, "scripted") }
    }
    func stop() {}
  }

  @Test func `an input that is repeated starts again without a pause that is reported, unless it fails`() throws {
    let (log, runs) = (Log(), Monitor(0))
    let supervisor = RunSupervisor(
      repeatsAtEnd: true,
      makeRun: { () throws(VStreamError) in
        EndedRun(
          fails: runs.update { count in
            count += 1
            return count == 3
          })
      }, onEvent: { log.add($0) })
    let start = SystemClock().now
    supervisor.start()
    let round = ["starting", "ended: well"]
    #expect(log.first(9) == round + round + ["starting", "ended: not found", "waiting"] + round)
    // What ends at once is not started as fast as the machine can.
    #expect(SystemClock().now - start > 2)
    supervisor.stop()
    #expect(supervisor.waitUntilEnded(seconds: Program.limit))
    #expect(log.first(10).last == "stopped")
  }

  @Test func `a configuration that cannot be made counts as a run that failed`() throws {
    let log = Log()
    let supervisor = RunSupervisor(
      makeRun: { () throws(VStreamError) in throw VStreamError(.inputNotFound, "scripted") },
      onEvent: { log.add($0) })
    supervisor.start()
    #expect(log.first(3) == ["starting", "ended: not found", "waiting"])
    supervisor.stop()
    #expect(supervisor.waitUntilEnded(seconds: Program.limit))
  }

  @Test func `an observer is given the packets and the frames of each run`() throws {
    let folder = try TemporaryFolder()
    let clip = try Scripted.clip(in: folder)
    let (log, observer) = (Log(), Recorder())
    let supervisor = RunSupervisor(
      makeRun: { () throws(VStreamError) in
        var configuration = PipelineConfiguration(input: MediaInput(clip), fontPath: "", threads: 1)
        configuration.observer = observer
        return Pipeline(configuration)
      }, onEvent: { log.add($0) })
    supervisor.start()
    #expect(log.first(5) == ["starting", "ended: well", "waiting", "starting", "ended: well"])
    supervisor.stop()
    #expect(supervisor.waitUntilEnded(seconds: Program.limit))
    let seen = observer.seen.read { $0 }
    #expect(seen.opened == 2 && seen.headers == 2 && seen.lost == 0)
    // Those of all streams.
    #expect(seen.packets > 20 && seen.frames == 20 && seen.painted == 20)
    #expect(seen.times.prefix(10) == seen.times.suffix(10))
  }

  private final class Recorder: RunObserver {
    struct Seen: Sendable {
      var opened = 0
      var lost = 0
      var packets = 0
      var headers = 0
      var frames = 0
      var painted = 0
      var times: [Double] = []
    }

    let seen = Monitor(Seen())

    func inputOpened(_ video: StreamInfo, sound: StreamInfo?) { seen.update { $0.opened += 1 } }
    func inputLost(reason: String) { seen.update { $0.lost += 1 } }
    func packetRead(_ packet: Packet) { seen.update { $0.packets += 1 } }
    func recordsBegan(_ header: RecordHeader) { seen.update { $0.headers += 1 } }
    func framePainted(_ painted: ObservedFrame, isKnown: Bool) { seen.update { $0.painted += isKnown ? 1 : 0 } }
    func frameAnnotated(_ annotated: ObservedFrame) {
      seen.update { seen in
        seen.frames += 1
        seen.times.append(annotated.record.annotations.time.seconds)
      }
    }
  }

  @Test func `packets are relayed without being decoded, at the rate at which they are shown`() throws {
    let folder = try TemporaryFolder()
    let clip = try Scripted.clip(in: folder)
    let (log, observer) = (Log(), Recorder())
    let supervisor = RunSupervisor(
      makeRun: { () throws(VStreamError) in PacketRelay(MediaInput(clip), observer: observer) },
      onEvent: { log.add($0) })
    let start = SystemClock().now
    supervisor.start()
    #expect(log.first(2) == ["starting", "ended: well"])
    // The last of ten frames a second is shown after nine tenths.
    #expect(SystemClock().now - start > 0.85)
    supervisor.stop()
    #expect(supervisor.waitUntilEnded(seconds: Program.limit))
    let seen = observer.seen.read { $0 }
    #expect(seen.opened >= 1 && seen.packets > 20 && seen.headers == 0 && seen.frames == 0 && seen.lost == 0)
  }

  @Test func `a relay that is stopped ends without an error, and a missing input is one`() throws {
    let folder = try TemporaryFolder()
    let observer = Recorder()
    let relay = PacketRelay(MediaInput(try Scripted.clip(in: folder)), observer: observer)
    relay.stop()
    try relay.runSupervised { _ in }
    #expect(observer.seen.read { $0.packets } == 0)
    let error = #expect(throws: VStreamError.self) {
      try PacketRelay(MediaInput("/no/such/file.mp4"), observer: observer).runSupervised { _ in }
    }
    #expect(error?.code == .inputNotFound)
  }

  @Test func `masks are filled before the observer is given a frame`() throws {
    let folder = try TemporaryFolder()
    let clip = folder.file("white.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=white:size=64x48:rate=10:duration=1,format=gray", "-c:v", "ffv1", clip,
    ])
    var configuration = PipelineConfiguration(input: MediaInput(clip), fontPath: "", threads: 1)
    let corners = try #require(CountedRegions.Corner.list("0%,0%;50%,0%;50%,100%;0%,100%"))
    configuration.masks = [corners]
    let images = Images()
    configuration.observer = images
    _ = try Pipeline(configuration).run()
    let values = images.values.read { $0 }
    #expect(values.count == 10)
    #expect(values.allSatisfy { $0.left < 20 && $0.right > 230 }, "\(values)")
  }

  private final class Images: RunObserver {
    let values = Monitor<[(left: UInt8, right: UInt8)]>([])

    func inputOpened(_ video: StreamInfo, sound: StreamInfo?) {}
    func inputLost(reason: String) {}
    func packetRead(_ packet: Packet) {}
    func recordsBegan(_ header: RecordHeader) {}
    func framePainted(_ painted: ObservedFrame, isKnown: Bool) {}
    func frameAnnotated(_ annotated: ObservedFrame) {
      let found = annotated.image.withPlanes { planes -> (UInt8, UInt8) in
        guard let base = planes.bases[0] else { return (255, 0) }
        return (base.load(fromByteOffset: 10, as: UInt8.self), base.load(fromByteOffset: 60, as: UInt8.self))
      }
      values.update { $0.append((left: found.0, right: found.1)) }
    }
  }
}
