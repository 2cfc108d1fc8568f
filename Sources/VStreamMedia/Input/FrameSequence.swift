internal import CVStreamLibAV
internal import VStreamCore

/// Reads the frames that a program makes as the packets of one video. libav's decoder of wrapped frames passes them on without
/// copying their pixels.
struct FrameSequence {
  private let nextFrame: () throws(VStreamError) -> VideoFrame?
  /// The first frame, until it is read: the stream has its format, size, colours and time base.
  private var waiting: VideoFrame?
  private var last: Time?

  /// Waits for the first frame.
  ///
  /// - Throws: `VStreamError.unreadableInput` if there is none.
  init(_ nextFrame: @escaping () throws(VStreamError) -> VideoFrame?) throws(VStreamError) {
    self.nextFrame = nextFrame
    waiting = try nextFrame()
    if waiting == nil {
      throw VStreamError(.unreadableInput, "there are no frames", remedy: "give at least one frame before the end")
    }
  }

  /// A context with the description of the stream, from which nothing can be read.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  func openedContext() throws(VStreamError) -> UnsafeMutablePointer<AVFormatContext> {
    guard let first = waiting, let context = avformat_alloc_context(),
      let stream = avformat_new_stream(context, nil), let codec = stream.pointee.codecpar
    else { throw outOfMemory("input") }
    let frame = first.av.pointee
    codec.pointee.codec_type = AVMEDIA_TYPE_VIDEO
    codec.pointee.codec_id = AV_CODEC_ID_WRAPPED_AVFRAME
    (codec.pointee.width, codec.pointee.height, codec.pointee.format) = (frame.width, frame.height, frame.format)
    codec.pointee.sample_aspect_ratio = frame.sample_aspect_ratio
    (codec.pointee.color_range, codec.pointee.color_space) = (frame.color_range, frame.colorspace)
    (codec.pointee.color_primaries, codec.pointee.color_trc) = (frame.color_primaries, frame.color_trc)
    codec.pointee.chroma_location = frame.chroma_location
    stream.pointee.time_base = first.time.base.av
    stream.pointee.start_time = first.time.ticks
    context.pointee.start_time = av_rescale_q(first.time.ticks, first.time.base.av, Rational.microseconds.av)
    return context
  }

  /// The next frame as a packet of a stream.
  ///
  /// - Throws: the program's error; `VStreamError.usage` if the frame is not later than the one before, or has no pixels.
  mutating func next(in video: StreamInfo) throws(VStreamError) -> MediaReader.Read {
    let next = if let waiting { waiting } else { try nextFrame() }
    waiting = nil
    guard let frame = next else { return .end }
    if let last, frame.time <= last {
      throw VStreamError(
        .usage, "a frame at \(frame.time.seconds) s follows one at \(last.seconds) s",
        remedy: "give each frame of a stream a later time than the one before")
    }
    last = frame.time
    guard frame.hasPixels else { throw VStreamError(.usage, "a frame has no pixels") }
    return .packet(try Packet(wrapping: frame, stream: video.index, timeBase: video.timeBase))
  }
}

extension Packet {
  /// A packet that refers to a frame.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  fileprivate convenience init(wrapping frame: VideoFrame, stream: Int, timeBase: Rational) throws(VStreamError) {
    guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
    self.init(takingOwnershipOf: packet, timeBase: timeBase)
    guard let reference = av_frame_clone(frame.av) else { throw outOfMemory("frame") }
    let size = MemoryLayout<AVFrame>.size
    let bytes = UnsafeMutableRawPointer(reference).assumingMemoryBound(to: UInt8.self)
    packet.pointee.buf = av_buffer_create(
      bytes, size,
      { _, bytes in
        var frame = UnsafeMutableRawPointer(bytes)?.assumingMemoryBound(to: AVFrame.self)
        av_frame_free(&frame)
      }, nil, 0)
    guard packet.pointee.buf != nil else {
      var unused: UnsafeMutablePointer<AVFrame>? = reference
      av_frame_free(&unused)
      throw outOfMemory("packet")
    }
    (packet.pointee.data, packet.pointee.size) = (bytes, Int32(size))
    let ticks = frame.time.rescaled(to: timeBase).ticks
    reference.pointee.pts = ticks
    reference.pointee.pkt_dts = ticks
    (packet.pointee.pts, packet.pointee.dts) = (ticks, ticks)
    packet.pointee.duration = frame.time.base == timeBase ? frame.durationTicks : 0
    packet.pointee.stream_index = Int32(stream)
    packet.pointee.flags = AV_PKT_FLAG_KEY | AV_PKT_FLAG_TRUSTED
  }
}
