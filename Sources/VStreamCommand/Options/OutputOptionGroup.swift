internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline

struct OutputOptionGroup: RunOptionGroup {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Where the video goes: a file, a URL, - for standard output, or null.", valueName: "output"),
    completion: .file())
  var name: String?

  @Option(help: ArgumentHelp("Output format by FFmpeg's name.", valueName: "name"))
  var outputFormat: String?

  @Option(help: ArgumentHelp("An FFmpeg option for the output format; may be repeated.", valueName: "key=value"))
  var outputOption: [String] = []

  @Option(
    help: ArgumentHelp(
      "Video encoder by FFmpeg's name, or a codec: h264, hevc, av1, vp9. (default: libx264, or one that the output holds)",
      valueName: "name"), completion: .words { VideoCodec.encoderNames })
  var codec: String?

  @Option(help: ArgumentHelp("Encoder preset. (default: veryfast)", valueName: "name"))
  var preset: String?

  @Option(
    help: ArgumentHelp("Constant rate factor of the encoder, lower is better. (default: 20)", valueName: "number"))
  var crf: Double?

  @Option(help: ArgumentHelp("Bits per second instead of constant quality, for example 2M.", valueName: "rate"))
  var bitrate: String?

  @Option(help: ArgumentHelp("Pixel format to encode. (default: the input's)", valueName: "name"))
  var pixelFormat: String?

  @Option(
    help: ArgumentHelp(
      "An FFmpeg option for the encoder, for example g=50 or tune=film; may be repeated.", valueName: "key=value"))
  var encoderOption: [String] = []

  @Option(
    help: ArgumentHelp(
      "Scale the output, for example 1280x720, or 1280x-1 to keep the aspect ratio. Records keep the input's coordinates.",
      valueName: "size"))
  var scale: String?

  @Option(
    help: ArgumentHelp(
      "Give the output a constant frame rate, by repeating and omitting frames: 25, 29.97 or 30000/1001.",
      valueName: "rate"))
  var fps: String?

  @Option(
    help: ArgumentHelp(
      "Audio streams: auto copies them, or encodes what the container cannot hold; copy only copies; none omits them.",
      valueName: "auto|copy|none"), completion: .list(["auto", "copy", "none"]))
  var audio: String = AudioPolicy.auto.rawValue

  @Option(
    help: ArgumentHelp(
      "What is encoded: all, or only the groups of pictures in which something is painted (changed), while the others are copied.",
      valueName: "all|changed"), completion: .list(["all", "changed"]))
  var encode: String = "all"

  @Option(
    help: ArgumentHelp(
      "A tag of the output, for example title=Yard; without a value it is removed; may be repeated.",
      valueName: "key=value"))
  var metadata: [String] = []

  @Flag(name: [.customShort("y"), .long], help: "Replace existing files.")
  var overwrite = false

  static let standardOutput = GivenOption("-o -") { $0.output.name == "-" ? "" : nil }

  static let encodeChanged = GivenOption("--encode") { $0.output.encode == "changed" ? "changed" : nil }

  static var rules: [OptionRule] {
    [GivenOption("--scale", \.output.scale), GivenOption("--fps", \.output.fps)].flatMap { option in
      ["--verify", "--receipt"].map { check in
        .excludes(
          option,
          GivenOption(check) { command in
            (check == "--verify" ? command.redaction.verify : command.redaction.receipt != nil) ? "" : nil
          },
          "\(check) compares the output with the frames of the input, one by one", remedy: "omit one of them")
      }
    }
  }

  static var files: [FileOption] { [FileOption("-o", \.output.name, use: .writtenVideo)] }

  /// The name of a run's output; `-` for all names of standard output.
  var output: String { name.map { MediaInput($0).location } ?? "" }

  /// Whether nothing is drawn or encoded.
  var isNull: Bool { output == "null" }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    let destination = try run.destination()
    var encoder = try encoder(for: destination, threads: run.threads)
    let codec = try VideoCodec(encoder: encoder.codec)
    encoder.codec = codec.name
    // The input's codec, which is not known yet, may be used in its place.
    if self.codec != nil || encode == "all" { try codec.check(encoder) }
    let isCopied = run.command.overlayTrack.isGiven
    if !isCopied { try destination?.requireHolds(codec) }
    let policy: AudioPolicy = try OptionText.value("--audio", audio, "is not a way to treat audio")
    let tags = try OptionText.keysAndValues("--metadata", metadata)
    guard var destination else { return }
    destination.timeout = run.command.source.timeout
    var output = PipelineOutput(
      destination: destination, codec: codec, encoder: encoder, audio: policy)
    output.tags = tags
    output.hasOverlayTrack = isCopied
    output.copiesUnchangedGroups = try encodesChangedOnly()
    output.isCodecGiven = self.codec != nil
    configuration.output = output
  }

  private func encodesChangedOnly() throws(VStreamError) -> Bool {
    guard ["all", "changed"].contains(encode) else {
      throw usageError("--encode", encode, "is not a choice of frames", remedy: "use all or changed")
    }
    return encode == "changed"
  }

  private func encoder(for destination: OutputDestination?, threads: Int?) throws(VStreamError) -> EncoderSettings {
    let format = try pixelFormat.map { (name) throws(VStreamError) in
      guard let format = PixelFormat(name: name) else {
        throw usageError(
          "--pixel-format", name, "is not a pixel format of FFmpeg",
          remedy: "'ffmpeg -pix_fmts' lists them; yuv420p plays everywhere")
      }
      return format
    }
    var settings = EncoderSettings(
      codec: codec ?? destination?.defaultEncoder ?? EncoderSettings().codec, preset: preset, crf: crf,
      bitRate: try bitRate(), pixelFormat: format, threads: threads ?? 0)
    settings.options = try OptionText.keysAndValues("--encoder-option", encoderOption)
    settings.size = try scale.map { (text) throws(VStreamError) in
      guard let size = OutputSize(text) else {
        throw usageError("--scale", text, "is not a size", remedy: "write, for example, 1280x720 or 1280x-1")
      }
      return size
    }
    settings.frameRate = try OptionText.frameRate("--fps", fps)
    return settings
  }

  /// Bits per second.
  private func bitRate() throws(VStreamError) -> Int? {
    guard let bitrate else { return nil }
    let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9]
    let factor = bitrate.last.flatMap { factors[$0] }
    let digits = factor == nil ? bitrate : String(bitrate.dropLast())
    guard let number = Double(digits), number * (factor ?? 1) >= 1, number * (factor ?? 1) <= 1e10 else {
      throw usageError("--bitrate", bitrate, "is not a bit rate", remedy: "write, for example, 800k or 2M")
    }
    return Int(number * (factor ?? 1))
  }
}
