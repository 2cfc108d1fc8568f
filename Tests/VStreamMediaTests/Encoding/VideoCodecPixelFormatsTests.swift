import Testing
import VStreamCore

@testable import VStreamMedia

/// The pixel formats of frames on their way to an encoder.
struct VideoCodecPixelFormatsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let encoder: String
    let source: String
    var requested: String?
    var needsPixels = true
    /// The format that frames are drawn on in; `nil` for a usage error.
    let frames: String?
    /// The format that the encoder receives, if it differs.
    var encoded: String?
    var range = FrameConverter.Range.unchanged
    var testDescription: String { "\(source) for \(encoder), \(requested ?? "none") requested" }
  }

  static let rows = [
    Row(encoder: "libx264", source: "yuv420p", frames: "yuv420p"),
    Row(encoder: "libx264", source: "yuv422p10le", frames: "yuv422p10le"),
    Row(encoder: "libx264", source: "rgb24", frames: "yuv444p"),
    Row(encoder: "libx264", source: "yuvj420p", frames: "yuvj420p"),
    Row(encoder: "libx264", source: "yuvj420p", requested: "yuv420p", frames: "yuv420p", range: .limited),
    Row(encoder: "libx264", source: "yuv444p", requested: "yuv420p", frames: "yuv420p"),
    Row(encoder: "libx264", source: "yuv420p", requested: "rgb24", frames: nil),
    Row(encoder: "ffv1", source: "yuv422p10le", frames: "yuv422p10le"),
    Row(encoder: "ffv1", source: "gray", frames: "gray"),
    Row(encoder: "mpeg4", source: "yuv444p", frames: "yuv420p"),
    Row(encoder: "mjpeg", source: "yuvj420p", frames: "yuvj420p", range: .full),
    Row(encoder: "mjpeg", source: "yuv420p", frames: "yuvj420p", range: .full),
    Row(encoder: "png", source: "yuv420p", frames: "rgb24"),
    Row(encoder: "gif", source: "yuv420p", frames: "yuv420p", encoded: "rgb8"),
    Row(encoder: "gif", source: "gray", frames: "gray"),
  ]

  @Test(arguments: rows)
  func `the format is the requested one, the source's, or the nearest`(_ row: Row) throws {
    let codec = try VideoCodec(encoder: row.encoder)
    let source = try #require(PixelFormat(name: row.source))
    let requested = row.requested.flatMap { PixelFormat(name: $0) }
    guard let frames = row.frames else {
      let error = failure {
        _ = try codec.target(for: source, requested: requested, needsPixels: row.needsPixels)
      }
      #expect(error?.code == .usage)
      #expect(error?.setting == .pixelFormat)
      #expect(error?.alternatives.contains(row.source) == true)
      return
    }
    let target = try codec.target(for: source, requested: requested, needsPixels: row.needsPixels)
    #expect(target.format.description == frames)
    #expect(target.range == row.range)
    let encoded = try codec.encoderFormat(of: target.format)
    if let expected = row.encoded {
      #expect(encoded.description == expected || codec.pixelFormats.contains(encoded))
      #expect(encoded != target.format)
    } else {
      #expect(encoded == target.format)
    }
  }

  @Test func `a packed format is kept only where frames are not drawn on`() throws {
    let codec = try VideoCodec(encoder: "rawvideo")
    let packed = try #require(PixelFormat(name: "rgb565le"))
    #expect(try codec.target(for: packed, requested: nil, needsPixels: false).format == packed)
    #expect(try codec.target(for: packed, requested: nil, needsPixels: true).format.layout != nil)
  }

  @Test(arguments: [
    ("libx264", "yuv420p", PixelSize(width: 33, height: 21), PixelSize(width: 34, height: 22)),
    ("libx264", "yuv422p", PixelSize(width: 33, height: 21), PixelSize(width: 34, height: 21)),
    ("libx264", "yuv444p", PixelSize(width: 33, height: 21), PixelSize(width: 33, height: 21)),
    ("libsvtav1", "yuv420p", PixelSize(width: 65, height: 64), PixelSize(width: 66, height: 64)),
    ("ffv1", "yuv420p", PixelSize(width: 33, height: 21), PixelSize(width: 33, height: 21)),
  ])
  func `sizes are padded to whole chroma samples where the encoder needs it`(
    encoder: String, format: String, size: PixelSize, encoded: PixelSize
  ) throws {
    let format = try #require(PixelFormat(name: format))
    #expect(try VideoCodec(encoder: encoder).encodedSize(of: size, format) == encoded)
  }

  struct TimeBaseRow: CustomTestStringConvertible, Sendable {
    let name: String
    let encoder: String
    let base: (Int32, Int32)
    var rate: (Int32, Int32)?
    var isConstant = false
    let expected: String
    var testDescription: String { name }
  }

  static let timeBases = [
    TimeBaseRow(name: "the frames' own", encoder: "libx264", base: (1, 90000), rate: (25, 1), expected: "1/90000"),
    TimeBaseRow(
      name: "one frame in a container that counts frames", encoder: "libx264", base: (1, 90000), rate: (30000, 1001),
      isConstant: true, expected: "1001/30000"),
    TimeBaseRow(
      name: "the frames' own without a known rate", encoder: "libx264", base: (1, 1000), isConstant: true,
      expected: "1/1000"),
    TimeBaseRow(name: "one frame for MPEG-2", encoder: "mpeg2video", base: (1, 90000), rate: (25, 1), expected: "1/25"),
    TimeBaseRow(name: "MPEG-4 in 16 bits", encoder: "mpeg4", base: (1, 1000), rate: (25, 1), expected: "1/1000"),
    TimeBaseRow(name: "MPEG-4 beyond 16 bits", encoder: "mpeg4", base: (1, 90000), rate: (25, 1), expected: "1/25"),
    TimeBaseRow(name: "MPEG-4 without a rate", encoder: "mpeg4", base: (1, 90000), expected: "1/50000"),
  ]

  @Test(arguments: timeBases)
  func `the encoder's time base is one that the codec can express`(_ row: TimeBaseRow) throws {
    let base = try #require(Rational(row.base.0, row.base.1))
    let codec = try VideoCodec(encoder: row.encoder)
    let chosen = codec.encoderTimeBase(
      for: base, frameRate: row.rate.flatMap { Rational($0.0, $0.1) }, isConstant: row.isConstant)
    #expect(chosen.description == row.expected)
  }

  @Test(arguments: ["h266", "aac", ""])
  func `a name that is not a video encoder is a usage error`(name: String) {
    let error = failure { _ = try VideoCodec(encoder: name) }
    #expect(error?.code == .usage)
    #expect(error?.setting == .codec)
    #expect(error?.value == name)
  }
}
