internal import CVStreamLibAV
internal import VStreamCore

extension MediaWriter {
  static func addVideo(
    _ encoder: VideoEncoder, source: StreamInfo, first: VideoFrame,
    to context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    guard let stream = avformat_new_stream(context, nil) else { throw outOfMemory("stream") }
    try requireLibAV(.library, "stream parameters") {
      avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context)
    }
    stream.pointee.time_base = encoder.containerTimeBase.av
    stream.pointee.avg_frame_rate = encoder.context.pointee.framerate
    // Some codecs can express it only roughly.
    Container.setPixelAspect(encoder.pixelAspect, of: stream)
    stream.pointee.disposition = source.disposition
    let kept = source.sideData.filter { SideData.typesKeptByReencoding.contains($0.type) }
    try Container.add(kept + SideData.list(of: first), to: stream, in: context)
    Container.setTags(source.metadata, of: stream, in: context)
    if encoder.context.pointee.codec_id == AV_CODEC_ID_HEVC { Container.setHEVCTag(of: stream, in: context) }
    setAlphaTag(of: stream, PixelFormat(encoder.context.pointee.pix_fmt))
  }

  /// States whether the packets carry an alpha channel, whatever those of the input did.
  private static func setAlphaTag(of stream: UnsafeMutablePointer<AVStream>, _ format: PixelFormat) {
    for key in [StreamInfo.alphaTag, StreamInfo.alphaTag.uppercased()] {
      av_dict_set(&stream.pointee.metadata, key, nil, 0)
    }
    let isSeparate = [AV_CODEC_ID_VP8, AV_CODEC_ID_VP9].contains(stream.pointee.codecpar.pointee.codec_id)
    if isSeparate, format.hasAlpha { av_dict_set(&stream.pointee.metadata, StreamInfo.alphaTag, "1", 0) }
  }

  /// Seconds of Opus's delay, which Matroska's players subtract but the muxer only adds from FFmpeg 6 on.
  static func leads(of streams: [StreamInfo], copies: [Int: Int], format: String) -> [Int: Double] {
    guard ["matroska", "webm"].contains(format), avformat_version() >> 16 < 60 else { return [:] }
    var leads: [Int: Double] = [:]
    for stream in streams where stream.codecName == "opus" {
      if let index = copies[stream.index] {
        leads[index] = Double(stream.parameters.av.pointee.initial_padding) / 48_000
      }
    }
    return leads
  }

  static func filters(
    for streams: [StreamInfo], copies: [Int: Int], in container: UnsafePointer<AVOutputFormat>
  ) throws(VStreamError) -> [Int: BitstreamFilter] {
    var filters: [Int: BitstreamFilter] = [:]
    for stream in streams {
      guard let index = copies[stream.index] else { continue }
      filters[index] = try BitstreamFilter(for: stream, in: container)
    }
    return filters
  }

  /// The streams that were added to an output.
  struct AddedStreams {
    /// The output's stream index of each input stream.
    var indices: [Int: Int] = [:]
    /// The converters of streams that are not copied as they are, by the input's stream index.
    var converters: [Int: any StreamConverter] = [:]
    var omitted: [OmittedStream] = []
  }

  /// Adds copies of the streams that the output can hold, and of others with a converter.
  ///
  /// - Parameter packetFormat: the storage format of their packets.
  /// - Throws: `VStreamError.usage` for audio that would have to be converted, if that is excluded.
  static func addCopies(
    of streams: [StreamInfo], audio: AudioPolicy, storedIn packetFormat: UnsafePointer<AVOutputFormat>,
    to context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) -> AddedStreams {
    var added = AddedStreams()
    for stream in streams {
      let output = UnsafePointer(context)
      if stream.attachedPicture != nil {
        try add(image: stream, to: context, &added)
      } else if Container.canHold(stream, format: packetFormat), Container.canHold(stream, besideStreamsOf: output) {
        added.indices[stream.index] = Int(try Container.addCopy(of: stream, to: context).pointee.index)
        if AACContinuation.isNeeded(for: stream) {
          let rules = audio == .auto ? AudioRules(of: packetFormat) : nil
          added.converters[stream.index] = AACContinuation(stream, rules: rules)
        }
      } else if let converter = Container.converter(for: stream, format: packetFormat, besideStreamsOf: output) {
        if stream.kind == .audio, audio == .copy { throw copyImpossible(for: stream, in: context) }
        added.converters[stream.index] = converter
        added.indices[stream.index] = Int(try Container.addCopy(of: converter.output, to: context).pointee.index)
      } else {
        added.omitted.append(omission(of: stream, storedIn: packetFormat, in: context))
      }
    }
    return added
  }

  /// Adds a cover image, which has no packets: it is written with the header, or when the file is finished.
  private static func add(
    image: StreamInfo, to context: UnsafeMutablePointer<AVFormatContext>, _ added: inout AddedStreams
  ) throws(VStreamError) {
    guard let format = context.pointee.oformat, Container.canHold(image, format: format) else {
      return added.omitted.append(omission(of: image, storedIn: context.pointee.oformat, in: context))
    }
    if !Container.writesCoverImagesAtEnd(format.name) {
      try Container.addCopy(of: image, to: context)
    }
  }

  private static func omission(
    of stream: StreamInfo, storedIn packetFormat: UnsafePointer<AVOutputFormat>,
    in context: UnsafePointer<AVFormatContext>
  ) -> OmittedStream {
    let container = context.formatName
    if stream.attachedPicture == nil, Container.canHold(stream, format: packetFormat) {
      return OmittedStream(stream: stream, reason: "\(container) cannot hold it beside the other streams; .mkv can")
    }
    let remedy = Container.alternative(for: stream).map { "; an \($0) output can" } ?? ""
    let what =
      stream.attachedPicture != nil
      ? "cover images" : stream.kind == .attachment ? "attached files" : stream.codecName
    return OmittedStream(stream: stream, reason: "\(container) cannot hold \(what)\(remedy)")
  }

  /// The re-encoded streams, one line each.
  static func conversions(
    of streams: [StreamInfo], _ converters: [Int: any StreamConverter], in context: UnsafePointer<AVFormatContext>
  ) -> [Message] {
    let container = context.formatName
    return streams.compactMap { stream in
      guard let converter = converters[stream.index], !(converter is AACContinuation) else { return nil }
      let output = converter.output
      let other = Container.alternative(for: stream).map { " (an \($0) output can)" } ?? ""
      return "stream \(stream.label) is encoded as \(output.codecName): \(container) cannot hold it as it is\(other)"
    }
  }

  private static func copyImpossible(
    for stream: StreamInfo, in context: UnsafePointer<AVFormatContext>
  ) -> VStreamError {
    let container = context.formatName
    let other: Message = Container.alternative(for: stream).map { ", or write an \($0)" } ?? ""
    return VStreamError(
      .usage, "\(container) cannot hold stream \(stream.label) as it is (\(.audio, "copy"))", setting: .audio,
      value: "copy",
      remedy: "omit \(.audio) to have it encoded\(other)")
  }
}
