import Testing
import VStreamScene

@testable import VStreamMedia

/// What `--preset`, `--crf` and `--bitrate` become for each encoder, and what is refused.
struct EncoderProfileTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let settings: EncoderSettings
    /// `nil`: refused.
    let options: [String]?
    var quantiser: Double?
    var testDescription: String {
      "\(settings.codec) \(settings.preset ?? "-") \(settings.crf ?? -1) \(settings.bitRate ?? -1)"
    }
  }

  static let rows = [
    Row(settings: EncoderSettings(), options: ["preset=veryfast", "crf=20"]),
    Row(settings: EncoderSettings(preset: "slow", crf: 18.5), options: ["preset=slow", "crf=18.5"]),
    Row(settings: EncoderSettings(bitRate: 800_000), options: ["preset=veryfast"]),
    Row(settings: EncoderSettings(crf: 18, bitRate: 800_000), options: nil),
    Row(settings: EncoderSettings(preset: "10"), options: nil),
    Row(settings: EncoderSettings(crf: 51), options: ["preset=veryfast", "crf=51"]),
    Row(settings: EncoderSettings(crf: 51.5), options: nil),
    Row(settings: EncoderSettings(codec: "libsvtav1", preset: "8"), options: ["preset=8", "crf=35"]),
    Row(settings: EncoderSettings(codec: "libsvtav1", preset: "14"), options: nil),
    Row(settings: EncoderSettings(codec: "libvpx-vp9", crf: 40), options: ["row-mt=1", "cpu-used=5", "crf=40"]),
    Row(
      settings: EncoderSettings(preset: "fast", isLowDelay: true),
      options: ["tune=zerolatency", "preset=fast", "crf=20"]),
    Row(
      settings: EncoderSettings(codec: "libvpx-vp9", isLowDelay: true),
      options: ["row-mt=1", "deadline=realtime", "lag-in-frames=0", "auto-alt-ref=0", "cpu-used=5", "crf=31"]),
    Row(settings: EncoderSettings(codec: "mpeg4"), options: [], quantiser: 3),
    Row(settings: EncoderSettings(codec: "mpeg4", preset: "fast"), options: nil),
    Row(settings: EncoderSettings(codec: "mpeg4", bitRate: 1_000_000), options: []),
    Row(settings: EncoderSettings(codec: "ffv1"), options: []),
    Row(settings: EncoderSettings(codec: "ffv1", crf: 5), options: nil),
  ]

  @Test(arguments: rows)
  func `settings become the encoder's own options`(row: Row) throws {
    let profile = EncoderProfile(row.settings.codec) { _ in false }
    guard let expected = row.options else {
      let error = #expect(throws: VStreamError.self) { try profile.options(row.settings) }
      #expect(error?.code == .usage)
      #expect(error?.remedy.isEmpty == false)
      return
    }
    let found = try profile.options(row.settings)
    #expect(found.private.map { "\($0.key)=\($0.value)" } == expected)
    #expect(found.quantiser == row.quantiser)
  }
}
