internal import CVStreamLibAV
internal import VStreamCore

/// A stream of the input in the output.
struct CarriedStream {
  let source: StreamInfo
  /// Its parameters in the output.
  let coded: AVCodecParameters
  /// The side data of the output's stream and of the input's.
  let sideData: [SideData]
  /// Whether its packets are the input's.
  let isCopied: Bool
  /// Whether it is the default of its kind, and not the first of it.
  var isChosen = false
  /// Whether the file or the stream states the timecode of the first frame.
  var hasTimecode = false
  /// Seconds from the output's start to its own.
  var delay = 0.0

  var codecName: String { String(cString: avcodec_get_name(coded.codec_id)) }

  func has(_ type: AVPacketSideDataType) -> Bool { sideData.contains { $0.type == type } }

  /// The first value of side data, which is an enumeration; `nil` without such data.
  func value(_ type: AVPacketSideDataType) -> Int32? { sideData.first { $0.type == type }?.firstValue }
}

/// A property of streams, with the formats and codecs that hold it. `PropertyTests` compares them with files that were read
/// back.
struct StreamProperty: Sendable {
  let name: String
  /// The formats that store it for all streams.
  let formats: Set<String>
  /// The codecs that state it in their packets.
  var codecs: Set<String> = []
  /// Whether audio and subtitles have it as well as video.
  var isOfAnyKind = false
  let isPresent: @Sendable (CarriedStream) -> Bool

  func isLost(_ stream: CarriedStream, in format: String) -> Bool {
    !formats.contains(format) && !codecs.contains(stream.codecName) && isPresent(stream)
  }

  static let all: [StreamProperty] = ofFrames + [timecode, pixelAspect, roundedPixelAspect, colour] + languages + roles

  private static let marks: Set = ["mp4", "matroska", "webm"]

  private static let ofFrames = [
    StreamProperty(
      name: "the stereo mark", formats: CVStreamLibAV_mp4HoldsStereo() == 1 ? marks : marks.subtracting(["mp4"])
    ) { $0.sideData.contains(where: isStereo) },
    StreamProperty(name: "the stereo mark", formats: ["matroska"]) { $0.sideData.contains(where: isInterleavedStereo) },
    StreamProperty(
      name: "the spherical mark", formats: CVStreamLibAV_movHoldsSphere() == 1 ? marks.union(["mov"]) : marks
    ) { $0.has(AV_PKT_DATA_SPHERICAL) },
    StreamProperty(name: "the mastering display", formats: marks.union(["mov", "mxf"])) {
      $0.has(AV_PKT_DATA_MASTERING_DISPLAY_METADATA) && !$0.holdsLight
    },
    StreamProperty(name: "the content light level", formats: marks.union(["mov"])) {
      $0.has(AV_PKT_DATA_CONTENT_LIGHT_LEVEL) && !$0.holdsLight
    },
    StreamProperty(name: "Dolby Vision", formats: ["mp4", "matroska"]) { $0.isCopied && $0.has(AV_PKT_DATA_DOVI_CONF) },
  ]

  private static func isStereo(_ data: SideData) -> Bool {
    data.type == AV_PKT_DATA_STEREO3D && (data.firstValue ?? 0) > 0
  }

  /// Whether side data states two views that are neither side by side nor top and bottom.
  static func isInterleavedStereo(_ data: SideData) -> Bool { isStereo(data) && (data.firstValue ?? 0) > 2 }

  /// Formats that state the timecode of the file alone.
  static let formatsWithFileTimecode: Set = ["avi", "flv", "asf", "asf_stream"]

  private static let timecode = StreamProperty(
    name: "the timecode",
    formats: formatsWithFileTimecode.union([
      "mp4", "mov", "matroska", "webm", "nut", "ogg", "ogv", "mxf", "mxf_d10", "mxf_opatom", "gxf",
    ])
  ) { $0.hasTimecode }

  private static let formatsWithPixelAspect: Set = [
    "mp4", "mov", "matroska", "webm", "nut", "avi", "asf", "asf_stream",
  ]

  private static let pixelAspect = StreamProperty(
    name: "the pixel aspect ratio", formats: formatsWithPixelAspect.union(["ogg", "ogv", "mxf", "yuv4mpegpipe"]),
    codecs: ["h264", "hevc", "av1", "mpeg4", "mpeg1video", "mpeg2video", "theora"]
  ) { $0.coded.sample_aspect_ratio.num > 0 && $0.coded.sample_aspect_ratio.num != $0.coded.sample_aspect_ratio.den }

  private static let roundedPixelAspect = StreamProperty(
    name: "the exact pixel aspect ratio", formats: formatsWithPixelAspect
  ) { stream in
    let (aspect, coded) = (stream.coded.sample_aspect_ratio, stream.coded)
    guard stream.codecName == "mpeg2video", aspect.num > 0, aspect.den > 0, aspect.num != aspect.den else {
      return false
    }
    let shape = av_q2d(aspect) * Double(coded.width) / Double(max(1, coded.height))
    // The ratios of MPEG-2 (ISO/IEC 13818-2, table 6-3).
    return ![4.0 / 3, 16.0 / 9, 2.21].contains { abs($0 / shape - 1) < 0.01 }
  }

  private static let colour = StreamProperty(
    name: "the colour description", formats: ["mp4", "mov", "matroska", "webm", "mxf"],
    codecs: ["h264", "hevc", "av1", "mpeg2video", "prores"]
  ) { stream in
    let coded = stream.coded
    if coded.color_primaries != AVCOL_PRI_UNSPECIFIED || coded.color_trc != AVCOL_TRC_UNSPECIFIED { return true }
    let assumed = coded.height >= 720 ? [AVCOL_SPC_BT709] : [AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M]
    return !(assumed + [AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_RGB]).contains(coded.color_space)
  }
}

extension CarriedStream {
  /// Whether the packets state mastering display and content light.
  fileprivate var holdsLight: Bool { isCopied && ["hevc", "av1"].contains(codecName) }

  /// Whether the packets state a kind of service.
  fileprivate func holds(_ services: [AVAudioServiceType]) -> Bool {
    let stated = value(AV_PKT_DATA_AUDIO_SERVICE_TYPE)
    return isCopied && ["ac3", "eac3"].contains(codecName)
      && services.contains { Int32(bitPattern: $0.rawValue) == stated }
  }

  /// The language; `nil` if it is undetermined.
  fileprivate var language: String? {
    source.metadata.first { $0.key.lowercased() == "language" && $0.value != "und" }?.value
  }

  /// Whether the language has a code of ISO 639-2, of three letters.
  fileprivate var hasStandardLanguage: Bool {
    language.map { $0.count == 3 && $0.allSatisfy { ("a"..."z").contains($0) } } ?? true
  }

  fileprivate var hasQuickTimeLanguage: Bool {
    language.map { Container.quickTimeLanguages.contains(Container.quickTimeLanguage($0)) } ?? true
  }
}

extension StreamProperty {
  private static let formatsWithAnyLanguage: Set = [
    "matroska", "webm", "nut", "asf", "asf_stream", "ogg", "ogv", "oga",
  ]

  private static let formatsWithLanguages = formatsWithAnyLanguage.union([
    "mp4", "ipod", "3gp", "3g2", "ismv", "f4v", "mov", "mpegts",
  ])

  private static let languages = [
    language(formatsWithLanguages) { _ in true },
    language(formatsWithLanguages.subtracting(["mpegts"])) { $0.source.kind == .video },
    language(formatsWithLanguages.subtracting(["mov"])) { !$0.hasQuickTimeLanguage },
    language(formatsWithAnyLanguage) { !$0.hasStandardLanguage },
  ]

  private static func language(
    _ formats: Set<String>, where isMeant: @escaping @Sendable (CarriedStream) -> Bool
  ) -> StreamProperty {
    StreamProperty(name: "the language", formats: formats, isOfAnyKind: true) { $0.language != nil && isMeant($0) }
  }

  private static let roles =
    [
      disposition("forced", AV_DISPOSITION_FORCED, ["mp4", "matroska", "webm"]),
      disposition("comment", AV_DISPOSITION_COMMENT, ["mp4", "matroska", "nut"], AV_AUDIO_SERVICE_TYPE_COMMENTARY),
      disposition("dub", AV_DISPOSITION_DUB, ["mp4", "matroska", "nut"]),
      disposition("original", AV_DISPOSITION_ORIGINAL, ["matroska", "nut"]),
      disposition("lyrics", AV_DISPOSITION_LYRICS, ["nut"]),
      disposition("karaoke", AV_DISPOSITION_KARAOKE, ["nut"], AV_AUDIO_SERVICE_TYPE_KARAOKE),
      disposition(
        "hearing impaired", AV_DISPOSITION_HEARING_IMPAIRED, impairments, AV_AUDIO_SERVICE_TYPE_HEARING_IMPAIRED),
      disposition(
        "visually impaired", AV_DISPOSITION_VISUAL_IMPAIRED, impairments, AV_AUDIO_SERVICE_TYPE_VISUALLY_IMPAIRED),
      disposition("clean effects", AV_DISPOSITION_CLEAN_EFFECTS, ["mpegts"], AV_AUDIO_SERVICE_TYPE_EFFECTS),
      disposition("captions", AV_DISPOSITION_CAPTIONS, ["mp4", "webm"]),
      disposition("descriptions", AV_DISPOSITION_DESCRIPTIONS, ["mp4", "matroska", "webm"]),
      StreamProperty(
        name: "the disposition 'default'", formats: ["mp4", "mov", "ipod", "3gp", "3g2", "matroska", "webm", "nut"]
      ) {
        $0.isChosen
      },
      // libav reports the other services as dispositions.
      StreamProperty(name: "the audio's service type", formats: []) { stream in
        let others = [
          AV_AUDIO_SERVICE_TYPE_DIALOGUE, AV_AUDIO_SERVICE_TYPE_EMERGENCY, AV_AUDIO_SERVICE_TYPE_VOICE_OVER,
        ]
        let type = stream.value(AV_PKT_DATA_AUDIO_SERVICE_TYPE)
        return !stream.holds(others) && others.contains { Int32(bitPattern: $0.rawValue) == type }
      },
    ]

  private static let impairments: Set = ["mp4", "matroska", "mpegts"]

  /// - Parameter service: some codecs' equivalent audio service type.
  private static func disposition(
    _ name: String, _ flag: Int32, _ formats: Set<String>, _ service: AVAudioServiceType? = nil
  ) -> StreamProperty {
    StreamProperty(name: "the disposition '\(name)'", formats: formats, isOfAnyKind: true) { stream in
      stream.source.disposition & flag != 0 && service.map { stream.holds([$0]) } != true
    }
  }
}
