internal import CVStreamLibAV
internal import VStreamCore

/// Decodes text subtitles and encodes them in another format of text; times stay as they are.
final class SubtitleConverter: StreamConverter {
  let output: StreamInfo
  private let decoder: CodecContext
  private let encoder: CodecContext
  private let timeBase: Rational
  /// For formats that show one subtitle at a time; `nil` for others.
  private var timeline: CueTimeline?

  /// The longest text of a subtitle in bytes.
  private static let maximumBytes = 1 << 20

  /// - Throws: `VStreamError.library` for subtitles of images, or if a codec cannot be opened.
  init(_ stream: StreamInfo, encoder codec: UnsafePointer<AVCodec>) throws(VStreamError) {
    guard Self.isText(stream.parameters.av.pointee.codec_id), Self.isText(codec.pointee.id) else {
      throw VStreamError(.library, "stream \(stream.label) is not text")
    }
    timeBase = stream.timeBase
    timeline = codec.pointee.id == AV_CODEC_ID_MOV_TEXT ? CueTimeline() : nil
    decoder = try CodecContext(decoding: stream)
    encoder = try CodecContext(codec)
    encoder.av.pointee.time_base = stream.timeBase.av
    try encoder.copySubtitleHeader(of: decoder)
    try encoder.open()
    output = try encoder.output(of: stream)
  }

  /// Whether subtitles of a codec are text, not images or data.
  static func isText(_ codec: AVCodecID) -> Bool {
    avcodec_descriptor_get(codec).map { $0.pointee.props & AV_CODEC_PROP_TEXT_SUB != 0 } ?? false
  }

  func convert(_ packet: Packet) throws(VStreamError) -> [Packet] {
    let texts = texts(of: packet)
    let start = packet.av.pointee.pts
    guard !texts.isEmpty, start != CVStreamLibAV_NOPTS else { return [] }
    let end = start.limitedSum(max(0, packet.av.pointee.duration))
    guard timeline != nil else { return try encode([.init(start: start, end: end, texts: texts)]) }
    var cues: [CueTimeline.Cue] = []
    for text in texts { cues += timeline?.add(start: start, end: end, text: text) ?? [] }
    return try encode(cues)
  }

  func finish() throws(VStreamError) -> [Packet] { try encode(timeline?.finish() ?? []) }

  /// The lines of the script that a packet stands for.
  private func texts(of packet: Packet) -> [String] {
    var subtitle = AVSubtitle()
    var isComplete: Int32 = 0
    let code = LibAVCode(avcodec_decode_subtitle2(decoder.av, &subtitle, &isComplete, packet.av))
    guard !code.isFailure, isComplete != 0 else { return [] }
    defer { avsubtitle_free(&subtitle) }
    return (0..<Int(subtitle.num_rects)).compactMap { index in
      subtitle.rects[index]?.pointee.ass.map { String(cString: $0) }
    }
  }

  private func encode(_ cues: [CueTimeline.Cue]) throws(VStreamError) -> [Packet] {
    var packets: [Packet] = []
    for cue in cues {
      let bytes = try bytes(of: cue)
      guard !bytes.isEmpty else { continue }
      let packet = try Packet.allocate(copying: bytes)
      packets.append(Packet(takingOwnershipOf: packet, timeBase: timeBase))
      packet.pointee.stream_index = Int32(clamping: output.index)
      packet.pointee.pts = cue.start
      packet.pointee.dts = cue.start
      packet.pointee.duration = cue.end.limitedDifference(cue.start)
      packet.pointee.flags = AV_PKT_FLAG_KEY
    }
    return packets
  }

  /// A line of the script with the texts of several, one below the other.
  private static func line(_ lines: [String]) -> String {
    // ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text
    let texts = lines.dropFirst().map { line in
      line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false).last.map(String.init) ?? line
    }
    return ([lines.first ?? ""] + texts).joined(separator: "\\N")
  }

  private func bytes(of cue: CueTimeline.Cue) throws(VStreamError) -> [UInt8] {
    var subtitle = AVSubtitle()
    defer { avsubtitle_free(&subtitle) }
    let size = MemoryLayout<UnsafeMutablePointer<AVSubtitleRect>?>.stride
    guard let rects = av_mallocz(size), let memory = av_mallocz(MemoryLayout<AVSubtitleRect>.size) else {
      throw outOfMemory("subtitle")
    }
    let rect = memory.bindMemory(to: AVSubtitleRect.self, capacity: 1)
    rect.pointee.type = SUBTITLE_ASS
    rect.pointee.ass = av_strdup(Self.line(cue.texts))
    subtitle.rects = rects.bindMemory(to: UnsafeMutablePointer<AVSubtitleRect>?.self, capacity: 1)
    subtitle.rects[0] = rect
    subtitle.num_rects = 1
    var bytes = [UInt8](repeating: 0, count: Self.maximumBytes)
    let count = avcodec_encode_subtitle(encoder.av, &bytes, Int32(bytes.count), &subtitle)
    try requireLibAV(.library, "the subtitle encoder") { count }
    return Array(bytes.prefix(Int(max(0, count))))
  }
}

extension CodecContext {
  /// Copies the header of the script that a decoder makes of any text subtitles, which their encoders need.
  fileprivate func copySubtitleHeader(of decoder: CodecContext) throws(VStreamError) {
    let size = Int(decoder.av.pointee.subtitle_header_size)
    guard size > 0, let header = decoder.av.pointee.subtitle_header else { return }
    guard let copy = av_mallocz(size + 1) else { throw outOfMemory("subtitle header") }
    copy.copyMemory(from: header, byteCount: size)
    av.pointee.subtitle_header = copy.assumingMemoryBound(to: UInt8.self)
    av.pointee.subtitle_header_size = Int32(clamping: size)
  }
}
