import Testing
import VStreamCore
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// Sinks and what measures them, with a clock that the test sets.
struct SinkTests {
  private let clock = ManualClock()

  private func annotated(arrival: Double) throws -> FrameJob {
    let format = try #require(PixelFormat(name: "gray"))
    let frame = try VideoFrame(
      format: format, size: PixelSize(width: 16, height: 16), time: Time(ticks: 0, base: .milliseconds))
    return Scripted.job(frame, arrival: arrival)
  }

  @Test(arguments: [(true, 1), (false, 0)])
  func `the latency of live frames is measured, of others it is not`(isLive: Bool, count: Int) throws {
    let state = RunState(clock: clock)
    let sink = NullSink(
      monitor: SinkMonitor(state: state, timer: StageTimer(), isLive: isLive, isWatched: false))
    clock.advance(to: 7)
    sink.write(try annotated(arrival: 6.5))
    #expect(state.contents.read { $0.latency.count } == count)
  }

  @Test func `a stopped run is stuck when its receiver has accepted nothing for two seconds`() {
    let state = RunState(clock: clock)
    let monitor = SinkMonitor(state: state, timer: StageTimer(), isLive: true, isWatched: true)
    monitor.waiting {
      clock.advance(to: 10)
      #expect(!state.isSinkStuck, "not stopped")
      state.stop()
      clock.advance(to: 11.9)
      #expect(!state.isSinkStuck)
      clock.advance(to: 12.1)
      #expect(state.isSinkStuck)
    }
    #expect(!state.isSinkStuck, "accepted")
  }

  @Test func `a file is never stuck`() {
    let state = RunState(clock: clock)
    let monitor = SinkMonitor(state: state, timer: StageTimer(), isLive: false, isWatched: false)
    state.stop()
    monitor.waiting {
      clock.advance(to: 100)
      #expect(!state.isSinkStuck)
    }
    #expect(monitor.interrupt == nil)
  }

  @Test func `an overlay track that is discarded leaves neither the video nor its script`() throws {
    let folder = try TemporaryFolder()
    let clip = ["-f", "lavfi", "-i", "testsrc2=size=64x48:duration=0.2", "-c:v", "mpeg4", folder.file("in.mkv")]
    try Program.ffmpeg(clip)
    let media = try MediaReader(MediaInput(folder.file("in.mkv")))
    let output = try OverlayTrackOutput(
      OutputDestination(folder.file("out.mp4"), overwrite: true), header: "[Script Info]\n", video: media.video,
      copying: [], audio: .auto, container: media.container, shift: 0, isWatched: false, interrupt: nil)
    #expect(folder.names.contains("out.ass"))
    output.discard()
    #expect(folder.names == ["in.mkv"])
  }

  @Test func `a run without an output counts its frames, and needs no pixels`() throws {
    let state = RunState(clock: clock)
    let configuration = PipelineConfiguration(input: MediaInput("a.mkv"), fontPath: "", threads: 1)
    let format = FrameFormat(configuration, codec: configuration.output?.codec)
    let frame = try annotated(arrival: 0).frame
    let (target, warning) = try format.target(for: frame)
    #expect(target.format == frame.format && warning == nil)
    #expect(state.contents.read { $0.counts.framesOut } == 0)
  }

  private func format(wanted: String?) throws -> FrameFormat {
    var configuration = PipelineConfiguration(input: MediaInput("a.mkv"), fontPath: "", threads: 1)
    var encoder = EncoderSettings(codec: "libx264")
    encoder.pixelFormat = wanted.flatMap { PixelFormat(name: $0) }
    configuration.output = PipelineOutput(
      destination: try OutputDestination("out.mkv", overwrite: true), codec: try VideoCodec(encoder: "libx264"),
      encoder: encoder)
    return FrameFormat(configuration, codec: configuration.output?.codec)
  }

  @Test func `frames that the encoder does not support are converted with a warning`() throws {
    let rgb = try VideoFrame(rgb: [UInt8](repeating: 0, count: 16 * 16 * 3), size: PixelSize(width: 16, height: 16))
    let (target, warning) = try format(wanted: nil).target(for: rgb)
    #expect(target.format != rgb.format)
    #expect(warning?.settings == [.pixelFormat])
    let chosen = try format(wanted: "yuv420p").target(for: rgb)
    #expect("\(chosen.target.format)" == "yuv420p" && chosen.warning == nil)
  }
}
