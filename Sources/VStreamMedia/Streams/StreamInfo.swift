internal import CVStreamLibAV
package import VStreamCore

/// The properties of one stream of an input.
package struct StreamInfo: Sendable {
  package enum Kind: String, Hashable, Sendable {
    case video
    case audio
    case subtitle
    case data
    case attachment
    case unknown
  }

  /// Index of the stream in its file, from 0.
  package private(set) var index: Int
  package let kind: Kind
  /// FFmpeg's name of the codec, for example `h264` or `aac`.
  package private(set) var codecName: String
  /// Seconds per tick of the stream's times.
  package private(set) var timeBase: Rational
  /// Frames per second as the container specifies or libav estimates it; `nil` if unknown.
  package private(set) var frameRate: Rational?
  /// Width ÷ height of a pixel; `nil` if unknown.
  package let sampleAspectRatio: Rational?
  /// Number of frames as the container specifies it; 0 if unknown.
  package let frameCount: Int
  /// Time at which the stream ends, in ticks; `nil` if unknown or estimated.
  package private(set) var endTicks: Int64?
  /// Time of the first packet in seconds; `nil` if unknown.
  private(set) var startSeconds: Double?
  /// Duration in ticks; `nil` if unknown.
  package let durationTicks: Int64?
  /// Duration in seconds; `nil` if unknown.
  package var durationSeconds: Double? { taggedSeconds ?? durationTicks.map { Double($0) * timeBase.value } }

  /// Matroska states the durations of streams in a tag, `00:01:02.500000000`.
  private var taggedSeconds: Double? {
    let parts = metadata["DURATION"]?.split(separator: ":").map { Double($0) } ?? []
    guard parts.count == 3 else { return nil }
    return parts.reduce(0) { sum, part in sum.flatMap { sum in part.map { 60 * sum + $0 } } }
  }

  package private(set) var metadata: [String: String]
  /// The orientation of its frames, as the container specifies it.
  package let orientation: Orientation
  /// The encoded cover image of the file, for a stream that is one; `nil` for other streams.
  package let attachedPicture: [UInt8]?
  /// Whether it serves a purpose inside the container (titles of chapters, a `timecode` tag) that libav reads and writes
  /// itself, so that it is not copied.
  package let isInternal: Bool
  /// Whether its times are those of a clock of few bits, such as MPEG's 33, which wraps around.
  let wrapsAround: Bool
  let disposition: Int32
  let sideData: [SideData]
  private(set) var parameters: CodecParameters

  init(_ stream: UnsafeMutablePointer<AVStream>, of context: UnsafeMutablePointer<AVFormatContext>) throws(VStreamError)
  {
    let coded = stream.pointee.codecpar.pointee
    index = Int(stream.pointee.index)
    kind = Kind(coded.codec_type)
    codecName = String(cString: avcodec_get_name(coded.codec_id))
    timeBase = Rational(stream.pointee.time_base) ?? .milliseconds
    let rate = av_guess_frame_rate(context, stream, nil)
    frameRate = rate.num > 0 && rate.den > 0 ? Rational(rate) : nil
    let aspect = av_guess_sample_aspect_ratio(context, stream, nil)
    sampleAspectRatio = aspect.num > 0 ? Rational(aspect) : nil
    frameCount = max(0, Int(stream.pointee.nb_frames))
    let duration = stream.pointee.duration >= 0 ? stream.pointee.duration : nil
    durationTicks = duration
    let start = stream.pointee.start_time
    startSeconds = start == CVStreamLibAV_NOPTS ? nil : Double(start) * timeBase.value
    // An estimated end cuts no frame.
    endTicks =
      context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
      ? duration.flatMap { Self.end(start: stream.pointee.start_time, duration: $0) } : nil
    metadata = [String: String](stream.pointee.metadata)
    wrapsAround = stream.pointee.pts_wrap_bits < 63
    disposition = stream.pointee.disposition
    let sideData = SideData.list(of: stream)
    self.sideData = sideData
    orientation = Self.orientation(in: sideData)
    isInternal = stream.pointee.discard == AVDISCARD_ALL || coded.codec_tag == Self.timecodeTag
    attachedPicture = Self.attachedPicture(of: stream)
    parameters = try CodecParameters(copying: stream.pointee.codecpar)
  }

  /// Pixels of an encoded frame; 0 if unknown.
  package var pixelCount: Int { Int(parameters.av.pointee.width) * Int(parameters.av.pointee.height) }

  /// Whether its packets carry the alpha channel beside the encoded picture, as VP8 and VP9 in WebM may.
  var hasSeparateAlpha: Bool {
    ["vp8", "vp9"].contains(codecName) && metadata.contains { $0.key.lowercased() == Self.alphaTag && $0.value == "1" }
  }

  /// Matroska's and WebM's tag for packets with an alpha channel.
  static let alphaTag = "alpha_mode"

  /// The stream with the index, time base and frame rate of another one that it continues.
  func continuing(_ other: StreamInfo) -> StreamInfo {
    var copy = self
    copy.index = other.index
    copy.timeBase = other.timeBase
    copy.frameRate = other.frameRate ?? frameRate
    copy.endTicks = nil
    return copy
  }

  /// The stream with timestamps of arrival, whose frame rate is unknown.
  func withArrivalTimestamps() -> StreamInfo {
    var copy = self
    copy.timeBase = .microseconds
    copy.frameRate = nil
    copy.startSeconds = nil
    return copy
  }

  /// The stream as of a frame some seconds after its first one, with the timecode of that frame.
  package func starting(after seconds: Double) -> StreamInfo {
    var copy = self
    copy.metadata = Timecode.advanced(metadata, by: seconds, rate: frameRate)
    return copy
  }

  /// The stream with other tags.
  func settingMetadata(_ metadata: [String: String]) -> StreamInfo {
    var copy = self
    copy.metadata = metadata
    return copy
  }

  /// The codec's parameters that the container states once; empty for none.
  package var header: [UInt8] { parameters.extradata }

  /// The stream with another header of its codec.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  func settingHeader(_ header: [UInt8]) throws(VStreamError) -> StreamInfo {
    var copy = self
    copy.parameters = try CodecParameters(copying: parameters, extradata: header)
    return copy
  }

  /// The stream as another encoder makes it.
  func encoded(as parameters: CodecParameters, timeBase: Rational) -> StreamInfo {
    var copy = self
    copy.parameters = parameters
    copy.timeBase = timeBase
    copy.codecName = String(cString: avcodec_get_name(parameters.av.pointee.codec_id))
    return copy
  }

  /// Whether parameters without which it cannot be copied were not found, as none of its packets was read when the input was
  /// opened.
  package var isUndetermined: Bool { parameters.av.pointee.isUndetermined }

  /// Whether its packets can follow those of another stream: codec, sample rate and channels are equal.
  func isEncoded(like other: StreamInfo) -> Bool {
    let (one, two) = (parameters.av.pointee, other.parameters.av.pointee)
    return one.codec_id == two.codec_id && one.sample_rate == two.sample_rate
      && one.ch_layout.nb_channels == two.ch_layout.nb_channels
  }

  /// `#1 (audio, aac)`: the stream in messages.
  package var label: String { "#\(index) (\(kind.rawValue), \(codecName))" }

  /// `tmcd`, the tag of QuickTime's timecode streams.
  private static let timecodeTag = codecTag("tmcd")

  private static func end(start: Int64, duration: Int64) -> Int64? {
    let (end, isTooLarge) = start.addingReportingOverflow(duration)
    return start == CVStreamLibAV_NOPTS || isTooLarge ? nil : end
  }

  private static func orientation(in sideData: [SideData]) -> Orientation {
    guard let found = sideData.first(where: { $0.type == AV_PKT_DATA_DISPLAYMATRIX && $0.bytes.count >= 36 }) else {
      return .upright
    }
    return found.bytes.withUnsafeBytes { bytes in
      Orientation(matrix: (0..<9).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) })
    }
  }

  private static func attachedPicture(of stream: UnsafeMutablePointer<AVStream>) -> [UInt8]? {
    guard stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 else { return nil }
    let packet = stream.pointee.attached_pic
    return Array(UnsafeBufferPointer(start: packet.data, count: Int(max(0, packet.size))))
  }
}

extension AVCodecParameters {
  /// Whether the sample rate or the channels of audio, or the size of video, are unknown.
  var isUndetermined: Bool {
    switch codec_type {
    case AVMEDIA_TYPE_AUDIO: codec_id != AV_CODEC_ID_NONE && (sample_rate <= 0 || ch_layout.nb_channels <= 0)
    case AVMEDIA_TYPE_VIDEO: codec_id != AV_CODEC_ID_NONE && (width <= 0 || height <= 0)
    default: false
    }
  }
}

extension StreamInfo.Kind {
  fileprivate init(_ type: AVMediaType) {
    self =
      switch type {
      case AVMEDIA_TYPE_VIDEO: .video
      case AVMEDIA_TYPE_AUDIO: .audio
      case AVMEDIA_TYPE_SUBTITLE: .subtitle
      case AVMEDIA_TYPE_DATA: .data
      case AVMEDIA_TYPE_ATTACHMENT: .attachment
      default: .unknown
      }
  }
}

extension StreamInfo {
  /// Size of an encoded frame, in pixels; 0×0 if unknown.
  package var encodedSize: PixelSize {
    PixelSize(width: Int(parameters.av.pointee.width), height: Int(parameters.av.pointee.height))
  }

  /// Requires the codec and the size of another stream, as far as both are known.
  ///
  /// - Throws: `VStreamError.inputOutput` if it has another.
  package func requireFormat(of other: StreamInfo) throws(VStreamError) {
    let isResized = encodedSize != other.encodedSize && pixelCount > 0 && other.pixelCount > 0
    guard codecName != other.codecName || isResized else { return }
    throw VStreamError(
      .inputOutput,
      "the input returned as \(codecName) of \(encodedSize), and was \(other.codecName) of \(other.encodedSize)",
      remedy: "start another run for it")
  }
}
