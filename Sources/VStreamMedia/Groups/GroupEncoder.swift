internal import CVStreamLibAV
internal import FoundationEssentials
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
  ///   - settings: the user's; without a quality, frames have about the size of `sample`.
  ///   - first: the first frame that is encoded, as the stream stores it.
  ///   - sample: packets of the stream, of which the first begins a group.
  /// - Throws: `VStreamError.usage` if this FFmpeg has no such encoder, or it rejects the format.
  package init(
    _ video: StreamInfo, _ groups: PictureGroups, settings: EncoderSettings, first: VideoFrame, sample: [Packet]
  ) throws(VStreamError) {
    self.groups = groups
    stream = video.index
    let codec = try VideoCodec(encoder: groups.encoderName)
    var settings = settings
    settings.codec = codec.name
    settings.options = Self.options(for: video, groups, settings)
    if settings.crf == nil, settings.bitRate == nil {
      settings.crf = try Self.quality(of: sample, video, groups, codec, settings)
    }
    encoder = try VideoEncoder(
      codec, settings: settings, first: first, frameRate: video.frameRate, rules: ContainerRules())
  }

  /// The header of an encoder of groups, which is that of all of a run.
  ///
  /// - Throws: `VStreamError.usage` if this FFmpeg has no such encoder, or it rejects the format.
  static func header(
    _ video: StreamInfo, _ groups: PictureGroups, _ settings: EncoderSettings, like first: VideoFrame,
    options added: [(key: String, value: String)] = []
  ) throws(VStreamError) -> [UInt8] {
    var (settings, rules) = (settings, ContainerRules())
    let codec = try VideoCodec(encoder: groups.encoderName)
    settings.codec = codec.name
    settings.options = options(for: video, groups, settings) + added
    rules.hasGlobalHeader = true
    return try VideoEncoder(codec, settings: settings, first: first, frameRate: video.frameRate, rules: rules).extradata
  }

  /// The options with which FFV1's encoder makes a header. There is one for all pictures, with their form of storage.
  ///
  /// - Returns: `nil` if none do.
  static func options(
    for video: StreamInfo, _ groups: PictureGroups, _ settings: EncoderSettings, givingHeader wanted: [UInt8],
    like first: VideoFrame
  ) throws(VStreamError) -> [(key: String, value: String)]? {
    for (slices, interval) in [4, 16, 24, 12, 9, 6, 20, 30].flatMap({ slices in [1, 12].map { (slices, $0) } }) {
      for (coder, checks) in [0, 1, -2].flatMap({ coder in [1, 0].map { (coder, $0) } }) {
        let options: [(key: String, value: String)] = [
          ("level", "3"), ("slices", "\(slices)"), ("g", "\(interval)"), ("coder", "\(coder)"),
          ("slicecrc", "\(checks)"),
        ]
        let made = try header(video, groups, settings, like: first, options: options)
        // AVI and Matroska store an even number of bytes.
        if wanted == made || wanted == made + [0] { return options }
      }
    }
    return nil
  }

  /// The options by which an encoder makes pictures like the stream's, with the user's among them. As many frames are reordered as in
  /// the replaced groups.
  private static func options(
    for video: StreamInfo, _ groups: PictureGroups, _ settings: EncoderSettings
  ) -> [(key: String, value: String)] {
    let coded = video.parameters.av.pointee
    let (reorders, hasPyramid) = (coded.video_delay > 0, coded.video_delay > 1)
    switch groups.encoderName {
    case "libx264":
      let profile = profiles[coded.profile].map { [("profile", $0)] } ?? []
      let level = coded.level > 0 ? [("level", "\(Double(coded.level) / 10)")] : []
      return [("forced-idr", "1"), ("bf", reorders ? "3" : "0"), ("b-pyramid", hasPyramid ? "normal" : "none")]
        + profile + level + settings.options + [("x264-params", "sps-id=\(groups.setNumber):stitchable=1")]
    case "libx265":
      let level = coded.level > 0 ? ":level-idc=\(Double(coded.level) / 30)" : ""
      let order = "bframes=\(reorders ? 3 : 0):b-pyramid=\(hasPyramid ? 1 : 0)"
      return [("forced-idr", "1"), ("x265-params", order + level)] + settings.options
        + [("x265-params", "open-gop=0:info=0")]
    case "mpeg2video": return [("bf", reorders ? "2" : "0")] + settings.options
    case "libvpx", "libvpx-vp9": return [("auto-alt-ref", "0")] + settings.options
    case "prores_ks":
      let tag = (0..<4).map { UInt8(truncatingIfNeeded: coded.codec_tag >> (8 * $0)) }
      let profile = proResTags.firstIndex { Array($0.utf8) == tag }
      return [("vendor", "apl0")] + (profile.map { [("profile", "\($0)")] } ?? []) + settings.options
    default: return settings.options + groups.headerOptions
    }
  }

  /// By libav's numbers; the lowest bits are those of ITU-T H.264, annex A.
  private static let profiles: [Int32: String] = [
    66: "baseline", 578: "baseline", 77: "main", 100: "high", 110: "high10", 122: "high422", 244: "high444",
  ]

  /// By profile.
  private static let proResTags = ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"]

  /// The quality with which an encoder makes as many bytes of frames as packets of the stream have; `nil` if the encoder has none, or
  /// there are no frames in the packets.
  private static func quality(
    of sample: [Packet], _ video: StreamInfo, _ groups: PictureGroups, _ codec: VideoCodec, _ settings: EncoderSettings
  ) throws(VStreamError) -> Double? {
    let decoder = try VideoDecoder(video, threads: 1)
    var frames: [VideoFrame] = []
    for packet in sample { frames += try decoder.decode(packet).frames }
    frames += try decoder.decode(nil, isCut: true).frames
    guard let first = frames.first, var range = codec.profile.qualityRange else { return nil }
    // 0 is lossless in some codecs, which few profiles have.
    range.low = max(1, range.low)
    let wanted = sample.reduce(0) { $0 + groups.pictureBytes($1) } * frames.count / sample.count
    func excess(_ quality: Double) throws(VStreamError) -> Double {
      var trial = settings
      trial.crf = quality
      let encoder = try VideoEncoder(
        codec, settings: trial, first: first, frameRate: video.frameRate, rules: ContainerRules())
      var packets: [Packet] = []
      for frame in frames { packets += try encoder.encode(frame) }
      packets += try encoder.finish()
      var size = 0
      for packet in packets { size += groups.pictureBytes(try groups.formatted(packet)) }
      return log2(Double(max(1, size)) / Double(max(1, wanted)))
    }
    // The logarithm of the size is about linear in the quality: at first an eighth of the range is taken for half the size.
    func limited(_ quality: Double) -> Double { min(max(quality, range.low), range.high) }
    var (before, quality) = (limited(range.low), limited((range.low + range.high) / 2))
    var slope = -8 / (range.high - range.low)
    var excessBefore: Double?
    for _ in 0..<3 {
      let now = try excess(quality)
      if let earlier = excessBefore, abs(quality - before) > 0.1 {
        slope = min((now - earlier) / (quality - before), slope / 4)
      }
      (before, excessBefore) = (quality, now)
      quality = limited(quality - now / slope)
    }
    return quality
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
