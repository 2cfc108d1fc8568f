internal import CVStreamLibAV
internal import VStreamCore

/// Completes the times of an audio stream's packets where libav does not know them.
struct AudioTimes {
  private let stream: StreamInfo
  /// The duration of the last packet that has one, in ticks.
  private var duration: Int64?
  /// The end of the last packet, in ticks.
  private var end: Int64?
  /// The same, as libav counts it.
  private var countedEnd: Int64?

  init(_ stream: StreamInfo) { self.stream = stream }

  mutating func complete(_ packet: UnsafeMutablePointer<AVPacket>) {
    // libav's Ogg demuxer counts the duration of some last packets below 0, without a sign.
    if packet.pointee.duration > Int32.max { packet.pointee.duration = 0 }
    if stream.wrapsAround {
      completeFirst(packet)
      correctRate(packet)
    }
    if packet.pointee.duration > 0 { duration = packet.pointee.duration }
    completeLast(packet)
    if packet.pointee.pts != CVStreamLibAV_NOPTS {
      end = packet.pointee.pts.limitedSum(packet.pointee.duration)
    }
  }

  /// Sets the times of packets that libav splits from one packet of an MPEG stream before it has decoded any: only the first
  /// has a time.
  private func completeFirst(_ packet: UnsafeMutablePointer<AVPacket>) {
    let coded = stream.parameters.av
    if packet.pointee.duration == 0, coded.pointee.sample_rate > 0 {
      let samples = av_get_audio_frame_duration2(coded, packet.pointee.size)
      let base = AVRational(num: 1, den: coded.pointee.sample_rate)
      packet.pointee.duration = av_rescale_q(Int64(max(0, samples)), base, stream.timeBase.av)
    }
    guard packet.pointee.pts == CVStreamLibAV_NOPTS, packet.pointee.dts == CVStreamLibAV_NOPTS, let end else { return }
    (packet.pointee.pts, packet.pointee.dts) = (end, end)
  }

  /// Corrects the times of AAC with another sample rate than the stream's first: libav counts the frames of one packet of an
  /// MPEG stream by that.
  private mutating func correctRate(_ packet: UnsafeMutablePointer<AVPacket>) {
    guard stream.codecName == "aac", let header = ADTSHeader(packet), let rate = header.sampleRate,
      packet.pointee.pts != CVStreamLibAV_NOPTS
    else { return countedEnd = nil }
    let samples = Int64(header.blockCount) * Self.blockLength
    let duration = av_rescale_q(samples, AVRational(num: 1, den: rate), stream.timeBase.av)
    // libav counts two samples for each of HE-AAC, at twice the rate that the header states.
    guard abs(duration - packet.pointee.duration) > 1 else { return countedEnd = nil }
    let isCounted = countedEnd.map { abs(packet.pointee.pts.limitedDifference($0)) <= 1 } == true
    countedEnd = packet.pointee.pts.limitedSum(packet.pointee.duration)
    packet.pointee.duration = duration
    if isCounted, let end { (packet.pointee.pts, packet.pointee.dts) = (end, end) }
  }

  /// Samples of a block of AAC.
  private static let blockLength: Int64 = 1024

  /// Sets the duration of a last packet that has none: it lasts until the stream's end.
  private func completeLast(_ packet: UnsafeMutablePointer<AVPacket>) {
    guard packet.pointee.duration == 0, packet.pointee.pts != CVStreamLibAV_NOPTS, let duration,
      let last = stream.endTicks
    else { return }
    let rest = last.limitedDifference(packet.pointee.pts)
    if rest > 0, rest <= duration { packet.pointee.duration = rest }
  }
}
