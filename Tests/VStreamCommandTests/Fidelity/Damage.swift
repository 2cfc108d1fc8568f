import Foundation
import Testing
import VStreamTestSupport

/// Kinds of damage to a file, as by a failing disk, a bad connection or a faulty tool.
enum Mutation: CaseIterable, Sendable {
  case fewFlips
  case someFlips
  case manyFlips
  case cut
  case zeroed
  case tail
  case swapped
  case header

  /// Damages a file.
  ///
  /// - Returns: a description of the damage, with its positions.
  func apply(to bytes: inout Data, _ numbers: inout SeededNumbers) -> String {
    switch self {
    case .fewFlips: flip(&bytes, 0..<bytes.count, oneIn: 20_000, &numbers)
    case .someFlips: flip(&bytes, 0..<bytes.count, oneIn: 1_000, &numbers)
    case .manyFlips: flip(&bytes, 0..<bytes.count, oneIn: 50, &numbers)
    case .header: flip(&bytes, 0..<min(600, bytes.count), oneIn: 40, &numbers)
    case .cut:
      remove(&bytes, piece(of: bytes, &numbers))
    case .tail:
      remove(&bytes, bytes.count * (10 + numbers.below(90)) / 100..<bytes.count)
    case .zeroed:
      zero(&bytes, piece(of: bytes, &numbers))
    case .swapped:
      swap(&bytes, &numbers)
    }
  }

  /// A range of up to a tenth of the file.
  private func piece(of bytes: Data, _ numbers: inout SeededNumbers) -> Range<Int> {
    let length = 1 + numbers.below(bytes.count / 10)
    let start = numbers.below(bytes.count - length)
    return start..<start + length
  }

  private func flip(_ bytes: inout Data, _ range: Range<Int>, oneIn: Int, _ numbers: inout SeededNumbers) -> String {
    let count = max(1, range.count / oneIn)
    for _ in 0..<count { bytes[range.lowerBound + numbers.below(range.count)] ^= 1 << UInt8(numbers.below(8)) }
    return "\(count) bits flipped in bytes \(range)"
  }

  private func remove(_ bytes: inout Data, _ range: Range<Int>) -> String {
    let count = bytes.count
    bytes.removeSubrange(range)
    return "bytes \(range) of \(count) cut out"
  }

  private func zero(_ bytes: inout Data, _ range: Range<Int>) -> String {
    bytes.replaceSubrange(range, with: Data(count: range.count))
    return "bytes \(range) of \(bytes.count) zeroed"
  }

  /// Swaps two blocks of 4096 bytes or of a twentieth of the file.
  private func swap(_ bytes: inout Data, _ numbers: inout SeededNumbers) -> String {
    let size = min(4096, max(1, bytes.count / 20))
    let positions = [numbers.below(bytes.count / size), numbers.below(bytes.count / size)].map { $0 * size }
    let blocks = positions.map { bytes.subdata(in: $0..<$0 + size) }
    bytes.replaceSubrange(positions[0]..<positions[0] + size, with: blocks[1])
    bytes.replaceSubrange(positions[1]..<positions[1] + size, with: blocks[0])
    return "blocks of \(size) bytes at \(positions[0]) and \(positions[1]) swapped"
  }
}

/// A small video of 50 frames, with the other streams that are usual in its container, made by FFmpeg.
struct SmallVideo: Hashable, Sendable {
  let name: String
  let options: [String]
  /// Whether FFmpeg's demuxer continues after missing data without an error.
  var losesSilently = false
  static let frames = 50

  static let all = [
    SmallVideo(name: "h264-aac.mp4", options: ["-c:v", "libx264", "-c:a", "aac"]),
    SmallVideo(
      name: "fragmented.mp4",
      options: ["-c:v", "libx264", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov+default_base_moof"],
      losesSilently: true),
    SmallVideo(
      name: "h264-flac-srt.mkv", options: ["-c:v", "libx264", "-c:a", "flac", "-map", "2", "-c:s", "srt"],
      losesSilently: true),
    SmallVideo(name: "prores-pcm.mov", options: ["-c:v", "prores", "-profile:v", "0", "-c:a", "pcm_s16le"]),
    SmallVideo(name: "mpeg4-mp3.avi", options: ["-c:v", "mpeg4", "-c:a", "libmp3lame"], losesSilently: true),
    // With several threads, FFmpeg 5.1 may mark a frame as damaged after returning it.
    SmallVideo(name: "h264-aac.ts", options: ["-c:v", "libx264", "-c:a", "aac"], losesSilently: true),
    SmallVideo(
      name: "vp9-opus.webm", options: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
      losesSilently: true),
    SmallVideo(name: "ffv1-pcm.nut", options: ["-c:v", "ffv1", "-c:a", "pcm_s16le"], losesSilently: true),
    SmallVideo(name: "mpeg2-mp2.mpg", options: ["-c:v", "mpeg2video", "-c:a", "mp2"]),
    SmallVideo(name: "pictures.mjpeg", options: ["-an", "-pix_fmt", "yuvj420p"], losesSilently: true),
  ]

  /// Creates the file: the same bytes with the same version of FFmpeg.
  func make(in folder: TemporaryFolder, _ more: [String] = []) throws -> String {
    let subtitles = folder.file("subtitles.srt")
    try Data("1\n00:00:00,200 --> 00:00:00,900\nFirst\n\n2\n00:00:01,200 --> 00:00:01,900\nSecond\n".utf8)
      .write(to: URL(filePath: subtitles))
    let inputs = [
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=2", "-f", "lavfi", "-i", "sine=duration=2", "-i",
      subtitles, "-map", "0", "-map", "1",
    ]
    let same = ["-g", "12", "-threads", "1", "-pix_fmt", pixelFormat]
    let exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact"]
    let path = folder.file(name)
    try Program.ffmpeg(inputs + same + exact + options + more + [path])
    return path
  }

  private var pixelFormat: String { name.hasPrefix("prores") ? "yuv422p10le" : "yuv420p" }
}

/// The small videos, made once for all tests of a suite that has the trait, and removed after them.
struct SmallVideos: SuiteTrait, TestScoping {
  @TaskLocal static var made: [SmallVideo: Data] = [:]

  func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void)
    async throws
  {
    let folder = try TemporaryFolder()
    var made: [SmallVideo: Data] = [:]
    for video in SmallVideo.all { made[video] = try Data(contentsOf: URL(filePath: video.make(in: folder))) }
    try await Self.$made.withValue(made) { try await function() }
  }
}
