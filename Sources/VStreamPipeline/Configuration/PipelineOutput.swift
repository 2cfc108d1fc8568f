public import VStreamMedia

/// Where the annotated video is written, and how it is encoded.
public struct PipelineOutput: Sendable {
  public var destination: OutputDestination
  public var codec: VideoCodec
  public var encoder: EncoderSettings
  /// Whether audio streams are copied.
  public var copiesAudio: Bool
  /// Whether the video is copied instead of re-encoded, and annotations are shown by subtitles: in a track of the output,
  /// or in a script beside it. `codec` and `encoder` are ignored then.
  public var hasOverlayTrack = false

  public init(
    destination: OutputDestination, codec: VideoCodec, encoder: EncoderSettings, copiesAudio: Bool = true
  ) {
    self.destination = destination
    self.codec = codec
    self.encoder = encoder
    self.copiesAudio = copiesAudio
  }
}
