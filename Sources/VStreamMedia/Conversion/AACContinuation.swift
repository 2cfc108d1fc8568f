internal import CVStreamLibAV
internal import VStreamCore

/// Copies AAC whose packets state their parameters (ADTS), and re-encodes packets with other parameters than the first, such as
/// an advertisement within a playlist, unless all are to be copied: a track has one sample rate and one number of channels.
final class AACContinuation: StreamConverter {
  let output: StreamInfo
  /// `nil` if all packets are copied.
  private let rules: AudioRules?
  private var hasChanged = false
  /// The parameters of the first packet.
  private var first: ADTSHeader?
  /// Encodes packets of other parameters; `nil` between them.
  private var converter: AudioConverter?

  /// - Parameter rules: of the output; `nil` if all packets are to be copied.
  init(_ stream: StreamInfo, rules: AudioRules?) {
    output = stream
    self.rules = rules
  }

  /// The warning of changed parameters; `nil` for none.
  var problem: Message? {
    guard hasChanged else { return nil }
    let change: Message = "stream \(output.label) changes its sample rate or channels: these parts are "
    return rules != nil ? change + "re-encoded as it begins" : change + "copied, and may not play (\(.audio, "auto"))"
  }

  /// Whether the packets of a stream state its parameters.
  static func isNeeded(for stream: StreamInfo) -> Bool {
    stream.codecName == "aac" && stream.parameters.av.pointee.extradata_size == 0
  }

  func convert(_ packet: Packet) throws(VStreamError) -> [Packet] {
    guard let header = ADTSHeader(packet.av), let first else {
      first = first ?? ADTSHeader(packet.av)
      return [packet]
    }
    if header.hasParameters(of: first) { return try finish() + [packet] }
    hasChanged = true
    guard let rules else { return [packet] }
    if converter == nil { converter = try makeConverter(rules) }
    return try withHeaders(converter?.convert(packet) ?? [])
  }

  func finish() throws(VStreamError) -> [Packet] {
    guard let converter else { return [] }
    self.converter = nil
    return try withHeaders(converter.finish())
  }

  /// - Returns: `nil` if libav has no encoder for AAC: the packets are omitted.
  private func makeConverter(_ rules: AudioRules) throws(VStreamError) -> AudioConverter? {
    guard let encoder = avcodec_find_encoder(AV_CODEC_ID_AAC) else { return nil }
    return try AudioConverter(output, encoder: encoder, rules: rules)
  }

  private func withHeaders(_ packets: [Packet]) throws(VStreamError) -> [Packet] {
    guard let first else { return packets }
    var result: [Packet] = []
    for packet in packets {
      let copy = try Packet.allocate(copying: first.bytes(beforeFrameOf: packet.byteCount) + packet.bytes)
      av_packet_copy_props(copy, packet.av)
      copy.pointee.stream_index = Int32(output.index)
      av_packet_rescale_ts(copy, packet.timeBase.av, output.timeBase.av)
      result.append(Packet(takingOwnershipOf: copy, timeBase: output.timeBase))
    }
    return result
  }
}

/// The header of an AAC packet as in MPEG-TS. Source: ISO/IEC 14496-3, 1.A.2.2.
struct ADTSHeader {
  private let profile: UInt8
  private let rateIndex: UInt8
  private let channels: UInt8
  private static let byteCount = 7
  /// Blocks of samples in the packet.
  let blockCount: Int

  init?(_ packet: UnsafePointer<AVPacket>) {
    guard packet.pointee.size >= Self.byteCount, let bytes = packet.pointee.data, bytes[0] == 0xFF,
      bytes[1] & 0xF6 == 0xF0
    else { return nil }
    profile = bytes[2] >> 6
    rateIndex = bytes[2] >> 2 & 0xF
    channels = (bytes[2] & 1) << 2 | bytes[3] >> 6
    blockCount = Int(bytes[6] & 3) + 1
  }

  func hasParameters(of other: ADTSHeader) -> Bool {
    (profile, rateIndex, channels) == (other.profile, other.rateIndex, other.channels)
  }

  /// Samples per second; `nil` for a reserved index.
  var sampleRate: Int32? { Int(rateIndex) < Self.rates.count ? Self.rates[Int(rateIndex)] : nil }

  private static let rates: [Int32] = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]

  /// The header of a frame without a checksum, with a buffer of variable fullness.
  func bytes(beforeFrameOf count: Int) -> [UInt8] {
    let length = count + Self.byteCount
    return [
      0xFF, 0xF1, profile << 6 | rateIndex << 2 | channels >> 2,
      (channels & 3) << 6 | UInt8(length >> 11 & 3), UInt8(length >> 3 & 0xFF), UInt8(length & 7) << 5 | 0x1F, 0xFC,
    ]
  }
}
