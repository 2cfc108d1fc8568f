internal import CVStreamLibAV
package import VStreamCore

/// Decodes the packets of a video stream into frames.
///
/// One owner at a time. libav may use its own threads.
package final class VideoDecoder {
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let timeBase: Rational
  private let frameTicks: Int64
  private let endTicks: Int64?
  /// The aspect ratio of pixels by the container, which overrides the codec's.
  private let aspect: Rational?
  private var lastTicks: Int64?

  /// The omitted work, if not all is needed.
  package enum Effort: Hashable, Sendable {
    /// Nothing.
    case complete
    /// The filter that smooths the edges of blocks, of H.264 and HEVC: detectors' input is nearly the same (52 dB), for a
    /// fifth less time.
    case withoutDeblocking
    /// That, and the frames to which no others refer.
    case referenceFramesOnly
  }

  /// - Parameters:
  ///   - threads: The number of threads that libav may decode with; 0 for its default.
  ///   - isLowDelay: Whether each frame is returned as soon as its packet is decoded, unless it is presented after later
  ///     ones. Decoding is somewhat slower: threads then share a frame instead of having one each.
  ///   - start: The time in seconds of the first frame if frames have no times; `nil` for 0.
  /// - Throws: `VStreamError.unreadableInput` if there is no decoder for the stream.
  package init(
    _ stream: StreamInfo, threads: Int = 0, isLowDelay: Bool = false, effort: Effort = .complete,
    startingAt start: Double? = nil
  ) throws(VStreamError) {
    guard let codec = Self.codec(for: stream) else {
      throw VStreamError(.unreadableInput, "no decoder for stream \(stream.label)", remedy: Self.remedy)
    }
    guard let allocated = avcodec_alloc_context3(codec) else { throw outOfMemory("decoder") }
    context = allocated
    timeBase = stream.timeBase
    aspect = stream.sampleAspectRatio
    endTicks = stream.endTicks
    lastTicks = start.map { stream.timeBase.ticks(seconds: $0) - 1 }
    let perFrame = stream.frameRate.map { 1 / $0.value / stream.timeBase.value } ?? 1
    frameTicks = max(1, Int64(clamping: Int(clamping: perFrame)))
    try requireLibAV(.unreadableInput, "the decoder rejects stream \(stream.label)", remedy: Self.remedy) {
      avcodec_parameters_to_context(allocated, stream.parameters.av)
    }
    allocated.pointee.pkt_timebase = stream.timeBase.av
    allocated.pointee.thread_count = Int32(clamping: threads)
    if isLowDelay {
      allocated.pointee.thread_type = FF_THREAD_SLICE
      if Self.hasNoReordering(stream) { allocated.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY }
    }
    if effort != .complete { allocated.pointee.skip_loop_filter = AVDISCARD_ALL }
    if effort == .referenceFramesOnly { allocated.pointee.skip_frame = AVDISCARD_NONREF }
    try requireLibAV(.unreadableInput, "the decoder '\(stream.codecName)' cannot be opened", remedy: Self.remedy) {
      avcodec_open2(allocated, codec, nil)
    }
  }

  /// libav's own decoders of VP8 and VP9 ignore the second picture, which has the alpha channel.
  private static func codec(for stream: StreamInfo) -> UnsafePointer<AVCodec>? {
    let id = stream.parameters.av.pointee.codec_id
    if stream.hasSeparateAlpha,
      let found = avcodec_find_decoder_by_name(id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9")
    {
      return found
    }
    return avcodec_find_decoder(id)
  }

  private static let remedy: Message =
    "check that the file is complete, or convert it with a program that supports its codec"

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Whether libav can assume that frames are presented in the order of their packets. H.264 and HEVC signal the number
  /// of reordered frames themselves; AV1 never reorders frames that are shown.
  private static func hasNoReordering(_ stream: StreamInfo) -> Bool {
    if stream.codecName == "av1" { return true }
    return stream.parameters.av.pointee.video_delay == 0 && !["h264", "hevc"].contains(stream.codecName)
  }

  /// The result of decoding a packet.
  package struct Output {
    package var frames: [VideoFrame] = []
    /// Whether the decoder reported the packet, or a frame of it, as damaged.
    package var isDamaged = false
  }

  /// Decodes one packet, or the end of the stream with `nil`, and returns the frames that are ready, in presentation order.
  ///
  /// Damaged packets are reported in the result, not thrown.
  /// - Parameter isCut: for `nil`, whether the stream goes on behind the packets that were read.
  /// - Throws: `VStreamError.library` if memory runs out.
  package func decode(_ packet: Packet?, isCut: Bool = false) throws(VStreamError) -> Output {
    var output = Output()
    var sent = LibAVCode(avcodec_send_packet(context, packet?.av))
    if sent == .tryAgain {
      // Its queue is full: it accepts the packet after its frames are received.
      while let frame = try receive(&output) { output.frames.append(frame) }
      sent = LibAVCode(avcodec_send_packet(context, packet?.av))
    }
    try requireMemory(sent)
    output.isDamaged = sent.isFailure && sent != .endOfStream && sent != .tryAgain
    while let frame = try receive(&output) { output.frames.append(frame) }
    if packet == nil, !isCut, let last = output.frames.last { limitDuration(of: last) }
    return output
  }

  /// Discards all packets so far, for packets from another position of the stream.
  package func reset() {
    avcodec_flush_buffers(context)
    lastTicks = nil
  }

  private func requireMemory(_ code: LibAVCode) throws(VStreamError) {
    if code == .system(ENOMEM) { throw outOfMemory("decoder") }
  }

  /// - Parameter retries: The number of failures that are skipped, as undamaged frames may follow them.
  private func receive(_ output: inout Output, retries: Int = 64) throws(VStreamError) -> VideoFrame? {
    guard let frame = av_frame_alloc() else { throw outOfMemory("frame") }
    let code = LibAVCode(avcodec_receive_frame(context, frame))
    guard !code.isFailure else {
      var unused: UnsafeMutablePointer<AVFrame>? = frame
      av_frame_free(&unused)
      if code == .tryAgain || code == .endOfStream { return nil }
      try requireMemory(code)
      output.isDamaged = true
      return retries > 0 ? try receive(&output, retries: retries - 1) : nil
    }
    if frame.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.pointee.decode_error_flags != 0 {
      output.isDamaged = true
    }
    CVStreamLibAV_removeExif(frame)
    let storedTicks = frame.pointee.pts
    setTime(of: frame)
    var decoded = VideoFrame(takingOwnershipOf: frame, timeBase: timeBase)
    decoded.isAltered = decoded.time.ticks != storedTicks
    return decoded
  }

  /// Makes the last frame end with the stream: containers that store the intervals between frames in decoding order do not
  /// specify the duration of the frame that is presented last.
  private func limitDuration(of last: VideoFrame) {
    guard let endTicks else { return }
    let rest = endTicks.subtractingReportingOverflow(last.time.ticks)
    // A longer rest means that the last packets of the stream are missing.
    if !rest.overflow, rest.partialValue > 0, rest.partialValue <= 100 * frameTicks {
      CVStreamLibAV_setDuration(last.av, rest.partialValue)
    }
  }

  /// Sets the frame's time to libav's estimate, or to one after the last frame's if there is none or it does not increase.
  private func setTime(of frame: UnsafeMutablePointer<AVFrame>) {
    var ticks = frame.pointee.best_effort_timestamp
    let duration = CVStreamLibAV_duration(frame)
    let step = duration > 0 ? duration : frameTicks
    if ticks == CVStreamLibAV_NOPTS { ticks = lastTicks.map { $0.limitedSum(step) } ?? 0 }
    if let lastTicks, ticks <= lastTicks { ticks = lastTicks.limitedSum(1) }
    frame.pointee.pts = ticks
    if let aspect { frame.pointee.sample_aspect_ratio = aspect.av }
    lastTicks = ticks
  }
}

/// Decoded frames, for callers without a pipeline.
package enum DecodedFrames {
  /// Decodes the first frame of an input and makes it upright.
  ///
  /// - Parameter orientation: how it is stored; `nil` for what the input says.
  /// - Throws: `VStreamError`: `inputNotFound`, or `unreadableInput` if no frame can be decoded.
  package static func first(
    of input: MediaInput, orientation: Orientation? = nil
  ) throws(VStreamError) -> VideoFrame {
    var first: VideoFrame?
    try read(input, orientation: orientation) { (frame) throws(VStreamError) in
      first = frame
      return false
    }
    if let first { return first }
    throw VStreamError(
      .unreadableInput, "no frame of \(input.displayName) could be decoded", remedy: "check that the file is complete")
  }

  /// Decodes the video of an input, frame by frame and upright, until `use` returns `false`.
  ///
  /// - Parameters:
  ///   - orientation: how frames are stored; `nil` for what the input says.
  ///   - interrupt: ends a read that waits, which is an error then.
  /// - Throws: `VStreamError.inputNotFound`, `unreadableInput`, and what `use` throws.
  package static func read(
    _ input: MediaInput, orientation: Orientation? = nil, interrupt: Interrupt = Interrupt(),
    _ use: (VideoFrame) throws(VStreamError) -> Bool
  ) throws(VStreamError) {
    let reader = try MediaReader(input, interrupt: interrupt)
    defer { reader.close() }
    let decoder = try VideoDecoder(reader.video, threads: 1)
    let stored = orientation ?? reader.video.orientation
    let normaliser = FrameNormaliser(orientation: stored) { (frame) throws(VStreamError) in
      FrameTarget(format: frame.format.addressable)
    }
    while true {
      let (packet, isEnd) = try next(of: reader)
      for frame in try packet != nil || isEnd ? decoder.decode(packet).frames : [] {
        for upright in try normaliser.normalise(frame) where try !use(upright) { return }
      }
      if isEnd { break }
    }
    for upright in try normaliser.finish() where try !use(upright) { return }
  }

  /// The next packet if it belongs to the video, and whether the input is at its end.
  private static func next(of reader: MediaReader) throws(VStreamError) -> (packet: Packet?, isEnd: Bool) {
    switch try reader.next() {
    case .end: (nil, true)
    case .packet(let packet) where packet.streamIndex == reader.video.index: (packet, false)
    case .packet, .damaged: (nil, false)
    }
  }
}
