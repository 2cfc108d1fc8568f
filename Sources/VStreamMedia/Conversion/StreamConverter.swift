internal import CVStreamLibAV
internal import VStreamCore

/// Re-encodes the packets of an audio or subtitle stream for a container that cannot hold them as they are.
///
/// One owner at a time.
protocol StreamConverter: AnyObject {
  /// The stream as it is encoded.
  var output: StreamInfo { get }

  /// Decodes a packet, and returns the encoded packets that are ready, in the time base of `output`. Damaged packets give
  /// none.
  ///
  /// - Throws: `VStreamError.library` if encoding fails or memory runs out.
  func convert(_ packet: Packet) throws(VStreamError) -> [Packet]

  /// Returns the remaining packets, at the end of the stream.
  ///
  /// - Throws: `VStreamError.library` if encoding fails or memory runs out.
  func finish() throws(VStreamError) -> [Packet]
}

/// A container's requirements of an audio encoder.
struct AudioRules {
  /// Whether the codec's header is stored apart from the packets.
  let hasGlobalHeader: Bool
  /// Samples per second; `nil` for any.
  let sampleRate: Int32?

  init(of format: UnsafePointer<AVOutputFormat>) {
    hasGlobalHeader = format.pointee.flags & AVFMT_GLOBALHEADER != 0
    sampleRate = Container.formatsOfProduction.contains(format.name) ? 48_000 : nil
  }
}

extension Container {
  /// A converter to a codec that an output can hold beside its streams; `nil` if there is none, or for streams that can only
  /// be copied.
  ///
  /// - Parameter format: the storage format of packets.
  static func converter(
    for stream: StreamInfo, format: UnsafePointer<AVOutputFormat>,
    besideStreamsOf output: UnsafePointer<AVFormatContext>
  ) -> (any StreamConverter)? {
    guard [.audio, .subtitle].contains(stream.kind), !isElementary(format) else { return nil }
    for codec in candidates(for: stream.kind, format: format) {
      guard holds(codec, format: format), let encoder = avcodec_find_encoder(codec) else { continue }
      let rules = AudioRules(of: format)
      // One that cannot be opened for this stream, for example for its number of channels, is not the last candidate.
      let converter: (any StreamConverter)? =
        stream.kind == .audio
        ? try? AudioConverter(stream, encoder: encoder, rules: rules)
        : try? SubtitleConverter(stream, encoder: encoder)
      if let converter, canHold(converter.output, format: format),
        canHold(converter.output, besideStreamsOf: output)
      {
        return converter
      }
    }
    return nil
  }

  /// Codecs in order of preference: the container's usual one first.
  private static func candidates(
    for kind: StreamInfo.Kind, format: UnsafePointer<AVOutputFormat>
  ) -> [AVCodecID] {
    if kind == .subtitle {
      return [format.pointee.subtitle_codec, AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_SUBRIP]
    }
    guard format.pointee.audio_codec != AV_CODEC_ID_NONE else { return [] }
    let name = format.name
    // libavformat's own choice for these is MP2, MP3 or AMR.
    let usual = formatsWithAAC.contains(name) ? AV_CODEC_ID_AAC : format.pointee.audio_codec
    return [
      usual, AV_CODEC_ID_AAC, AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS, AV_CODEC_ID_MP3, AV_CODEC_ID_MP2,
      AV_CODEC_ID_PCM_S16LE,
    ]
  }

  private static let formatsWithAAC: Set = ["mpegts", "flv", "3gp", "3g2", "rtsp", "hls", "dash"]
}
