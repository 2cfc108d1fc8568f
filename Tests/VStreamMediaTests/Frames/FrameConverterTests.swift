import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

/// Frames of a stream are converted to one size and format, and those that have both are not touched.
struct FrameConverterTests {
  /// Frames of FFmpeg's test source.
  private func frames(_ format: String, size: String = "96x64", options: [String] = []) throws -> [VideoFrame] {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mkv")
    try Program.ffmpeg(Clip.video(size, seconds: "0.2") + ["-pix_fmt", format, "-c:v", "ffv1"] + options + [path])
    return try Decoded(path).frames
  }

  @Test func `a frame of the wanted size and format is returned as it is`() throws {
    let frame = try #require(try frames("yuv420p").first)
    let converter = FrameConverter(size: frame.size, format: frame.format)
    #expect(try converter.convert(frame).address == frame.address)
  }

  @Test(arguments: ["yuv422p", "yuv444p10le", "gray", "bgr0"])
  func `a frame of another format is converted, and keeps its time`(format: String) throws {
    let frame = try #require(try frames("yuv420p").last)
    let wanted = try #require(PixelFormat(name: format))
    let converted = try FrameConverter(size: frame.size, format: wanted).convert(frame)
    #expect(converted.format == wanted)
    #expect(converted.size == frame.size)
    #expect(converted.time == frame.time)
    #expect(converted.time.seconds > 0)
    #expect(converted.durationTicks == frame.durationTicks)
  }

  @Test func `luma values are unchanged by a conversion of chroma only`() throws {
    let frame = try #require(try frames("yuv420p").first)
    let wanted = try #require(PixelFormat(name: "yuv444p"))
    let converted = try FrameConverter(size: frame.size, format: wanted).convert(frame)
    #expect(converted.pixels.prefix(96 * 64) == frame.pixels.prefix(96 * 64))
  }

  @Test func `the full range stays full`() throws {
    let frame = try #require(try frames("yuv420p", options: ["-color_range", "pc"]).first)
    let wanted = try #require(PixelFormat(name: "yuv422p"))
    let converted = try FrameConverter(size: frame.size, format: wanted).convert(frame)
    #expect(frame.color.isFullRange(format: frame.format))
    #expect(converted.color.isFullRange(format: converted.format))
    #expect(converted.pixels.prefix(96 * 64) == frame.pixels.prefix(96 * 64))
  }

  @Test func `a frame of another size is scaled`() throws {
    let frame = try #require(try frames("yuv420p", size: "64x48").first)
    let size = PixelSize(width: 96, height: 64)
    let converter = FrameConverter(size: size, format: frame.format)
    #expect(try converter.convert(frame).size == size)
    // The next frame has the wanted size again.
    let other = try #require(try frames("yuv420p").first)
    #expect(try converter.convert(other).address == other.address)
  }

  @Test func `a format that cannot be converted to is an error`() throws {
    let frame = try #require(try frames("yuv420p").first)
    let surface = try #require(PixelFormat(name: "vaapi"))
    let error = failure { _ = try FrameConverter(size: frame.size, format: surface).convert(frame) }
    #expect(error?.code == .library)
    #expect(error?.message.contains("vaapi") == true)
  }
}
