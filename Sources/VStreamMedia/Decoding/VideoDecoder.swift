internal import CVStreamLibAV
public import VStreamScene

/// Turns the packets of a video stream into frames.
///
/// One owner at a time. Libav may use threads of its own inside.
public final class VideoDecoder {
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let timeBase: Rational
  private let frameTicks: Int64
  private let endTicks: Int64?
  /// The container's word on the pixels' shape, which goes before the coding's.
  private let aspect: Rational?
  private var lastTicks: Int64?

  /// - Parameters:
  ///   - threads: how many threads libav may decode with; 0 leaves it the choice.
  ///   - isLowDelay: whether a frame is to come out as soon as its packet is in, but for those that are shown after later
  ///     ones. Costs some speed: threads then share a picture instead of having one each.
  ///   - start: where frames begin, in seconds, that do not say when they are shown; `nil` for 0.
  /// - Throws: `VStreamError.unreadableInput` if there is no decoder for the stream.
  public init(
    _ stream: StreamInfo, threads: Int = 0, isLowDelay: Bool = false, startingAt start: Double? = nil
  ) throws(VStreamError) {
    guard let codec = avcodec_find_decoder(stream.parameters.av.pointee.codec_id) else {
      throw VStreamError(.unreadableInput, "there is no decoder for stream \(stream.label)", remedy: Self.remedy)
    }
    guard let allocated = avcodec_alloc_context3(codec) else { throw outOfMemory("decoder") }
    context = allocated
    timeBase = stream.timeBase
    aspect = stream.sampleAspectRatio
    endTicks = stream.endTicks
    lastTicks = start.map { stream.timeBase.ticks(seconds: $0) - 1 }
    let perFrame = stream.frameRate.map { 1 / $0.value / stream.timeBase.value } ?? 1
    frameTicks = max(1, Int64(clamping: Int(clamping: perFrame)))
    try requireLibAV(.unreadableInput, "the decoder refuses stream \(stream.label)", remedy: Self.remedy) {
      avcodec_parameters_to_context(allocated, stream.parameters.av)
    }
    allocated.pointee.pkt_timebase = stream.timeBase.av
    allocated.pointee.thread_count = Int32(clamping: threads)
    if isLowDelay {
      allocated.pointee.thread_type = FF_THREAD_SLICE
      if Self.mayHurry(stream) { allocated.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY }
    }
    try requireLibAV(.unreadableInput, "the decoder '\(stream.codecName)' cannot be opened", remedy: Self.remedy) {
      avcodec_open2(allocated, codec, nil)
    }
  }

  private static let remedy: Message = "see that the input is whole, or convert it by a program that knows its coding"

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Whether the decoder may be told that frames are shown in the order of their packets. H.264 and HEVC say themselves
  /// how many have to wait, and need not be told; AV1 never has one wait that is shown.
  private static func mayHurry(_ stream: StreamInfo) -> Bool {
    if stream.codecName == "av1" { return true }
    return stream.parameters.av.pointee.video_delay == 0 && !["h264", "hevc"].contains(stream.codecName)
  }

  /// What a packet gave.
  public struct Output {
    public var frames: [VideoFrame] = []
    /// Whether the decoder called the packet, or a frame out of it, damaged.
    public var isDamaged = false
  }

  /// Feeds one packet, or the end with `nil`, and takes the frames that are ready, in the order they are shown.
  ///
  /// Damaged packets are reported in the result, not thrown.
  /// - Throws: `VStreamError.library` if memory runs out.
  public func decode(_ packet: Packet?) throws(VStreamError) -> Output {
    var output = Output()
    var sent = avcodec_send_packet(context, packet?.av)
    if sent == CVStreamLibAV_EAGAIN {
      // Full: it takes the packet once its frames are taken.
      while let frame = try receive(&output) { output.frames.append(frame) }
      sent = avcodec_send_packet(context, packet?.av)
    }
    try requireMemory(sent)
    output.isDamaged = sent < 0 && sent != CVStreamLibAV_EOF && sent != CVStreamLibAV_EAGAIN
    while let frame = try receive(&output) { output.frames.append(frame) }
    if packet == nil, let last = output.frames.last { limitDuration(of: last) }
    return output
  }

  /// Forgets all that was fed, for packets from another place.
  public func reset() {
    avcodec_flush_buffers(context)
    lastTicks = nil
  }

  private func requireMemory(_ code: Int32) throws(VStreamError) {
    if code == -ENOMEM { throw outOfMemory("decoder") }
  }

  /// - Parameter tries: how many failures are passed over, as the decoder may still hold frames that are whole.
  private func receive(_ output: inout Output, tries: Int = 64) throws(VStreamError) -> VideoFrame? {
    guard let frame = av_frame_alloc() else { throw outOfMemory("frame") }
    let code = avcodec_receive_frame(context, frame)
    guard code >= 0 else {
      var unused: UnsafeMutablePointer<AVFrame>? = frame
      av_frame_free(&unused)
      if code == CVStreamLibAV_EAGAIN || code == CVStreamLibAV_EOF { return nil }
      try requireMemory(code)
      output.isDamaged = true
      return tries > 0 ? try receive(&output, tries: tries - 1) : nil
    }
    if frame.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.pointee.decode_error_flags != 0 {
      output.isDamaged = true
    }
    stamp(frame)
    return VideoFrame(takingOwnershipOf: frame, timeBase: timeBase)
  }

  /// Has the last frame end when the stream does: containers that keep the gaps between frames in the order of decoding
  /// do not say for how long the frame that is shown last is shown.
  private func limitDuration(of last: VideoFrame) {
    guard let endTicks else { return }
    let rest = endTicks.subtractingReportingOverflow(last.time.ticks)
    // An end that is far off is that of a stream whose last packets are missing.
    if !rest.overflow, rest.partialValue > 0, rest.partialValue <= 100 * frameTicks {
      last.av.pointee.pkt_duration = rest.partialValue
    }
  }

  /// Gives the frame libav's best guess of its time, and one after the last frame's where there is none or it does not
  /// go forward.
  private func stamp(_ frame: UnsafeMutablePointer<AVFrame>) {
    var ticks = frame.pointee.best_effort_timestamp
    let step = frame.pointee.pkt_duration > 0 ? frame.pointee.pkt_duration : frameTicks
    if ticks == CVStreamLibAV_NOPTS { ticks = lastTicks.map { $0.limitedSum(step) } ?? 0 }
    if let lastTicks, ticks <= lastTicks { ticks = lastTicks.limitedSum(1) }
    frame.pointee.pts = ticks
    if let aspect { frame.pointee.sample_aspect_ratio = aspect.av }
    lastTicks = ticks
  }
}
