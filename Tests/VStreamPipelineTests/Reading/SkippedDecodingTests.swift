import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamTestSupport

@testable import VStreamPipeline

/// A decoder that skips packets: which frames leave it, and what they show.
struct SkippedDecodingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A frame that left: its time in ticks, and its first plane; `nil` if it has no pixels.
  private struct Sent: Equatable {
    var ticks: Int64
    var luma: [UInt8]?
  }

  private func packets(_ path: String) throws -> (video: StreamInfo, packets: [Packet]) {
    let reader = try MediaReader(MediaInput(path))
    var packets: [Packet] = []
    while case .packet(let packet) = try reader.next() { packets.append(packet) }
    return (reader.video, packets)
  }

  /// What leaves the decoder if each packet is treated as a letter says: D decoded, A alone, S skipped, R resumed.
  private func frames(of path: String, steps: String) throws -> [Sent] {
    let (video, packets) = try packets(path)
    let state = RunState()
    let output = Channel<StreamItem>(capacity: 1000 * Weight.frame)
    let configuration = PipelineConfiguration(input: MediaInput(path), fontPath: "", threads: 1)
    let flow = Flow(isLive: true, readsAtFrameRate: false, hold: 0.05, dropsAtEntrance: false)
    var dispatcher = FrameDispatcher(
      configuration, flow, trim: Trim(first: 0, skip: nil, duration: nil), state: state, output: output, queues: [])
    var decoder = FrameDecoder(
      try VideoDecoder(video, threads: 1, isLowDelay: true),
      FrameFormat(configuration, codec: configuration.output?.codec).normaliser(for: video, state: state),
      threads: 1, isLowDelay: true, waitsForKeyFrame: false, state: state, timer: StageTimer())
    for (packet, step) in zip(packets, steps) {
      switch step {
      case "A":
        let count = dispatcher.frameCount
        #expect(try decoder.decodeAlone(packet, to: &dispatcher))
        if dispatcher.frameCount == count { try decoder.resume(dispatcher) }
      case "S": #expect(try decoder.skip(packet, isUnchanged: true, to: &dispatcher))
      case "R":
        try decoder.resume(dispatcher)
        #expect(try decoder.decode(packet, isCut: false, to: &dispatcher))
      default: #expect(try decoder.decode(packet, isCut: false, to: &dispatcher))
      }
    }
    _ = try decoder.decode(nil, isCut: true, to: &dispatcher)
    output.finish()
    var sent: [Sent] = []
    while case .frame(let decoded)? = output.receive() {
      #expect(decoded.isUnchanged == !decoded.frame.hasPixels && decoded.record.annotations.frame == sent.count)
      sent.append(
        Sent(
          ticks: decoded.frame.time.ticks,
          luma: decoded.frame.hasPixels ? try decoded.frame.packedBytes() : nil))
    }
    #expect(state.contents.read { $0.counts.framesUndecoded } == sent.count { $0.luma == nil })
    return sent
  }

  /// Each picture is refreshed bit by bit: a packet that counts as a key frame gives no frame by itself.
  @Test func `a stream without whole key frames goes on where it was decoded alone`() throws {
    let clip = folder.file("refresh.mkv")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=4", "-c:v", "libx264", "-pix_fmt", "yuv420p"]
        + ["-x264-params", "intra-refresh=1:keyint=10:bframes=0", clip])
    let keys = try packets(clip).packets.map(\.isKey)
    #expect(keys.count == 40 && keys[0])
    let complete = try frames(of: clip, steps: String(repeating: "D", count: 40))
    let resumed = try frames(
      of: clip, steps: String(keys.enumerated().map { $1 && $0 == 20 ? "A" : "D" }))
    #expect(resumed.map(\.ticks).suffix(10) == complete.map(\.ticks).suffix(10))
    #expect(zip(resumed, resumed.dropFirst()).allSatisfy { $0.ticks < $1.ticks })
  }

  @Test(arguments: [
    ("libx264", ["-bf", "0"]), ("libx264", ["-bf", "0", "-x264-params", "bframes=0:ref=4"]), ("libx265", ["-bf", "0"]),
    ("mpeg4", ["-bf", "0"]), ("mjpeg", []),
  ])
  func `frames after skipped ones are those of a decoder that skipped none`(codec: String, options: [String]) throws {
    let clip = folder.file("\(codec)\(options.count).mkv")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=6", "-c:v", codec] + options
        + ["-pix_fmt", "yuv420p", "-g", "10", "-strict", "-1"] + (codec == "libx264" ? ["-sc_threshold", "0"] : [])
        + [clip])
    let complete = try frames(of: clip, steps: String(repeating: "D", count: 60))
    #expect(complete.count == 60 && complete.allSatisfy { $0.luma != nil })
    // Resumed within a group of frames, at once after a key frame, and ended by a key frame.
    let steps = "DDDDDDDDDD" + "ASSSSSSSSS" + "ASSSRDDDDD" + "ARDDDDDDDD" + "ASSSSSSSSS" + "DDDDDDDDDD"
    let skipping = try frames(of: clip, steps: steps)
    #expect(skipping.map(\.ticks) == complete.map(\.ticks))
    for (index, step) in steps.enumerated() {
      #expect(skipping[index].luma == (step == "S" ? nil : complete[index].luma), "frame \(index)")
    }
  }
}
