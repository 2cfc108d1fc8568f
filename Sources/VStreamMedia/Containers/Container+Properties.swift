internal import CVStreamLibAV
internal import VStreamCore

/// The properties of an input that its output does not hold.
extension Container {
  /// The streams of the input that an output has.
  ///
  /// - Parameters:
  ///   - streams: The input's streams, the video first.
  ///   - indices: the output's stream index of each.
  ///   - encoded: The input's indices of the encoded streams.
  ///   - tags: the input's.
  ///   - shift: seconds that are subtracted from all times.
  static func carried(
    _ streams: [StreamInfo], indices: [Int: Int], encoded: Set<Int>, tags: [String: String], shift: Double,
    in output: UnsafePointer<AVFormatContext>
  ) -> [CarriedStream] {
    let hasFileTimecode = tags.keys.contains { $0.lowercased() == timecodeTag }
    var seen: [StreamInfo.Kind: Int32] = [:]
    return streams.compactMap { source in
      guard let stream = indices[source.index].flatMap({ output.pointee.streams[$0] }) else { return nil }
      let isVideo = indices[source.index] == 0
      var carried = CarriedStream(
        source: source, coded: stream.pointee.codecpar.pointee, sideData: SideData.list(of: stream) + source.sideData,
        isCopied: !encoded.contains(source.index))
      let first = seen[source.kind]
      carried.isChosen =
        source.disposition & AV_DISPOSITION_DEFAULT != 0 && first.map { $0 & AV_DISPOSITION_DEFAULT == 0 } ?? false
      seen[source.kind] = first ?? source.disposition
      carried.hasTimecode =
        (isVideo && hasFileTimecode) || source.metadata.keys.contains { $0.lowercased() == timecodeTag }
      carried.delay = source.kind == .audio ? (source.startSeconds ?? shift) - shift : 0
      return carried
    }
  }

  static let timecodeTag = "timecode"

  /// The properties of streams that a format does not hold, one line each.
  ///
  /// - Parameters:
  ///   - format: the output's, for the message.
  ///   - packetFormat: the storage format of the packets.
  static func lostProperties(
    of streams: [CarriedStream], storedIn packetFormat: UnsafePointer<AVOutputFormat>, format: String
  ) -> [Message] {
    guard describesStreams(packetFormat) else { return [] }
    let name = packetFormat.name
    var lost: [(property: StreamProperty, streams: [Int])] = []
    for property in StreamProperty.all {
      for stream in streams where property.isLost(stream, in: name) {
        let index = lost.firstIndex { $0.property.name == property.name } ?? lost.endIndex
        if index == lost.endIndex { lost.append((property, [])) }
        if !lost[index].streams.contains(stream.source.index) { lost[index].streams.append(stream.source.index) }
      }
    }
    let remedy = name == "matroska" ? "" : "; an .mkv output can"
    let lines = lost.map { lost -> Message in
      let isOfVideo = !lost.property.isOfAnyKind && lost.streams == [streams.first?.source.index]
      let list = lost.streams.map { "#\($0)" }.joined(separator: ", ")
      let owners = isOfVideo ? "" : " of stream\(lost.streams.count == 1 ? "" : "s") \(list)"
      return "\(lost.property.name)\(owners) is not kept: \(format) cannot hold it\(remedy)"
    }
    return lines + lostByEncoding(of: streams) + lostDelays(of: streams, in: format)
  }

  private static func lostByEncoding(of streams: [CarriedStream]) -> [Message] {
    let isLost = streams.contains { !$0.isCopied && $0.has(AV_PKT_DATA_DOVI_CONF) }
    return isLost ? ["Dolby Vision is not kept: its metadata does not fit re-encoded video"] : []
  }

  /// Audio that would start later than the video, in formats whose streams all start at 0.
  private static func lostDelays(of streams: [CarriedStream], in format: String) -> [Message] {
    guard format == "avi" || formatsOfProduction.contains(format) else { return [] }
    return streams.filter { $0.delay > 0.05 }.map { stream in
      "the delay of stream #\(stream.source.index), \(Int(clamping: (stream.delay * 1000).rounded())) ms, is not kept: "
        + "\(format) cannot hold it; an .mkv output can"
    }
  }

  /// Whether a format describes its streams: images and the bytes of one stream do not, and nobody expects it of them.
  static func describesStreams(_ format: UnsafePointer<AVOutputFormat>) -> Bool {
    format.name == "yuv4mpegpipe" || (format.pointee.audio_codec != AV_CODEC_ID_NONE && !isElementary(format))
  }

  /// Rewrites the timecodes of an output for its frame rate, and states them where its format does.
  ///
  /// - Parameter rate: frames per second of the input.
  static func convertTimecodes(of context: UnsafeMutablePointer<AVFormatContext>, from rate: Rational?) {
    guard let video = context.streams.first else { return }
    let outputRate = Rational(video.pointee.avg_frame_rate)
    func convert(_ tags: inout OpaquePointer?) -> String? {
      guard let entry = av_dict_get(tags, timecodeTag, nil, 0) else { return nil }
      let text = Timecode.converted(String(cString: entry.pointee.value), from: rate, to: outputRate)
      av_dict_set(&tags, timecodeTag, text, 0)
      return text
    }
    let ofFile = convert(&context.pointee.metadata)
    let ofVideo = convert(&video.pointee.metadata)
    if ofFile == nil, let ofVideo, StreamProperty.formatsWithFileTimecode.contains(context.formatName) {
      av_dict_set(&context.pointee.metadata, timecodeTag, ofVideo, 0)
    }
  }
}

/// QuickTime's languages, which libavformat stores by their numbers in MOV.
extension Container {
  /// libavformat's code of a language in MOV.
  static func quickTimeLanguage(_ code: String) -> String { otherLanguageCodes[code] ?? code }

  /// Codes of ISO 639-2, with libavformat's alternative ones.
  private static let otherLanguageCodes = [
    "fre": "fra", "deu": "ger", "nld": "dut", "swe": "sve", "ell": "gre", "isl": "ice", "zho": "chi", "sqi": "alb",
    "rum": "ron", "cze": "ces", "slo": "slk", "mkd": "mac", "hye": "arm", "kat": "geo", "bod": "tib", "mya": "bur",
    "msa": "may", "cym": "wel", "eus": "baq",
  ]

  static let quickTimeLanguages = Set(
    """
    eng fra ger ita dut sve spa dan por nor heb jpn ara fin gre ice mlt tur chi urd hin tha kor lit pol hun est lav rus \
    alb ron ces slk slv yid mac bul ukr bel uzb kaz aze arm geo kir tgk tuk mon pus kur kas snd tib nep san mar ben asm \
    guj ori mal kan tam tel bur khm lao vie ind tgl may amh tir orm som swa run mlg epo wel baq cat lat que grn aym tat \
    uig dzo jav
    """.split(separator: " ").map(String.init))
}
