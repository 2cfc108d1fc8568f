internal import CVStreamLibAV
internal import VStreamCore

extension Container {
  /// Adds a stream that is a copy of an input's.
  ///
  /// - Parameter keepsTag: Whether the codec tag of the input is kept, if the output's format knows it.
  /// - Throws: `VStreamError.library` if memory runs out.
  @discardableResult
  static func addCopy(
    of source: StreamInfo, to context: UnsafeMutablePointer<AVFormatContext>, keepsTag: Bool = false
  ) throws(VStreamError) -> UnsafeMutablePointer<AVStream> {
    guard let stream = avformat_new_stream(context, nil) else { throw outOfMemory("stream") }
    try requireLibAV(.library, "stream parameters") {
      avcodec_parameters_copy(stream.pointee.codecpar, source.parameters.av)
    }
    let coded = source.parameters.av.pointee
    // A container without a tag for the codec may store the input's, as Matroska does for ProRes.
    let tags = context.pointee.oformat.pointee.codec_tag
    let isTagKnown =
      av_codec_get_id(tags, coded.codec_tag) == coded.codec_id || av_codec_get_tag(tags, coded.codec_id) == 0
    // The muxers of AVI and NUT would count and cut packets by the block size that AVI and ASF state.
    if codecsWithoutBlocks.contains(coded.codec_id) { stream.pointee.codecpar.pointee.block_align = 0 }
    stream.pointee.codecpar.pointee.codec_tag = keepsTag && isTagKnown ? coded.codec_tag : 0
    // With its parameter sets in the header, as Matroska and `hvc1` have them; those of `hev1` may be in the packets.
    let hasHeader = coded.extradata_size > 0 && coded.extradata[0] == 1 && coded.codec_tag != codecTag("hev1")
    if coded.codec_id == AV_CODEC_ID_HEVC, hasHeader { setHEVCTag(of: stream, in: context) }
    stream.pointee.time_base = source.timeBase.av
    if let rate = source.frameRate {
      stream.pointee.avg_frame_rate = rate.av
      // AVI has a frame for each tick: for half a frame, as frames may be late, not for each of the input's ticks.
      if context.formatName == "avi", source.kind == .video {
        stream.pointee.time_base = av_mul_q(av_inv_q(rate.av), AVRational(num: 1, den: 2))
      }
    }
    if let aspect = source.sampleAspectRatio { setPixelAspect(aspect.av, of: stream) }
    stream.pointee.disposition = source.disposition
    try add(source.sideData, to: stream, in: context)
    if let image = source.attachedPicture { try attach(image, to: stream, in: context) }
    setTags(source.metadata, of: stream, in: context)
    return stream
  }

  /// States the shape of a video's pixels in both places from which muxers take it.
  static func setPixelAspect(_ aspect: AVRational, of stream: UnsafeMutablePointer<AVStream>) {
    stream.pointee.sample_aspect_ratio = aspect
    stream.pointee.codecpar.pointee.sample_aspect_ratio = aspect
  }

  /// Tags HEVC as `hvc1` in the MP4 family, as Apple's players require; libavformat's default is `hev1`.
  static func setHEVCTag(of stream: UnsafeMutablePointer<AVStream>, in context: UnsafePointer<AVFormatContext>) {
    let format = context.formatName
    if ["mp4", "mov", "ipod", "ismv"].contains(format) {
      stream.pointee.codecpar.pointee.codec_tag = codecTag("hvc1")
    }
  }

  /// Makes a stream an attachment with a cover image in Matroska; in other formats the image is the stream's only packet.
  private static func attach(
    _ image: [UInt8], to stream: UnsafeMutablePointer<AVStream>, in context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    guard context.formatName == "matroska",
      let coded = stream.pointee.codecpar
    else { return }
    let isPNG = coded.pointee.codec_id == AV_CODEC_ID_PNG
    try coded.setExtradata(image)
    coded.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
    stream.pointee.disposition = 0
    av_dict_set(&stream.pointee.metadata, "filename", isPNG ? "cover.png" : "cover.jpg", 0)
    av_dict_set(&stream.pointee.metadata, "mimetype", isPNG ? "image/png" : "image/jpeg", 0)
  }

  /// Codecs whose frames differ in size.
  private static let codecsWithoutBlocks = [AV_CODEC_ID_AC3, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3]

  /// Tags that describe the input's own container, and so are not copied.
  private static let containerTags: Set = [
    "major_brand", "minor_version", "compatible_brands", "encoder", "vendor_id", "handler_name", "duration",
    "company_name", "product_name", "product_version", "number_of_frames", "number_of_bytes", "bps", "_statistics_tags",
    "_statistics_writing_app", "_statistics_writing_date_utc", "uid", "generation_uid", "product_uid",
    "product_version_num", "toolkit_version_num", "application_platform", "operational_pattern_ul", "modification_date",
    "material_package_umid", "file_package_umid",
  ]

  /// Copies all tags except descriptions of the input's own container.
  static func setMetadata(_ metadata: [String: String], of target: inout OpaquePointer?) {
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      if isCopied(tagName(key)), value != unknownTime { av_dict_set(&target, key, value, 0) }
    }
  }

  /// Sets the tags of a stream, with a language as its format knows it.
  static func setTags(
    _ metadata: [String: String], of stream: UnsafeMutablePointer<AVStream>, in context: UnsafePointer<AVFormatContext>
  ) {
    let format = context.formatName
    let tags = metadata.compactMap { key, value -> (String, String)? in
      switch key.lowercased() {
      case "language" where format == "mov": (key, quickTimeLanguage(value))
      case "stereo_mode" where format == "webm" && !stereoModesOfWebM.contains(value): nil
      default: (key, value)
      }
    }
    setMetadata([String: String](tags) { $1 }, of: &stream.pointee.metadata)
  }

  /// Arrangements of two views; libavformat creates no WebM with others.
  private static let stereoModesOfWebM: Set = ["mono", "left_right", "right_left", "top_bottom", "bottom_top"]

  /// Adds side data to a stream, except kinds that libavformat refuses to store.
  static func add(
    _ sideData: [SideData], to stream: UnsafeMutablePointer<AVStream>, in context: UnsafePointer<AVFormatContext>
  ) throws(VStreamError) {
    for data in sideData where context.formatName != "webm" || !StreamProperty.isInterleavedStereo(data) {
      try data.add(to: stream)
    }
  }

  /// The name of a tag in lower case, without a language: Matroska's statistics may be called NUMBER_OF_BYTES-eng.
  static func tagName(_ key: String) -> String {
    key.lowercased().split(separator: "-").first.map(String.init) ?? ""
  }

  /// As FFmpeg 9 reads a creation time that a file does not state.
  private static let unknownTime = "1970-01-01T00:00:00.000000Z"

  static func isCopied(_ tagName: String) -> Bool { !containerTags.contains(tagName) }

  /// Adds chapters to an output.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  static func setChapters(
    _ chapters: [Chapter], of context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    guard !chapters.isEmpty else { return }
    let size = MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
    guard let list = av_calloc(chapters.count, size) else { throw outOfMemory("chapters") }
    // The context owns the list and each chapter in it, and frees them.
    context.pointee.chapters = list.bindMemory(to: UnsafeMutablePointer<AVChapter>?.self, capacity: chapters.count)
    for (index, chapter) in chapters.enumerated() {
      guard let memory = av_mallocz(MemoryLayout<AVChapter>.size) else { throw outOfMemory("chapters") }
      let entry = memory.bindMemory(to: AVChapter.self, capacity: 1)
      entry.pointee.id = chapter.id
      entry.pointee.time_base = chapter.start.base.av
      entry.pointee.start = chapter.start.ticks
      entry.pointee.end = chapter.end.rescaled(to: chapter.start.base).ticks
      setMetadata(chapter.metadata, of: &entry.pointee.metadata)
      context.pointee.chapters[index] = entry
      context.pointee.nb_chapters = UInt32(index + 1)
    }
  }
}
