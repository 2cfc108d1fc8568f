import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

/// The delay of decoders and encoders, in frames.
struct LowDelayTests {
  struct Coding: CustomTestStringConvertible, Sendable {
    let file: String
    let encoder: [String]
    /// Frames that wait for others that are presented first.
    let delay: Int
    var testDescription: String { encoder.joined(separator: " ") }
  }

  static let codings = [
    Coding(file: "a.mp4", encoder: ["libx264", "-bf", "0"], delay: 0),
    Coding(file: "a.mp4", encoder: ["libx264", "-bf", "2", "-x264-params", "b-pyramid=none"], delay: 1),
    Coding(file: "a.mp4", encoder: ["libx264", "-bf", "4"], delay: 2),
    Coding(file: "a.mp4", encoder: ["libx265", "-x265-params", "log-level=error:bframes=0"], delay: 0),
    Coding(file: "a.mp4", encoder: ["mpeg4"], delay: 0),
    // MPEG-2 does not signal that it reorders no frames.
    Coding(file: "a.ts", encoder: ["mpeg2video"], delay: 1),
    Coding(file: "a.ts", encoder: ["mpeg2video", "-bf", "2"], delay: 1),
    Coding(file: "a.avi", encoder: ["mjpeg"], delay: 0),
    Coding(file: "a.webm", encoder: ["libvpx", "-deadline", "realtime"], delay: 0),
    Coding(file: "a.webm", encoder: ["libvpx-vp9", "-deadline", "realtime"], delay: 0),
    Coding(file: "a.mkv", encoder: ["libsvtav1", "-preset", "12"], delay: 0),
    Coding(file: "a.mkv", encoder: ["ffv1"], delay: 0),
  ]

  @Test(arguments: codings)
  func `a decoder returns a frame as soon as it can be presented`(coding: Coding) throws {
    let folder = try TemporaryFolder()
    let source = Clip.video("128x96", rate: "10", seconds: "3")
    try Program.ffmpeg(source + ["-pix_fmt", "yuv420p", "-c:v"] + coding.encoder + [folder.file(coding.file)])
    let reader = try MediaReader(MediaInput(folder.file(coding.file)))
    let decoder = try VideoDecoder(reader.video, threads: 4, isLowDelay: true)
    var (packets, times): (Int, [Double]) = (0, [])
    while case .packet(let packet) = try reader.next() {
      packets += 1
      times += try decoder.decode(packet).frames.map(\.time.seconds)
      // AV1 has packets without a frame to show; no other codec lags behind by more than its delay.
      #expect(times.count >= packets - coding.delay)
    }
    times += try decoder.decode(nil).frames.map(\.time.seconds)
    #expect(times.count == 30)
    #expect(times == times.sorted())
  }

  struct Encoder: CustomTestStringConvertible, Sendable {
    let codec: String
    var format = "yuv420p"
    /// Frames that the encoder delays in any case; `nil` for an encoder whose threads may delay more.
    var delayed: Int? = 0
    var testDescription: String { codec }
  }

  static let encoders = [
    Encoder(codec: "libx264"), Encoder(codec: "libx265"), Encoder(codec: "libvpx"), Encoder(codec: "libvpx-vp9"),
    Encoder(codec: "libaom-av1"), Encoder(codec: "libsvtav1", delayed: nil), Encoder(codec: "mpeg4"),
    Encoder(codec: "mpeg2video"), Encoder(codec: "mjpeg", format: "yuvj420p"), Encoder(codec: "ffv1"),
  ]

  @Test(arguments: encoders)
  func `an encoder returns the packet of a frame at once, and a keyframe every two seconds`(row: Encoder) throws {
    let rate = try #require(Rational(10, 1))
    let format = try #require(PixelFormat(name: row.format))
    let settings = EncoderSettings(codec: row.codec, threads: 4, isLowDelay: true)
    let base = try #require(Rational(1, 10))
    let frames = try (0..<45).map { index in
      try VideoFrame(
        format: format, size: PixelSize(width: 128, height: 96), time: Time(ticks: Int64(index), base: base))
    }
    let codec = try VideoCodec(encoder: row.codec)
    let encoder = try VideoEncoder(
      codec, settings: settings, first: frames[0], frameRate: rate, rules: ContainerRules())
    var packets: [Packet] = []
    for (index, frame) in frames.enumerated() {
      packets += try encoder.encode(frame)
      if let delayed = row.delayed { #expect(packets.count == index + 1 - delayed) }
    }
    packets += try encoder.finish()
    #expect(packets.count == 45)
    let keys = packets.indices.filter { packets[$0].isKey }
    let gaps = zip(keys, keys.dropFirst() + [45]).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 <= 20 }, "\(keys)")
  }
}
