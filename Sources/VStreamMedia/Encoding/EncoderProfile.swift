/// How an encoder expresses preset, constant rate factor and bit rate: its own options, their ranges and defaults.
struct EncoderProfile: Sendable {
  /// The setting that trades speed for size.
  enum Preset: Sendable {
    case names(option: String, [String], standard: String)
    case levels(option: String, ClosedRange<Int>, standard: Int)
    case none
  }

  /// The quality that is constant when no bit rate is given; lower is better.
  enum Quality: Sendable {
    case option(String, ClosedRange<Double>, standard: Double)
    /// libav's own quantiser scale, for encoders without a private option.
    case quantiser(ClosedRange<Double>, standard: Double)
    /// The encoder is lossless, so there is nothing to choose.
    case lossless
    /// The encoder has no constant quality.
    case none
  }

  let preset: Preset
  let quality: Quality
  /// Options that are always set.
  var fixed: [(key: String, value: String)] = []
  /// Further options for low delay.
  private(set) var lowDelay: [(key: String, value: String)] = []
  /// Further options for frames with an alpha channel.
  private(set) var alpha: [(key: String, value: String)] = []

  /// The bounds of the constant quality; `nil` for encoders without one.
  var qualityRange: (low: Double, high: Double)? {
    switch quality {
    case .option(_, let range, _), .quantiser(let range, _): (range.lowerBound, range.upperBound)
    case .lossless, .none: nil
    }
  }

  private static let x264Presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
  ]

  private static let webPPresets = ["default", "picture", "photo", "drawing", "icon", "text"]

  /// The profile of an encoder by FFmpeg's name; for unknown encoders, by the options that they have.
  ///
  /// - Parameter has: whether the encoder has an option of that name.
  init(_ name: String, has: (String) -> Bool) {
    switch name {
    case "libx264", "libx264rgb":
      self.init(
        preset: .names(option: "preset", Self.x264Presets, standard: "veryfast"),
        quality: .option("crf", 0...51, standard: 20))
    case "libx265":
      self.init(
        preset: .names(option: "preset", Self.x264Presets, standard: "veryfast"),
        quality: .option("crf", 0...51, standard: 23), fixed: [("x265-params", "log-level=error")])
    case "libsvtav1":
      self.init(
        preset: .levels(option: "preset", 0...13, standard: 10), quality: .option("crf", 1...63, standard: 35))
    case "libvpx-vp9", "libvpx":
      self.init(
        preset: .levels(option: "cpu-used", 0...8, standard: 5),
        quality: .option("crf", (name == "libvpx" ? 4 : 0)...63, standard: 31),
        fixed: name == "libvpx" ? [] : [("row-mt", "1")])
    case "libaom-av1":
      self.init(
        preset: .levels(option: "cpu-used", 0...8, standard: 8), quality: .option("crf", 0...63, standard: 32),
        fixed: [("row-mt", "1")])
    case "mpeg4", "libxvid", "msmpeg4", "msmpeg4v2", "mpeg2video", "mpeg1video", "flv", "h263", "h263p", "wmv1", "wmv2":
      self.init(preset: .none, quality: .quantiser(1...31, standard: 3))
    case "mjpeg", "ljpeg":
      self.init(preset: .none, quality: .quantiser(1...31, standard: 2))
    case "libwebp", "libwebp_anim":
      self.init(
        preset: .names(option: "preset", Self.webPPresets, standard: "default"), quality: .none,
        fixed: [("quality", "90")])
    case "ffv1", "ffvhuff", "huffyuv", "utvideo", "rawvideo", "png", "apng", "qtrle", "bmp", "tiff", "v210":
      self.init(preset: .none, quality: .lossless)
    default: self.init(forUnknown: has)
    }
    lowDelay = Self.lowDelay(name, has: has)
    // libvpx encodes no alpha channel with alternate reference frames.
    if ["libvpx", "libvpx-vp9"].contains(name) { alpha = [("auto-alt-ref", "0")] }
  }

  private static func lowDelay(_ name: String, has: (String) -> Bool) -> [(key: String, value: String)] {
    switch name {
    case "libx264", "libx264rgb": [("tune", "zerolatency")]
    // FFmpeg sets the number of frames in flight by the number of threads.
    case "libx265": [("tune", "zerolatency"), ("x265-params", "log-level=error:frame-threads=1")]
    // No B-frames; two frames stay in the encoder all the same.
    case "libsvtav1": [("svtav1-params", "pred-struct=1")]
    case "libvpx", "libvpx-vp9": [("deadline", "realtime"), ("lag-in-frames", "0"), ("auto-alt-ref", "0")]
    case "libaom-av1": [("usage", "realtime"), ("lag-in-frames", "0")]
    // The name that NVENC uses.
    default: has("zerolatency") ? [("zerolatency", "1"), ("delay", "0")] : []
    }
  }

  private init(preset: Preset, quality: Quality, fixed: [(key: String, value: String)] = []) {
    self.preset = preset
    self.quality = quality
    self.fixed = fixed
  }

  private init(forUnknown has: (String) -> Bool) {
    let quality = ["crf", "cq", "qp"].first(where: has).map { Quality.option($0, 0...63, standard: 23) }
    let presets = (1...7).map { "p\($0)" } + ["slow", "medium", "fast"]
    self.init(
      preset: has("preset") ? .names(option: "preset", presets, standard: "medium") : .none, quality: quality ?? .none)
  }
}
