internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

extension MediaReader {
  /// Opens an input and has libav determine its streams: of a file again and longer, where parameters of a stream were not found.
  ///
  /// - Throws: As `MediaReader.init`.
  static func openAnalysed(
    _ input: MediaInput, _ opener: InputOpener, pipe: PipeInput?, continuing earlier: StreamContinuation?,
    interrupt: Interrupt
  ) throws(VStreamError) -> UnsafeMutablePointer<AVFormatContext> {
    func open(isLonger: Bool) throws(VStreamError) -> UnsafeMutablePointer<AVFormatContext> {
      let context = try opener.open(pipe: pipe, interrupt: interrupt)
      if isLonger { (context.pointee.probesize, context.pointee.max_analyze_duration) = longAnalysis }
      if let earlier { shortenAnalysis(of: context, continuing: earlier) }
      // libav would read 50 packets in search of a timestamp.
      let isUntimed = arrivesUntimed(context, input: input, kind: opener.kind)
      if isUntimed {
        (context.pointee.max_ts_probe, context.pointee.fps_probe_size) = (1, 0)
      }
      if input.isPaced { limitAnalysisByFrames(of: context) }
      do {
        try findStreams(context, input: input, failure: opener.failure, interrupt: interrupt)
        // After so short an analysis, FFmpeg 9 times packets without a rate of their own at one a tick.
        for stream in context.streams where isUntimed && stream.pointee.r_frame_rate.num == stream.pointee.time_base.den
        {
          stream.pointee.r_frame_rate = guessedRate
        }
        return context
      } catch {
        var unused: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&unused)
        throw error
      }
    }
    let context = try open(isLonger: false)
    let isSet = input.options.contains { ["probesize", "analyzeduration"].contains($0.key) }
    guard opener.kind == .file, pipe == nil, !isSet, context.codecs.contains(where: \.isUndetermined) else {
      return context
    }
    var unused: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&unused)
    return try open(isLonger: true)
  }

  /// Bytes and microseconds that are read of a file whose streams begin late.
  private static let longAnalysis: (Int64, Int64) = (100_000_000, 120_000_000)

  /// Has libav read less of a stream to determine it, where the stream is known: its description has the codec's parameter sets,
  /// and its frames were not reordered before. To find out whether they are, libav reads seven.
  static func shortenAnalysis(
    of context: UnsafeMutablePointer<AVFormatContext>, continuing earlier: StreamContinuation
  ) {
    guard earlier.video.parameters.av.pointee.video_delay == 0,
      context.codecs.contains(where: { $0.codec_type == AVMEDIA_TYPE_VIDEO }),
      context.codecs.allSatisfy({ $0.codec_type != AVMEDIA_TYPE_VIDEO || $0.extradata_size > 0 })
    else { return }
    context.pointee.max_analyze_duration = shortAnalysis
  }

  /// Has libav end its analysis of a video that is described without the codec's parameters, which come with the next key
  /// frame, after some frames: it would read until then, if packets have no times. The decoder waits for the key frame.
  static func limitAnalysisByFrames(of context: UnsafeMutablePointer<AVFormatContext>) {
    for stream in context.streams where stream.pointee.avg_frame_rate.num == 0 {
      let codec = stream.pointee.codecpar.pointee
      guard codec.codec_type == AVMEDIA_TYPE_VIDEO, codec.extradata_size == 0 else { continue }
      stream.pointee.avg_frame_rate = assumedRate
    }
  }

  /// libav's guess for video without timestamps.
  private static let guessedRate = AVRational(num: 25, den: 1)

  /// 25 frames a second, with a denominator that no input states.
  private static let assumedRate = AVRational(num: 25 * 7919, den: 7919)

  /// In microseconds. It is exceeded with the second frame.
  private static let shortAnalysis: Int64 = 1000

  /// Has libav determine the streams of an opened input.
  ///
  /// - Throws: `VStreamError`: `unreadableInput`, or `inputNotFound` if it exceeds the timeout.
  static func findStreams(
    _ context: UnsafeMutablePointer<AVFormatContext>, input: MediaInput, failure: InputFailure, interrupt: Interrupt
  ) throws(VStreamError) {
    CVStreamLibAV_forgetMessage()
    let code = interrupt.limited(to: input.openingLimit) {
      let code = LibAVCode(avformat_find_stream_info(context, nil))
      // When it was interrupted, it may have found only some of the streams.
      return !code.isFailure && interrupt.shouldEnd ? .interrupted : code
    }
    // Where it failed at damage, the streams that it found may be decoded all the same.
    let hasVideo = context.codecs.contains { $0.codec_type == AVMEDIA_TYPE_VIDEO && $0.codec_id != AV_CODEC_ID_NONE }
    if code.isFailure, code == .interrupted || !hasVideo { throw failure.probing(code) }
    for stream in context.streams where stream.pointee.avg_frame_rate.den == assumedRate.den {
      stream.pointee.avg_frame_rate = AVRational(num: 0, den: 1)
    }
  }

  /// Whether a sender sets the pace, and the format has no timestamps, nor the user an option that gives them.
  static func arrivesUntimed(
    _ context: UnsafeMutablePointer<AVFormatContext>, input: MediaInput, kind: InputKind
  ) -> Bool {
    let format = context.pointee.inputFormatName
    guard untimedFormats.contains(format) || format.hasSuffix("_pipe"),
      !input.options.contains(where: { $0.key == "use_wallclock_as_timestamps" })
    else { return false }
    // libav has no option for the rate of a network camera's images.
    guard format == cameraImages || !input.options.contains(where: { $0.key == "framerate" }) else { return false }
    return kind == .pipe || (kind == .network && context.pointee.pb.map { avio_size($0) < 0 } ?? true)
  }

  /// The format of a network camera's sequence of images.
  static let cameraImages = "mpjpeg"

  /// The frame rate that the user states for such a sequence; `nil` for other inputs.
  ///
  /// - Throws: `VStreamError.usage` if it is no frame rate.
  static func cameraRate(
    _ context: UnsafeMutablePointer<AVFormatContext>, input: MediaInput
  ) throws(VStreamError) -> Double? {
    guard context.pointee.inputFormatName == cameraImages,
      let text = input.options.last(where: { $0.key == "framerate" })?.value
    else { return nil }
    return try Camera.rate(text)
  }

  /// Encoded video without a container, and a network camera's sequence of images.
  private static let untimedFormats: Set = [
    "av1", "avs2", "avs3", "bitpacked", "cavsvideo", "dirac", "evc", "h261", "h263", "h264", "hevc", "image2pipe",
    "m4v",
    "mjpeg", "mpegvideo", cameraImages, "obu", "rawvideo", "v210", "v210x", "vc1", "vvc",
  ]

  static func streams(of context: UnsafeMutablePointer<AVFormatContext>) throws(VStreamError) -> [StreamInfo] {
    var result: [StreamInfo] = []
    for index in 0..<Int(context.pointee.nb_streams) {
      guard let stream = context.pointee.streams[index] else { continue }
      result.append(try StreamInfo(stream, of: context))
    }
    return result
  }

  /// The first packet of an input whose start libav does not know, as that of a NUT with B-frames.
  ///
  /// - Returns: `nil` for other inputs, and if there is none.
  static func firstPacket(
    of context: UnsafeMutablePointer<AVFormatContext>, limit: Double?, interrupt: Interrupt
  ) -> Packet? {
    guard context.pointee.start_time == CVStreamLibAV_NOPTS, let packet = av_packet_alloc() else { return nil }
    let code = interrupt.code(limitedTo: limit) { av_read_frame(context, packet) }
    let stream = code.isFailure ? nil : context.pointee.streams[Int(packet.pointee.stream_index)]
    let owner = Packet(
      takingOwnershipOf: packet, timeBase: stream.flatMap { Rational($0.pointee.time_base) } ?? .milliseconds)
    return code.isFailure ? nil : owner
  }

  /// The processed video: the largest default stream that plays, else the largest that plays; the first of equally large
  /// ones. A stream whose pixel format is unknown, as libav found no frame of it, is the
  /// last choice.
  ///
  /// - Throws: `VStreamError`: `unreadableInput` if there is none, `usage` if the input's map selects none.
  static func chooseVideo(_ streams: [StreamInfo], of input: MediaInput) throws(VStreamError) -> StreamInfo {
    let videos = streams.filter { $0.kind == .video && $0.attachedPicture == nil }
    let known = videos.filter { $0.parameters.av.pointee.format != AV_PIX_FMT_NONE.rawValue }
    let usable = playing(known.isEmpty ? videos : known)
    let defaults = usable.filter { $0.disposition & AV_DISPOSITION_DEFAULT != 0 }
    let candidates = defaults.isEmpty ? usable : defaults
    if let largest = candidates.map(\.pixelCount).max(),
      let chosen = candidates.first(where: { $0.pixelCount == largest })
    {
      return chosen
    }
    let labels = streams.map(\.label).joined(separator: ", ")
    if !input.map.isAll {
      throw VStreamError(
        .usage, "\(.map) selects no video\(labels.isEmpty ? "" : ": only \(labels)")", setting: .map,
        remedy: "select one as well (\(.map, "0:v:0")); it is the one that is processed")
    }
    throw VStreamError(
      .unreadableInput, "\(input.displayName) has no video" + (labels.isEmpty ? "" : ": only \(labels)"),
      remedy: "name an input with a video stream")
  }

  /// The videos with at least half of the frames and of the duration of the longest, where they state them: the others are
  /// still images, as in a phone's recording. All, if no video has both.
  private static func playing(_ videos: [StreamInfo]) -> [StreamInfo] {
    let mostFrames = videos.map(\.frameCount).max() ?? 0
    let longest = videos.compactMap(\.durationSeconds).max() ?? 0
    let playing = videos.filter { video in
      (video.frameCount == 0 || mostFrames - video.frameCount <= video.frameCount)
        && video.durationSeconds.map { 2 * $0 >= longest } ?? true
    }
    return playing.isEmpty ? videos : playing
  }

  /// Whether the input is an AVIF image that libav does not make upright.
  private static func isStillAVIF(_ context: UnsafeMutablePointer<AVFormatContext>, _ video: StreamInfo) -> Bool {
    let brand = av_dict_get(context.pointee.metadata, "major_brand", nil, 0)
    return brand.map { String(cString: $0.pointee.value) } == "avif" && context.pointee.nb_streams <= 2
      && video.orientation == .upright
  }

  /// The metadata of a photo; `nil` if the input is not one image file.
  static func photo(
    _ input: MediaInput, _ context: UnsafeMutablePointer<AVFormatContext>, _ video: StreamInfo
  ) -> ImageMetadata? {
    let format = context.pointee.inputFormatName
    guard format == "image2" || format.hasSuffix("_pipe") || isStillAVIF(context, video), !input.isURL,
      input.location != "-",
      FileStatus.isRegularFile(input.location)
    else { return nil }
    return ImageMetadata(of: ImageFiles.bytes(of: input.location) ?? [])
  }
}
