internal import CVStreamLibAV
internal import VStreamScene

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
    stream.pointee.sample_aspect_ratio = encoder.context.pointee.sample_aspect_ratio
    stream.pointee.disposition = source.disposition
    for data in source.sideData where SideData.typesKeptByReencoding.contains(data.type) { try data.add(to: stream) }
    for data in SideData.list(of: first) { try data.add(to: stream) }
    Container.setMetadata(source.metadata, of: &stream.pointee.metadata)
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

  /// Adds copies of the streams that the output can hold.
  ///
  /// - Parameter packetFormat: the format in which their packets are stored.
  static func addCopies(
    of streams: [StreamInfo], storedIn packetFormat: UnsafePointer<AVOutputFormat>,
    to context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) -> (copies: [Int: Int], omitted: [OmittedStream]) {
    var copies: [Int: Int] = [:]
    var omitted: [OmittedStream] = []
    for source in streams {
      let isImage = source.attachedPicture != nil
      let format = isImage ? context.pointee.oformat : packetFormat
      guard let format, Container.canHold(source, format: format) else {
        let container = String(cString: context.pointee.oformat.pointee.name)
        let remedy = Container.alternative(for: source).map { "; an \($0) output can" } ?? ""
        omitted.append(OmittedStream(stream: source, reason: "\(container) cannot hold \(source.codecName)\(remedy)"))
        continue
      }
      guard isImage || Container.canHold(source, besideStreamsOf: context) else {
        let container = String(cString: context.pointee.oformat.pointee.name)
        omitted.append(
          OmittedStream(stream: source, reason: "\(container) cannot hold it beside the other streams; .mkv can"))
        continue
      }
      if source.attachedPicture != nil {
        // A cover image has no packets: it is written with the header, or when the file is finished.
        let format = String(cString: context.pointee.oformat.pointee.name)
        if !Container.writesCoverImagesAtEnd(format) { try Container.addCopy(of: source, to: context) }
      } else {
        copies[source.index] = Int(try Container.addCopy(of: source, to: context).pointee.index)
      }
    }
    return (copies, omitted)
  }
}
