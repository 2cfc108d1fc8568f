internal import VStreamScene
internal import VStreamSystem

/// How an encoder is told what `--preset`, `--crf` and `--bitrate` mean: its own options, their values and defaults.
struct EncoderProfile: Sendable {
  /// What trades speed for size.
  enum Preset: Sendable {
    case names(option: String, [String], standard: String)
    case levels(option: String, ClosedRange<Int>, standard: Int)
    case none
  }

  /// What is kept constant when no bit rate is given; lower is better.
  enum Quality: Sendable {
    case option(String, ClosedRange<Double>, standard: Double)
    /// libav's own quantiser scale, for encoders without a private option.
    case quantiser(ClosedRange<Double>, standard: Double)
    /// Nothing is lost, so there is nothing to choose.
    case lossless
    /// The encoder decides for itself.
    case none
  }

  let preset: Preset
  let quality: Quality
  /// What is set whatever the user asks for.
  var fixed: [(key: String, value: String)] = []
  /// What is set as well where a frame's packet is wanted at once.
  private(set) var lowDelay: [(key: String, value: String)] = []

  private static let x264Presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
  ]

  private static let webPPresets = ["default", "picture", "photo", "drawing", "icon", "text"]

  /// The profile of an encoder by FFmpeg's name; of unknown ones, by the options that they have.
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
        preset: .levels(option: "cpu-used", 0...8, standard: 5), quality: .option("crf", 0...63, standard: 31),
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
    default: self.init(ofOthers: has)
    }
    lowDelay = Self.lowDelay(name, has: has)
  }

  private static func lowDelay(_ name: String, has: (String) -> Bool) -> [(key: String, value: String)] {
    switch name {
    case "libx264", "libx264rgb": [("tune", "zerolatency")]
    // FFmpeg sets the frames that are coded at a time by the number of threads.
    case "libx265": [("tune", "zerolatency"), ("x265-params", "log-level=error:frame-threads=1")]
    // Each picture is made of earlier ones only; two frames stay inside all the same.
    case "libsvtav1": [("svtav1-params", "pred-struct=1")]
    case "libvpx", "libvpx-vp9": [("deadline", "realtime"), ("lag-in-frames", "0"), ("auto-alt-ref", "0")]
    case "libaom-av1": [("usage", "realtime"), ("lag-in-frames", "0")]
    // As NVENC calls it.
    default: has("zerolatency") ? [("zerolatency", "1"), ("delay", "0")] : []
    }
  }

  private init(preset: Preset, quality: Quality, fixed: [(key: String, value: String)] = []) {
    self.preset = preset
    self.quality = quality
    self.fixed = fixed
  }

  private init(ofOthers has: (String) -> Bool) {
    let quality = ["crf", "cq", "qp"].first(where: has).map { Quality.option($0, 0...63, standard: 23) }
    let presets = (1...7).map { "p\($0)" } + ["slow", "medium", "fast"]
    self.init(
      preset: has("preset") ? .names(option: "preset", presets, standard: "medium") : .none, quality: quality ?? .none)
  }

  /// The encoder's options for what the user asked.
  ///
  /// - Returns: private options, and libav's quantiser scale where the encoder works by that.
  /// - Throws: `VStreamError.usage` for what the encoder has not, or not in that range, with what it has.
  func options(
    _ settings: EncoderSettings
  ) throws(VStreamError) -> (private: [(key: String, value: String)], quantiser: Double?) {
    var options = fixed + (settings.isLowDelay ? lowDelay : [])
    if let preset = try presetOption(settings) { options.append(preset) }
    var quantiser: Double?
    let isRateGiven = settings.bitRate != nil
    if isRateGiven, let crf = settings.crf {
      throw VStreamError(
        .usage, "--crf \(crf.formatted(.shortest)) and --bitrate exclude each other", remedy: "leave one of them out")
    }
    switch quality {
    case .option(let name, let range, let standard):
      let value = try checked(settings.crf, range, codec: settings.codec) ?? standard
      if !isRateGiven { options.append((name, value.formatted(.shortest))) }
    case .quantiser(let range, let standard):
      let value = try checked(settings.crf, range, codec: settings.codec) ?? standard
      if !isRateGiven { quantiser = value }
    case .lossless, .none:
      if let crf = settings.crf {
        let why = if case .lossless = quality { "loses nothing" } else { "has no constant quality" }
        throw VStreamError(
          .usage, "\(settings.codec) \(why) (--crf \(crf.formatted(.shortest)))", remedy: "leave --crf out")
      }
    }
    return (options, quantiser)
  }

  private func presetOption(_ settings: EncoderSettings) throws(VStreamError) -> (key: String, value: String)? {
    let codec = settings.codec
    switch preset {
    case .none:
      guard let wanted = settings.preset else { return nil }
      throw VStreamError(.usage, "\(codec) has no presets (--preset \(wanted))", remedy: "leave --preset out")
    case .names(let option, let names, let standard):
      let value = settings.preset ?? standard
      guard names.contains(value) else {
        throw VStreamError(
          .usage, "\(codec) has no preset '\(value)' (--preset)", remedy: "it has \(names.joined(separator: ", "))")
      }
      return (option, value)
    case .levels(let option, let range, let standard):
      let value = settings.preset ?? "\(standard)"
      guard let level = Int(value), range.contains(level) else {
        throw VStreamError(
          .usage, "\(codec) has no preset '\(value)' (--preset)",
          remedy: "it has \(range.lowerBound) (slow) to \(range.upperBound) (fast)")
      }
      return (option, value)
    }
  }

  private func checked(
    _ crf: Double?, _ range: ClosedRange<Double>, codec: String
  ) throws(VStreamError) -> Double? {
    guard let crf, !range.contains(crf) else { return crf }
    throw VStreamError(
      .usage, "--crf \(crf.formatted(.shortest)) is outside what \(codec) takes",
      remedy: "give \(range.lowerBound.formatted(.shortest)) (best) to \(range.upperBound.formatted(.shortest))")
  }

}
