import Foundation
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamPipeline

/// Frames, detections and clips for tests of single steps.
enum Scripted {
  static let size = PixelSize(width: 64, height: 48)

  static func time(_ index: Int) -> Time { Time(ticks: Int64(index) * 40, base: .milliseconds) }

  /// A grey frame; frames follow each other by 40 ms.
  static func frame(_ index: Int, size: PixelSize = size) throws -> VideoFrame {
    guard let format = PixelFormat(name: "gray") else { throw VStreamError(.library, "no format gray") }
    return try VideoFrame(format: format, size: size, time: time(index))
  }

  static func decoded(
    _ index: Int, size: PixelSize = size, detections: [PendingDetection] = []
  ) throws -> FrameJob {
    job(try frame(index, size: size), index, results: detections)
  }

  static func annotated(
    _ index: Int, source: AnnotationSource = .detected, isLate: Bool = false, arrival: Double = 0
  ) throws -> FrameJob {
    var job = job(try frame(index), index, arrival: arrival)
    (job.record.annotations.source, job.isLate) = (source, isLate)
    return job
  }

  static func job(
    _ frame: VideoFrame, _ index: Int = 0, arrival: Double = 0, offered: Double = 0, results: [PendingDetection] = []
  ) -> FrameJob {
    FrameJob(
      frame, index: index, rotation: 0, arrival: arrival,
      detection: PendingFrame(time: frame.time, offered: offered, results: results))
  }

  /// A queue of the newest frame, and its pool, which has no threads.
  static func newestQueue(_ clock: any PipelineClock) -> (queue: DetectionQueue, pool: DetectorPool) {
    let pool = DetectorPool(threads: 0, clock: clock, on: ThreadGroup())
    return (.newest(pool.join(PoolShare(passesPerSecond: 1)), ownPool: pool), pool)
  }

  static func object(_ label: String = "person", id: Int? = nil, x: Double = 10, side: Double = 20) -> DetectedObject {
    DetectedObject(
      id: id, classIndex: label == "person" ? 0 : 2, label: label, score: 0.9,
      box: Box(x: x, y: 10, width: side, height: side))
  }

  /// A clip of one second with 10 frames, a tone, a subtitle and a second, smaller video.
  static func clip(in folder: TemporaryFolder) throws -> String {
    let subtitles = try folder.write("in.srt", "1\n00:00:00,100 --> 00:00:00,600\nwords\n")
    let path = folder.file("clip.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=1", "-f", "lavfi", "-i", "sine=duration=1",
      "-f", "lavfi", "-i", "testsrc2=size=32x24:rate=10:duration=1", "-i", subtitles, "-map", "0", "-map", "1", "-map",
      "2", "-map", "3", "-c:v", "ffv1", "-c:a", "flac", "-c:s", "srt", path,
    ])
    return path
  }

  /// The packets of a file's streams beside the video.
  static func copiedPackets(of path: String) throws -> [Packet] {
    let reader = try MediaReader(MediaInput(path))
    var packets: [Packet] = []
    while case .packet(let packet) = try reader.next() {
      if packet.streamIndex != reader.video.index { packets.append(packet) }
    }
    return packets
  }
}
