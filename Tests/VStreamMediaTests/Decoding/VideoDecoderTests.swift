import CVStreamLibAV
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Frames of intact and damaged packets.
struct VideoDecoderTests {
  private static func packets(_ name: String, _ options: [String], seconds: String = "1") throws
    -> (video: StreamInfo, packets: [Packet])
  {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("64x48", rate: "10", seconds: seconds) + options + [folder.file(name)])
    let reader = try MediaReader(MediaInput(folder.file(name)))
    var packets: [Packet] = []
    while case .packet(let packet) = try reader.next() { packets.append(packet) }
    return (reader.video, packets)
  }

  private static func decode(
    _ packets: [Packet], _ decoder: VideoDecoder
  ) throws -> (frames: [VideoFrame], damaged: Int) {
    var (frames, damaged): ([VideoFrame], Int) = ([], 0)
    for packet in packets.map(Optional.some) + [nil] {
      let output = try decoder.decode(packet)
      frames += output.frames
      damaged += output.isDamaged ? 1 : 0
    }
    return (frames, damaged)
  }

  static let codecs = [
    ["-c:v", "libx264", "-bf", "3"], ["-c:v", "libx264", "-bf", "0", "-g", "1"], ["-c:v", "mpeg4"],
    ["-c:v", "mpeg2video", "-bf", "2"], ["-c:v", "mjpeg"], ["-c:v", "ffv1"], ["-c:v", "png"],
  ]

  @Test(arguments: codecs, [1, 2])
  func `each frame is returned once, in presentation order`(codec: [String], threads: Int) throws {
    let (video, packets) = try Self.packets("a.mkv", codec)
    let result = try Self.decode(packets, try VideoDecoder(video, threads: threads))
    #expect(result.damaged == 0)
    let times = result.frames.map { ($0.time.seconds * 10).rounded() }
    #expect(times == (0..<10).map(Double.init))
    #expect(result.frames.allSatisfy { $0.size == PixelSize(width: 64, height: 48) })
  }

  struct Saving: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let codec: [String]
    let effort: VideoDecoder.Effort
    /// Of ten.
    let frames: ClosedRange<Int>
  }

  static let savings = [
    Saving(
      testDescription: "H.264 without deblocking", codec: ["-c:v", "libx264", "-bf", "3"], effort: .withoutDeblocking,
      frames: 10...10),
    Saving(
      testDescription: "HEVC without deblocking", codec: ["-c:v", "libx265", "-x265-params", "log-level=none"],
      effort: .withoutDeblocking, frames: 10...10),
    Saving(
      testDescription: "MPEG-4, which has no such filter", codec: ["-c:v", "mpeg4"], effort: .withoutDeblocking,
      frames: 10...10),
    Saving(
      testDescription: "H.264 with B-frames, reference frames only",
      codec: ["-c:v", "libx264", "-bf", "3", "-b_strategy", "0", "-x264-params", "b-pyramid=none"],
      effort: .referenceFramesOnly, frames: 3...5),
    Saving(
      testDescription: "H.264 of which every frame is referred to",
      codec: ["-c:v", "libx264", "-bf", "0", "-g", "5"], effort: .referenceFramesOnly, frames: 9...10),
  ]

  @Test(arguments: savings) func `what is left out leaves the other frames nearly as they are`(row: Saving) throws {
    let (video, packets) = try Self.packets("a.mkv", row.codec)
    let complete = try Self.decode(packets, try VideoDecoder(video, threads: 1)).frames
    let saved = try Self.decode(packets, try VideoDecoder(video, threads: 1, effort: row.effort))
    #expect(saved.damaged == 0 && row.frames.contains(saved.frames.count), "\(saved.frames.count) frames")
    for frame in saved.frames {
      let same = try #require(complete.first { $0.time == frame.time })
      let pairs = zip(try frame.values(0).joined(), try same.values(0).joined())
      let difference = pairs.map { abs($0 - $1) }.reduce(0, +)
      #expect(difference <= 4 * frame.size.width * frame.size.height, "\(frame.time)")
    }
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let codec: [String]
    /// Number of frames decoded from ten packets of which the fifth is overwritten.
    let frames: ClosedRange<Int>
  }

  static let damages = [
    Damage(testDescription: "Motion JPEG", codec: ["-c:v", "mjpeg"], frames: 9...9),
    Damage(testDescription: "PNG", codec: ["-c:v", "png"], frames: 9...9),
    Damage(
      testDescription: "FFV1 with a checksum", codec: ["-c:v", "ffv1", "-level", "3", "-slicecrc", "1"], frames: 9...10),
    Damage(testDescription: "H.264", codec: ["-c:v", "libx264", "-bf", "0"], frames: 9...10),
  ]

  @Test(arguments: damages)
  func `a damaged packet is reported, and the frames around it are decoded`(row: Damage) throws {
    let (video, packets) = try Self.packets("a.mkv", row.codec)
    let bad = packets[4].av.pointee
    for index in 0..<Int(bad.size) { bad.data[index] = UInt8(truncatingIfNeeded: index &* 37 &+ 11) }
    let result = try Self.decode(packets, try VideoDecoder(video, threads: 1))
    #expect(result.damaged > 0)
    #expect(row.frames.contains(result.frames.count), "\(result.frames.count)")
    #expect(zip(result.frames, result.frames.dropFirst()).allSatisfy { $0.time.ticks < $1.time.ticks })
  }

  struct Times: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The times of intra-coded packets, one tick a frame; `nil` for none.
    let ticks: [Int64?]
    var start: Double?
    let expected: [Int64]
  }

  static let times = [
    Times(testDescription: "as they are", ticks: [0, 1, 2], expected: [0, 1, 2]),
    Times(testDescription: "with gaps", ticks: [5, 9, 20], expected: [5, 9, 20]),
    Times(testDescription: "none at all", ticks: [nil, nil, nil], expected: [0, 1, 2]),
    Times(testDescription: "none at all, from 3 s on", ticks: [nil, nil, nil], start: 3, expected: [30, 31, 32]),
    Times(testDescription: "one missing", ticks: [7, nil, 9], expected: [7, 8, 9]),
    Times(testDescription: "equal", ticks: [4, 4, 4], expected: [4, 5, 6]),
    Times(
      testDescription: "at the largest representable time", ticks: [.max - 1, nil, nil],
      expected: [.max - 1, .max, .max]),
  ]

  @Test(arguments: times)
  func `frames without a time follow the last one at the frame rate`(row: Times) throws {
    let (video, packets) = try Self.packets("a.avi", ["-c:v", "mjpeg"], seconds: "0.3")
    #expect(video.timeBase == Rational(1, 10))
    for (packet, ticks) in zip(packets, row.ticks) {
      packet.av.pointee.pts = ticks ?? CVStreamLibAV_NOPTS
      packet.av.pointee.dts = ticks ?? CVStreamLibAV_NOPTS
    }
    let decoder = try VideoDecoder(video, threads: 1, startingAt: row.start)
    #expect(try Self.decode(packets, decoder).frames.map(\.time.ticks) == row.expected)
  }

  @Test func `after a reset, packets of another position are decoded`() throws {
    let (video, packets) = try Self.packets("a.mkv", ["-c:v", "libx264", "-bf", "0", "-g", "5"])
    let decoder = try VideoDecoder(video, threads: 1)
    _ = try Self.decode(packets, decoder)
    decoder.reset()
    let again = try Self.decode(Array(packets[5...]), decoder)
    #expect(again.damaged == 0)
    #expect(again.frames.count == 5)
    #expect(again.frames.first?.time.seconds == 0.5)
  }

  @Test func `a stream without a decoder is an error that names it`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("32x32") + ["-c:v", "mpeg4", folder.file("a.mkv")])
    let video = try MediaReader(MediaInput(folder.file("a.mkv"))).video
    video.parameters.av.pointee.codec_id = AV_CODEC_ID_PROBE
    let error = failure { _ = try VideoDecoder(video) }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains("#0 (video, mpeg4)") == true)
  }

  @Test func `the first frame of an input is upright`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("64x48") + ["-c:v", "libx264", folder.file("a.mp4")])
    try Program.ffmpeg(Program.rotating(folder.file("a.mp4"), by: 90) + [folder.file("b.mp4")])
    let (plain, rotated) = (
      try DecodedFrames.first(of: MediaInput(folder.file("a.mp4"))),
      try DecodedFrames.first(of: MediaInput(folder.file("b.mp4")))
    )
    #expect(plain.size == PixelSize(width: 64, height: 48))
    #expect(rotated.size == PixelSize(width: 48, height: 64))
    #expect(rotated.pixels == (try plain.applying(.counterClockwise)).pixels)
  }

  @Test func `an input without a frame that can be decoded is an error`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("64x48", seconds: "0.1") + ["-c:v", "png", folder.file("a.mkv")])
    var bytes = try #require(ImageFiles.bytes(of: folder.file("a.mkv")))
    let signature = try #require(bytes.firstRange(of: Array("IHDR".utf8)))
    for index in signature.upperBound..<signature.upperBound + 200 { bytes[index] = 0xFF }
    try bytes.withUnsafeBytes { raw in
      let file = try #require(fopen(folder.file("a.mkv"), "wb"))
      fwrite(raw.baseAddress, 1, raw.count, file)
      fclose(file)
    }
    let error = failure { _ = try DecodedFrames.first(of: MediaInput(folder.file("a.mkv"))) }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains("no frame of") == true)
  }

  /// `--encode changed` copies no packet of such a frame.
  @Test(arguments: [
    (expression: "PTS", altered: [Int]()),
    ("PTS+40*N", []),
    // A step back: the frames up to the old time follow it by a tick each.
    ("if(lt(N\\,5)\\,PTS+80\\,PTS)", [5, 6]),
    ("if(lt(N\\,5)\\,PTS+120\\,PTS)", [5, 6, 7]),
  ])
  func `a frame whose time does not follow the one before is altered`(expression: String, altered: [Int]) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(
      Clip.video("96x64", rate: "25", seconds: "1") + ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "0"]
        + ["-bsf:v", "setts=pts=\(expression):dts=DTS", folder.file("a.mkv")])
    let reader = try MediaReader(MediaInput(folder.file("a.mkv")))
    let decoder = try VideoDecoder(reader.video, threads: 1)
    var frames: [VideoFrame] = []
    while case .packet(let packet) = try reader.next() { frames += try decoder.decode(packet).frames }
    frames += try decoder.decode(nil).frames
    #expect(frames.count == 25)
    #expect(frames.indices.filter { frames[$0].isAltered } == altered)
    #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.time.ticks < $1.time.ticks })
  }
}
