internal import CVStreamLibAV
public import VStreamScene

/// What a container says about one of its streams.
public struct StreamInfo: Sendable {
  public enum Kind: String, Hashable, Sendable {
    case video
    case audio
    case subtitle
    case data
    case attachment
    case unknown
  }

  /// Number of the stream in its file, from 0.
  public private(set) var index: Int
  public let kind: Kind
  /// FFmpeg's name of the coding, for example `h264` or `aac`.
  public let codecName: String
  /// Seconds per tick of the stream's times.
  public private(set) var timeBase: Rational
  /// Frames per second as the container says or libav guessed; `nil` if unknown.
  public let frameRate: Rational?
  /// Width ÷ height of a pixel; `nil` if unknown or square.
  public let sampleAspectRatio: Rational?
  /// Whole number of frames as the container says; 0 if it does not.
  public let frameCount: Int
  /// When it ends, in ticks; `nil` if unknown.
  public private(set) var endTicks: Int64?
  /// Length in ticks; `nil` if unknown.
  public let durationTicks: Int64?
  public let metadata: [String: String]
  /// How its pictures are to be turned to stand upright.
  public let orientation: Orientation
  /// The coded picture of a stream that is a picture of the file as a whole (a cover); `nil` for streams of frames.
  public let attachedPicture: [UInt8]?
  /// Whether libav reads and writes it by itself for another purpose (the titles of chapters, a tag `timecode`), so that it
  /// is not to be copied.
  public let isInternal: Bool
  let disposition: Int32
  let sideData: [SideData]
  let parameters: CodecParameters

  init(_ stream: UnsafeMutablePointer<AVStream>, of context: UnsafeMutablePointer<AVFormatContext>) throws(VStreamError)
  {
    let coded = stream.pointee.codecpar.pointee
    index = Int(stream.pointee.index)
    kind =
      switch coded.codec_type {
      case AVMEDIA_TYPE_VIDEO: .video
      case AVMEDIA_TYPE_AUDIO: .audio
      case AVMEDIA_TYPE_SUBTITLE: .subtitle
      case AVMEDIA_TYPE_DATA: .data
      case AVMEDIA_TYPE_ATTACHMENT: .attachment
      default: .unknown
      }
    codecName = String(cString: avcodec_get_name(coded.codec_id))
    timeBase = Rational(stream.pointee.time_base) ?? .milliseconds
    let guessed = av_guess_frame_rate(context, stream, nil)
    frameRate = guessed.num > 0 && guessed.den > 0 ? Rational(guessed) : nil
    let aspect = av_guess_sample_aspect_ratio(context, stream, nil)
    sampleAspectRatio = aspect.num > 0 && aspect.num != aspect.den ? Rational(aspect) : nil
    frameCount = Int(stream.pointee.nb_frames)
    durationTicks = stream.pointee.duration == CVStreamLibAV_NOPTS ? nil : stream.pointee.duration
    let start = stream.pointee.start_time
    endTicks = durationTicks.flatMap { duration in
      let (end, isTooLarge) = start.addingReportingOverflow(duration)
      return start == CVStreamLibAV_NOPTS || isTooLarge ? nil : end
    }
    metadata = StreamInfo.dictionary(stream.pointee.metadata)
    disposition = stream.pointee.disposition
    orientation = StreamInfo.orientation(of: stream)
    let timecode = "tmcd".utf8.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    isInternal = stream.pointee.discard == AVDISCARD_ALL || coded.codec_tag == timecode
    sideData = SideData.list(of: stream)
    if disposition & AV_DISPOSITION_ATTACHED_PIC != 0 {
      let picture = stream.pointee.attached_pic
      attachedPicture = Array(UnsafeBufferPointer(start: picture.data, count: Int(max(0, picture.size))))
    } else {
      attachedPicture = nil
    }
    parameters = try CodecParameters(copying: stream.pointee.codecpar)
  }

  /// Coded pixels of a picture; 0 if unknown.
  public var pixelCount: Int { Int(parameters.av.pointee.width) * Int(parameters.av.pointee.height) }

  /// The stream under another's number, in ticks of its time base.
  func renumbered(like other: StreamInfo) -> StreamInfo {
    var copy = self
    copy.index = other.index
    copy.timeBase = other.timeBase
    copy.endTicks = nil
    return copy
  }

  /// Whether its packets can follow those of another stream.
  func isCoded(like other: StreamInfo) -> Bool {
    let (one, two) = (parameters.av.pointee, other.parameters.av.pointee)
    return one.codec_id == two.codec_id && one.sample_rate == two.sample_rate
      && one.ch_layout.nb_channels == two.ch_layout.nb_channels
  }

  /// `#1 (audio, aac)`: as messages name the stream.
  public var label: String { "#\(index) (\(kind.rawValue), \(codecName))" }

  private static func orientation(of stream: UnsafeMutablePointer<AVStream>) -> Orientation {
    let found = SideData.list(of: stream).first { $0.type == AV_PKT_DATA_DISPLAYMATRIX && $0.bytes.count >= 36 }
    guard let found else { return .upright }
    let matrix = (0..<9).map { index in
      found.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 4, as: Int32.self) }
    }
    return Orientation(matrix: matrix)
  }

  static func dictionary(_ source: OpaquePointer?) -> [String: String] {
    var result: [String: String] = [:]
    var entry = av_dict_get(source, "", nil, AV_DICT_IGNORE_SUFFIX)
    while let found = entry {
      result[String(cString: found.pointee.key)] = String(cString: found.pointee.value)
      entry = av_dict_get(source, "", found, AV_DICT_IGNORE_SUFFIX)
    }
    return result
  }
}

/// Owns a stream's AVCodecParameters.
///
/// Unchecked because the pointer is not Sendable; sound because nothing writes to the parameters after `init`.
final class CodecParameters: @unchecked Sendable {
  let av: UnsafeMutablePointer<AVCodecParameters>

  init(copying source: UnsafePointer<AVCodecParameters>) throws(VStreamError) {
    guard let copy = avcodec_parameters_alloc() else { throw outOfMemory("stream parameters") }
    av = copy
    try requireLibAV(.library, "stream parameters") { avcodec_parameters_copy(copy, source) }
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVCodecParameters>? = av
    avcodec_parameters_free(&pointer)
  }
}

/// A named span of a file.
public struct Chapter: Hashable, Sendable {
  public let id: Int64
  public let start: Time
  public let end: Time
  public let metadata: [String: String]

  /// The chapter earlier by some seconds, without what then lies before zero; `nil` if that is all of it.
  func shifted(back seconds: Double) -> Chapter? {
    let ticks = start.base.ticks(seconds: seconds)
    let last = end.rescaled(to: start.base).ticks.limitedDifference(ticks)
    guard last > 0 || seconds == 0 else { return nil }
    return Chapter(
      id: id,
      start: Time(ticks: seconds == 0 ? start.ticks : max(0, start.ticks.limitedDifference(ticks)), base: start.base),
      end: Time(ticks: last, base: start.base), metadata: metadata)
  }
}

/// What a container says about itself.
public struct ContainerInfo: Sendable {
  /// The kind of place that it comes from.
  public let kind: InputKind
  /// FFmpeg's short name of the format, for example `avi` or `mov,mp4,m4a,3gp,3g2,mj2`.
  public let formatName: String
  /// Length in seconds, as it says or as libav guessed; `nil` if unknown.
  public let durationSeconds: Double?
  /// Length in seconds where the container says it, not guessed from its bit rate; `nil` else.
  public let lengthSeconds: Double?
  /// When its first packet is shown; 0 if unknown.
  public let startSeconds: Double
  public let metadata: [String: String]
  public let chapters: [Chapter]
  /// What a photo's file says beside its pixels; `nil` if the input is not one photo.
  public internal(set) var photo: ImageMetadata?

  /// Whether it comes by a protocol whose sender keeps the pace and waits for nobody, such as RTSP.
  let isPaced: Bool

  /// Whether it comes at its own pace: a device, a pipe, a network stream without a known end or by a protocol that does not
  /// wait.
  public var isLive: Bool {
    switch kind {
    case .file: false
    case .device, .pipe: true
    case .network: durationSeconds == nil || isPaced
    }
  }
}
