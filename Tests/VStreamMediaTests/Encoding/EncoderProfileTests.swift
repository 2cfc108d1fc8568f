import Testing
import VStreamCore

@testable import VStreamMedia

/// The encoder options that `--preset`, `--crf` and `--bitrate` are translated to, and refused values.
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
    Row(
      settings: EncoderSettings(codec: "libx265"),
      options: ["x265-params=log-level=error", "preset=veryfast", "crf=23"]),
    Row(
      settings: EncoderSettings(codec: "libx265", crf: 0, isLowDelay: true),
      options: [
        "x265-params=log-level=error", "tune=zerolatency", "x265-params=log-level=error:frame-threads=1",
        "preset=veryfast", "crf=0",
      ]),
    Row(settings: EncoderSettings(codec: "libx265", preset: "p1"), options: nil),
    Row(settings: EncoderSettings(codec: "libsvtav1", crf: 0), options: nil),
    Row(settings: EncoderSettings(codec: "libsvtav1", bitRate: 1_000_000), options: ["preset=10"]),
    Row(settings: EncoderSettings(codec: "libvpx", preset: "0"), options: ["cpu-used=0", "crf=31"]),
    Row(settings: EncoderSettings(codec: "libaom-av1", crf: 63), options: ["row-mt=1", "cpu-used=8", "crf=63"]),
    Row(settings: EncoderSettings(codec: "libaom-av1", crf: 63.5), options: nil),
    Row(settings: EncoderSettings(codec: "mjpeg"), options: [], quantiser: 2),
    Row(settings: EncoderSettings(codec: "mjpeg", crf: 31), options: [], quantiser: 31),
    Row(settings: EncoderSettings(codec: "mjpeg", crf: 0.5), options: nil),
    Row(settings: EncoderSettings(codec: "libwebp"), options: ["quality=90", "preset=default"]),
    Row(settings: EncoderSettings(codec: "libwebp", preset: "photo"), options: ["quality=90", "preset=photo"]),
    Row(settings: EncoderSettings(codec: "libwebp", crf: 20), options: nil),
    Row(settings: EncoderSettings(codec: "png", preset: "fast"), options: nil),
    Row(settings: EncoderSettings(codec: "unknown"), options: []),
    Row(settings: EncoderSettings(codec: "unknown", crf: 20), options: nil),
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

  @Test func `the settings of an unknown encoder are derived from its options`() throws {
    let profile = EncoderProfile("h264_other") { ["cq", "preset", "zerolatency"].contains($0) }
    let settings = EncoderSettings(codec: "h264_other", preset: "p4", crf: 30, isLowDelay: true)
    let (options, quantiser) = try profile.options(settings)
    #expect(options.map { "\($0.key)=\($0.value)" } == ["zerolatency=1", "delay=0", "preset=p4", "cq=30"])
    #expect(quantiser == nil)
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let settings: EncoderSettings
    let setting: Setting
    let value: String
    var limits: ClosedRange<Double>?
    var conflicting: Setting?
    var testDescription: String { "\(settings.codec), \(setting)" }
  }

  static let refusals = [
    Refusal(settings: EncoderSettings(crf: 60), setting: .crf, value: "60", limits: 0...51),
    Refusal(settings: EncoderSettings(crf: 20, bitRate: 1000), setting: .crf, value: "20", conflicting: .bitrate),
    Refusal(settings: EncoderSettings(codec: "ffv1", crf: 20), setting: .crf, value: "20"),
    Refusal(settings: EncoderSettings(codec: "ffv1", preset: "fast"), setting: .preset, value: "fast"),
    Refusal(settings: EncoderSettings(preset: "ultra"), setting: .preset, value: "ultra"),
    Refusal(settings: EncoderSettings(codec: "libsvtav1", preset: "20"), setting: .preset, value: "20"),
  ]

  @Test(arguments: refusals)
  func `a refused setting is named with its value and limits`(_ row: Refusal) throws {
    let profile = EncoderProfile(row.settings.codec) { _ in false }
    let error = failure { _ = try profile.options(row.settings) }
    #expect(error?.code == .usage)
    #expect(error?.setting == row.setting)
    #expect(error?.value == row.value)
    #expect(error?.limits == row.limits)
    #expect(error?.conflicting == row.conflicting)
    #expect(error?.remedy.isEmpty == false)
  }
}
