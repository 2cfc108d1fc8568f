internal import CVStreamLibAV
public import VStreamScene

/// A line of a subtitle script (Advanced SubStation Alpha), and when it is shown.
public struct SubtitleLine: Hashable, Sendable {
  public var start: Time
  /// When it is shown no more, on the same timeline.
  public var end: Time
  /// `Layer`, `Style` and `Text` of the script.
  public var layer: Int
  public var style: String
  public var text: String

  public init(start: Time, end: Time, layer: Int, style: String, text: String) {
    self.start = start
    self.end = end
    self.layer = layer
    self.style = style
    self.text = text
  }

  /// As a line of a script's file, its times set back by some seconds; `nil` if it is not shown at all, as its times are
  /// told in hundredths.
  ///
  /// Times are rounded down, so that at the moment of each frame its own lines are shown and no others.
  public func scriptLine(offsetBy shift: Double) -> String? {
    let (first, last) = (Self.hundredths(start, shift), Self.hundredths(end, shift))
    guard last > first else { return nil }
    return "Dialogue: \(layer),\(Self.clock(first)),\(Self.clock(last)),\(style),,0,0,0,,\(text)"
  }

  /// What rounding has done to a time is less than this.
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

  /// As Matroska keeps it: its number in the script, and all but the times.
  func payload(number: Int) -> [UInt8] { Array("\(number),\(layer),\(style),,0,0,0,,\(text)".utf8) }
}

/// A subtitle track that is written beside copied streams.
struct SubtitleTrack {
  let index: Int
  private var count = 0

  /// Adds the track to an output that is not open yet.
  ///
  /// - Parameter header: of the script, up to the lines' format.
  init(header: String, title: String, to context: UnsafeMutablePointer<AVFormatContext>) throws(VStreamError) {
    guard let stream = avformat_new_stream(context, nil), let coded = stream.pointee.codecpar else {
      throw outOfMemory("stream")
    }
    let text = Array(header.utf8)
    guard let memory = av_mallocz(text.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
      throw outOfMemory("subtitle header")
    }
    text.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { memory.copyMemory(from: base, byteCount: bytes.count) }
    }
    coded.pointee.codec_type = AVMEDIA_TYPE_SUBTITLE
    coded.pointee.codec_id = AV_CODEC_ID_ASS
    coded.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    coded.pointee.extradata_size = Int32(clamping: text.count)
    stream.pointee.time_base = Rational.milliseconds.av
    stream.pointee.disposition = AV_DISPOSITION_DEFAULT
    av_dict_set(&stream.pointee.metadata, "title", title, 0)
    index = Int(stream.pointee.index)
  }

  /// A line as a packet of the track, in its ticks.
  ///
  /// - Parameter shift: seconds that times are set back by.
  mutating func packet(
    _ line: SubtitleLine, shift: Double, base: AVRational
  ) throws(VStreamError) -> UnsafeMutablePointer<AVPacket> {
    let bytes = line.payload(number: count)
    count += 1
    guard let packet = av_packet_alloc(), av_new_packet(packet, Int32(clamping: bytes.count)) >= 0 else {
      throw outOfMemory("packet")
    }
    bytes.withUnsafeBytes { source in
      if let from = source.baseAddress, let to = packet.pointee.data {
        UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: source.count)
      }
    }
    // Each end for itself, as the pictures' times are.
    func ticks(_ time: Time) -> Int64 {
      let moved = time.ticks.limitedDifference(time.base.ticks(seconds: shift))
      return av_rescale_q(moved, time.base.av, base)
    }
    packet.pointee.stream_index = Int32(index)
    packet.pointee.pts = ticks(line.start)
    packet.pointee.dts = packet.pointee.pts
    packet.pointee.duration = max(0, ticks(line.end) - packet.pointee.pts)
    packet.pointee.flags = AV_PKT_FLAG_KEY
    return packet
  }
}
