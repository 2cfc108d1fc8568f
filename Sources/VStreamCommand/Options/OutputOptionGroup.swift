internal import ArgumentParser
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamScene

struct OutputOptionGroup: RunOptionGroup {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Where the video goes: a file, a URL, - for standard output, or null.", valueName: "output"))
  var name: String?

  @Option(help: ArgumentHelp("Output format by FFmpeg's name.", valueName: "name"))
  var outputFormat: String?

  @Option(help: ArgumentHelp("An FFmpeg option for the output format; may be repeated.", valueName: "key=value"))
  var outputOption: [String] = []

  @Option(
    help: ArgumentHelp(
      "Video encoder by FFmpeg's name. (default: libx264, or one that the output holds)", valueName: "name"))
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

  @Option(help: ArgumentHelp("Audio streams: copy or none.", valueName: "copy|none"))
  var audio = "copy"

  @Flag(name: [.customShort("y"), .long], help: "Replace existing files.")
  var overwrite = false

  static var files: [FileOption] { [FileOption("-o", \.output.name, use: .writtenVideo)] }

  /// The name of a run's output.
  var output: String { name ?? "" }

  /// Whether nothing is drawn or encoded.
  var isNull: Bool { output == "null" }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    let destination = try run.destination()
    let encoder = try encoder(for: destination, threads: run.threads)
    let codec = try VideoCodec(encoder: encoder.codec)
    try codec.check(encoder)
    let isCopied = run.command.overlayTrack.isGiven
    if !isCopied { try destination?.requireHolds(codec) }
    guard audio == "copy" || audio == "none" else {
      throw usageError("--audio", audio, "is neither copy nor none", remedy: "use copy or none")
    }
    guard var destination else { return }
    destination.timeout = run.command.source.timeout
    var output = PipelineOutput(
      destination: destination, codec: codec, encoder: encoder, copiesAudio: audio == "copy")
    output.hasOverlayTrack = isCopied
    configuration.output = output
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
    return EncoderSettings(
      codec: codec ?? destination?.defaultEncoder ?? EncoderSettings().codec, preset: preset, crf: crf,
      bitRate: try bitRate(), pixelFormat: format, threads: threads ?? 0)
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
