import CVStreamLibAV
import Testing
import VStreamCore

@testable import VStreamMedia

/// What encoders list as supported is read the same way with each version of FFmpeg.
struct EncoderSupportTests {
  struct FormatRow: Sendable, CustomTestStringConvertible {
    let encoder: String
    let accepted: [String]
    let refused: [String]
    var testDescription: String { encoder }
  }

  static let formats = [
    FormatRow(encoder: "libx264", accepted: ["yuv420p", "yuv444p", "gray"], refused: ["bgr0", "yuva420p"]),
    FormatRow(encoder: "mpeg2video", accepted: ["yuv420p", "yuv422p"], refused: ["yuv444p", "gray"]),
    FormatRow(encoder: "ffv1", accepted: ["yuv420p", "yuv444p10le", "gray"], refused: ["nv12"]),
    FormatRow(encoder: "png", accepted: ["rgb24", "rgba", "gray"], refused: ["yuv420p"]),
  ]

  @Test(arguments: formats)
  func `pixel formats of an encoder`(row: FormatRow) throws {
    let names = try VideoCodec(encoder: row.encoder).pixelFormats.map(\.description)
    #expect(Set(names).isSuperset(of: row.accepted))
    #expect(Set(names).isDisjoint(with: row.refused))
  }

  @Test func `an encoder without a list accepts any pixel format`() throws {
    #expect(try VideoCodec(encoder: "rawvideo").pixelFormats.isEmpty)
  }

  struct RateRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let encoder: String
    let rate: (Int32, Int32)
    let expected: (Int32, Int32)
  }

  static let rates = [
    RateRow(testDescription: "a listed rate", encoder: "mpeg2video", rate: (25, 1), expected: (25, 1)),
    RateRow(
      testDescription: "a rounded one becomes the listed one", encoder: "mpeg2video", rate: (2997, 125),
      expected: (24_000, 1001)),
    RateRow(testDescription: "one that is not listed is kept", encoder: "mpeg2video", rate: (17, 1), expected: (17, 1)),
    RateRow(testDescription: "no list", encoder: "libx264", rate: (2997, 125), expected: (2997, 125)),
  ]

  @Test(arguments: rates)
  func `frame rates of an encoder`(row: RateRow) throws {
    let rate = try #require(Rational(row.rate.0, row.rate.1))
    #expect(
      try VideoCodec(encoder: row.encoder).encoderFrameRate(for: rate) == Rational(row.expected.0, row.expected.1))
  }

  @Test func `sample rates and formats of an audio encoder`() throws {
    let aac = try #require(avcodec_find_encoder_by_name("aac"))
    #expect(supported(by: aac, CVStreamLibAV_sampleFormats).contains(AV_SAMPLE_FMT_FLTP))
    let rates = supported(by: aac, CVStreamLibAV_sampleRates)
    #expect(rates.contains(48_000) && rates.contains(44_100) && !rates.contains(0))
  }
}
