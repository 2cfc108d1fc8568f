internal import CVStreamLibAV
package import VStreamCore

/// Encodes groups of pictures that take the place of some of a stream's: with its codec, profile, level and format, parameter sets
/// of their own numbers, and its decoding times. One owner at a time.
package final class GroupEncoder {
  private let encoder: VideoEncoder
  private let groups: PictureGroups
  private let stream: Int
  /// The decoding times of the replaced packets, ascending.
  private var times: [Int64] = []
  private var written = 0

  /// - Parameters:
  ///   - settings: the user's; without a quality, key frames have about the size of `key`.
  ///   - first: the first frame that is encoded, as the stream stores it.
  ///   - key: the first packet of the replaced group.
  /// - Throws: `VStreamError.usage` if this FFmpeg has no such encoder, or it rejects the format.
  package init(
    _ video: StreamInfo, _ groups: PictureGroups, settings: EncoderSettings, first: VideoFrame, key: Packet
  ) throws(VStreamError) {
    self.groups = groups
    stream = video.index
    let codec = try VideoCodec(encoder: groups.encoderName)
    var settings = settings
    settings.codec = codec.name
    settings.options = Self.options(for: video, codec.name) + settings.options
    if settings.crf == nil, settings.bitRate == nil {
      settings.crf = try Self.quality(of: key, video, groups, codec, settings)
    }
    encoder = try VideoEncoder(
      codec, settings: settings, first: first, frameRate: video.frameRate, rules: ContainerRules())
  }

  /// The options by which an encoder makes pictures like the stream's. Frames are presented at most one after they were decoded, as
  /// in the replaced groups.
  private static func options(for video: StreamInfo, _ encoder: String) -> [(key: String, value: String)] {
    let coded = video.parameters.av.pointee
    let reorders = coded.video_delay > 0
    switch encoder {
    case "libx264":
      let profile = profiles[coded.profile].map { [("profile", $0)] } ?? []
      let level = coded.level > 0 ? [("level", "\(Double(coded.level) / 10)")] : []
      // The numbers of encoders' sets are 0, and of several 0 to 3.
      return [
        ("forced-idr", "1"), ("x264-params", "sps-id=15"), ("bf", reorders ? "3" : "0"), ("b-pyramid", "none"),
      ] + profile + level
    case "libx265":
      let level = coded.level > 0 ? ":level-idc=\(Double(coded.level) / 30)" : ""
      return [
        ("forced-idr", "1"), ("x265-params", "bframes=\(reorders ? 3 : 0):b-pyramid=0:open-gop=0:info=0\(level)"),
      ]
    case "mpeg2video": return [("bf", reorders ? "2" : "0")]
    case "libvpx", "libvpx-vp9": return [("auto-alt-ref", "0")]
    case "prores_ks":
      let tag = (0..<4).map { UInt8(truncatingIfNeeded: coded.codec_tag >> (8 * $0)) }
      let profile = proResTags.firstIndex { Array($0.utf8) == tag }
      return [("vendor", "apl0")] + (profile.map { [("profile", "\($0)")] } ?? [])
    default: return []
    }
  }

  /// By libav's numbers; the lowest bits are those of ITU-T H.264, annex A.
  private static let profiles: [Int32: String] = [
    66: "baseline", 578: "baseline", 77: "main", 100: "high", 110: "high10", 122: "high422", 244: "high444",
  ]

  /// By profile.
  private static let proResTags = ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"]

  /// The quality with which an encoder makes a key frame as large as a packet of the stream; `nil` if the encoder has none, or there
  /// is no frame in the packet.
  private static func quality(
    of key: Packet, _ video: StreamInfo, _ groups: PictureGroups, _ codec: VideoCodec, _ settings: EncoderSettings
  ) throws(VStreamError) -> Double? {
    let decoder = try VideoDecoder(video, threads: 1)
    let frames = try decoder.decode(key).frames + decoder.decode(nil, isCut: true).frames
    guard let frame = frames.first, var (low, high) = codec.profile.qualityRange else { return nil }
    let wanted = groups.pictureBytes(key)
    for _ in 0..<5 {
      var trial = settings
      trial.crf = (low + high) / 2
      let encoder = try VideoEncoder(
        codec, settings: trial, first: frame, frameRate: video.frameRate, rules: ContainerRules())
      var size = 0
      for packet in try encoder.encode(frame, isKey: true) + encoder.finish() {
        size += groups.pictureBytes(try groups.formatted(packet))
      }
      if size > wanted { low = (low + high) / 2 } else { high = (low + high) / 2 }
    }
    // Among others, x264 and x265 give key frames more, by the number of frames that refer to them.
    let offset = codec.name.hasPrefix("libx26") ? 2.0 : 0
    return (low + high) / 2 + offset
  }

  /// Encodes a frame, as the stream stores it, in the place of a packet.
  ///
  /// - Parameters:
  ///   - isFirst: whether it is the first of a group.
  ///   - decodingTicks: of the replaced packet, later than those before.
  /// - Throws: `VStreamError.library` if the encoder fails.
  package func encode(_ frame: VideoFrame, isFirst: Bool, decodingTicks: Int64) throws(VStreamError) -> [Packet] {
    times.append(decodingTicks)
    return try finished(try encoder.encode(frame, isKey: isFirst))
  }

  /// The remaining packets. Nothing can be encoded after them.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  package func finish() throws(VStreamError) -> [Packet] { try finished(try encoder.finish()) }

  private func finished(_ packets: [Packet]) throws(VStreamError) -> [Packet] {
    var finished: [Packet] = []
    for packet in packets {
      let formatted = try groups.formatted(packet)
      formatted.av.pointee.stream_index = Int32(stream)
      if times.indices.contains(written) { formatted.av.pointee.dts = min(times[written], formatted.av.pointee.pts) }
      written += 1
      finished.append(formatted)
    }
    return finished
  }
}

/// Turns painted frames, which are upright, into the form in which a stream stores them.
package struct FrameRestorer {
  private let normaliser: FrameNormaliser

  package init(_ video: StreamInfo) {
    let format = PixelFormat(AVPixelFormat(video.parameters.av.pointee.format))
    normaliser = FrameNormaliser(orientation: video.orientation.inverse) { frame throws(VStreamError) in
      FrameTarget(format: video.parameters.av.pointee.format < 0 ? frame.format : format)
    }
  }

  /// - Throws: `VStreamError.missingDependency` if the frame is to be turned, and libavfilter is not installed.
  package func restored(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    try normaliser.normalise(frame).first ?? frame
  }
}
