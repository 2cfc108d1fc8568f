internal import CVStreamLibAV
package import VStreamCore

/// A subtitle stream of an output, for lines that are made during the run.
struct SubtitleTrack {
  let index: Int
  private var count = 0

  /// Adds the stream to an output that is not open yet.
  ///
  /// - Parameter header: The script's header, up to the format of its lines.
  init(header: String, title: String, to context: UnsafeMutablePointer<AVFormatContext>) throws(VStreamError) {
    guard let stream = avformat_new_stream(context, nil), let coded = stream.pointee.codecpar else {
      throw outOfMemory("stream")
    }
    try coded.setExtradata(Array(header.utf8))
    coded.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
    coded.pointee.codec_id = AV_CODEC_ID_ASS
    stream.pointee.time_base = Rational.milliseconds.av
    stream.pointee.disposition = AV_DISPOSITION_DEFAULT
    av_dict_set(&stream.pointee.metadata, "title", title, 0)
    index = Int(stream.pointee.index)
  }

  /// The packet of a line, which the caller frees.
  ///
  /// - Parameters:
  ///   - shift: Seconds subtracted from times.
  ///   - base: The time base of the packet's times.
  mutating func packet(
    _ line: SubtitleLine, shift: Double, base: AVRational
  ) throws(VStreamError) -> UnsafeMutablePointer<AVPacket> {
    let packet = try Packet.allocate(copying: line.payload(number: count))
    count += 1
    // Start and end are rounded separately, as the times of frames are.
    func ticks(_ time: Time) -> Int64 {
      let shifted = time.ticks.limitedDifference(time.base.ticks(seconds: shift))
      return av_rescale_q(shifted, time.base.av, base)
    }
    packet.pointee.stream_index = Int32(index)
    packet.pointee.pts = ticks(line.start)
    packet.pointee.dts = packet.pointee.pts
    packet.pointee.duration = max(0, ticks(line.end) - packet.pointee.pts)
    packet.pointee.flags = AV_PKT_FLAG_KEY
    return packet
  }
}

extension UnsafeMutablePointer<AVCodecParameters> {
  /// Replaces the codec's header data with a copy of some bytes, padded as libav requires.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  func setExtradata(_ bytes: [UInt8]) throws(VStreamError) {
    guard let memory = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
      throw outOfMemory("codec header")
    }
    bytes.withUnsafeBytes { source in
      if let from = source.baseAddress { memory.copyMemory(from: from, byteCount: source.count) }
    }
    av_freep(&pointee.extradata)
    pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    pointee.extradata_size = Int32(clamping: bytes.count)
  }
}

/// A line of a subtitle script (Advanced SubStation Alpha).
package struct SubtitleLine: Hashable, Sendable {
  package var start: Time
  /// The end of its presentation, on the same timeline as `start`.
  package var end: Time
  /// The script's fields `Layer`, `Style` and `Text`.
  package var layer: Int
  package var style: String
  package var text: String

  package init(start: Time, end: Time, layer: Int, style: String, text: String) {
    self.start = start
    self.end = end
    self.layer = layer
    self.style = style
    self.text = text
  }

  /// The line of a script file, with its times moved back by some seconds; `nil` if it lasts less than the resolution of
  /// a script's times, which is 10 ms.
  ///
  /// Times are rounded down, so that at the time of each frame the lines of that frame are shown and no others.
  package func scriptLine(offsetBy shift: Double) -> String? {
    let (first, last) = (Self.hundredths(start, shift), Self.hundredths(end, shift))
    guard last > first else { return nil }
    return "Dialogue: \(layer),\(Self.clock(first)),\(Self.clock(last)),\(style),,0,0,0,,\(text)"
  }

  /// More than the rounding error of a time in hundredths of a second.
  private static let tolerance = 1e-6

  private static func hundredths(_ time: Time, _ shift: Double) -> Int {
    max(0, Int(clamping: ((time.seconds - shift) * 100 + tolerance).rounded(.down)))
  }

  /// `1:02:03.45`
  private static func clock(_ hundredths: Int) -> String {
    func two(_ number: Int) -> String { "\(number < 10 ? "0" : "")\(number)" }
    let seconds = hundredths / 100
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(two(hundredths % 100))"
  }

  /// The line as a Matroska packet contains it: its number in the script, and all fields but the times.
  func payload(number: Int) -> [UInt8] { Array("\(number),\(layer),\(style),,0,0,0,,\(text)".utf8) }
}
