public import VStreamCore

/// How video is encoded.
public struct EncoderSettings: Sendable {
  /// FFmpeg's name of an encoder, for example `libx264`.
  public var codec: String
  /// The encoder's own preset; `nil` for the default of its profile, `veryfast` for libx264.
  public var preset: String?
  /// Constant rate factor, lower is better; `nil` for the default of the encoder's profile, unless a bit rate is given.
  public var crf: Double?
  /// Bits per second instead of a constant quality.
  public var bitRate: Int?
  /// Options of the encoder by FFmpeg's names, which override the other settings.
  public var options: [(key: String, value: String)] = []
  /// The size to encode in; `nil` for the input's.
  public var size: OutputSize?
  /// Frames per second of the output, which repeats and omits frames as needed; `nil` for the input's frames.
  public var frameRate: Rational?
  /// Pixel format to encode in; `nil` for the input's, or the nearest that the encoder accepts.
  public var pixelFormat: PixelFormat?
  /// Threads that the encoder may use; 0 lets the encoder choose.
  public var threads: Int
  /// Whether each frame's packet is to leave the encoder at once, with a key frame every two seconds for viewers who join
  /// later. Costs some size: there are no B-frames and no lookahead.
  public var isLowDelay: Bool

  public init(
    codec: String = "libx264", preset: String? = nil, crf: Double? = nil, bitRate: Int? = nil,
    pixelFormat: PixelFormat? = nil, threads: Int = 0, isLowDelay: Bool = false
  ) {
    self.codec = codec
    self.preset = preset
    self.crf = crf
    self.bitRate = bitRate
    self.pixelFormat = pixelFormat
    self.threads = threads
    self.isLowDelay = isLowDelay
  }
}

/// The policy for an input's audio streams.
public enum AudioPolicy: String, CaseIterable, Hashable, Sendable {
  /// They are copied, or encoded where the container cannot hold them as they are.
  case auto
  /// They are copied; a container that cannot hold one as it is is an error.
  case copy
  /// They are omitted.
  case none
}
