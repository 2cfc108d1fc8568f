public import VStreamMedia

/// Where the annotated video is written, and how it is encoded.
public struct PipelineOutput: Sendable {
  public var destination: OutputDestination
  public var codec: VideoCodec
  public var encoder: EncoderSettings
  public var audio: AudioPolicy
  /// Tags of the output that replace those of the input; an empty value removes a tag.
  public var tags: [(key: String, value: String)] = []
  /// Whether the video is copied instead of re-encoded, and annotations are shown by subtitles: in a track of the output,
  /// or in a script beside it. `codec` and `encoder` are ignored then.
  public var hasOverlayTrack = false
  /// Files that describe an earlier output of this name, which are removed when the output is created.
  public var outdatedFiles: [String] = []

  public init(
    destination: OutputDestination, codec: VideoCodec, encoder: EncoderSettings, audio: AudioPolicy = .auto
  ) {
    self.destination = destination
    self.codec = codec
    self.encoder = encoder
    self.audio = audio
  }
}
