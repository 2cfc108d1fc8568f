internal import CVStreamLibAV
package import VStreamCore

// Images besides the video that a file may contain, which redaction of the video does not cover, and a file's tags of
// places, persons and devices.

extension StreamInfo {
  /// Whether the stream may contain images: other video, covers, data, attached files, subtitles that are images, and streams
  /// whose header cannot be read.
  package var mayContainImages: Bool {
    switch kind {
    case .video, .attachment, .unknown: true
    case .data: !isTimedMetadata
    case .audio: cleanedHeader == nil
    case .subtitle: !SubtitleConverter.isText(parameters.av.pointee.codec_id) || cleanedHeader == nil
    }
  }

  /// Whether it is text or timed metadata, which may name places and people.
  package var isText: Bool { kind == .subtitle || kind == .data }

  /// Whether it is metadata of a known form without images: positions and measurements of cameras and drones, signals to insert
  /// advertisements, programmes.
  private var isTimedMetadata: Bool {
    kind == .data
      && (["klv", "scte_35", "epg"].contains(codecName) || parameters.av.pointee.codec_tag == Self.cameraTag)
  }

  /// `gpmd`, the tag of a camera's measurements in MP4.
  private static let cameraTag: UInt32 = "gpmd".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }

  private var cleanedHeader: [UInt8]? { CodecHeader.cleaned(parameters.extradata, codec: codecName) }

  /// Whether tags of it are omitted as they may be images.
  package var hasImageTags: Bool { metadata.contains { HarmlessTags.isImage($0.key, $0.value) } }

  /// The stream without images in its tags and its codec's header, and without tags that may name places, people and devices.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  package func redacted(keepsImages: Bool, keepsDescription: Bool) throws(VStreamError) -> StreamInfo {
    let copy = settingMetadata(
      HarmlessTags.kept(of: metadata, keepsImages: keepsImages, keepsDescription: keepsDescription))
    guard !keepsImages, let cleaned = cleanedHeader, cleaned != parameters.extradata else { return copy }
    return try copy.settingHeader(cleaned)
  }
}

extension ContainerInfo {
  /// A container's omitted parts, for warnings.
  package struct Omissions: Hashable, Sendable {
    /// Whether images are omitted: thumbnails, maker's notes, cover images in tags.
    package var images = false
    /// Whether tags are omitted that may name places, people and devices.
    package var description = false
  }

  /// The container without images in its tags and in a photo's Exif and colour profile, and without tags that may name places,
  /// people and devices.
  package func redacted(keepsImages: Bool, keepsDescription: Bool) -> ContainerInfo {
    var copy = mappingMetadata {
      HarmlessTags.kept(of: $0, keepsImages: keepsImages, keepsDescription: keepsDescription)
    }
    guard let photo, !(keepsImages && keepsDescription) else { return copy }
    copy.photo?.exif = ExifRedaction(of: photo, keeping: keepsDescription ? .description : .harmless).block
    if !keepsImages { copy.photo?.profile = ColorProfile.cleaned(photo.profile) }
    return copy
  }

  /// Whether a chapter has a title or another tag.
  package var hasChapterTitles: Bool { chapters.contains { !$0.metadata.isEmpty } }

  package func omissions(keepsImages: Bool, keepsDescription: Bool) -> Omissions {
    var omissions = Omissions()
    if !keepsImages {
      omissions.images =
        photo?.hasImages == true
        || ([metadata] + chapters.map(\.metadata)).joined().contains { HarmlessTags.isImage($0.key, $0.value) }
    }
    guard !keepsDescription else { return omissions }
    omissions.description =
      photo.map { ExifRedaction(of: $0, keeping: .harmless).losesDescription } == true
      || metadata.contains { Container.isCopied(Container.tagName($0.key)) && !HarmlessTags.isHarmless($0.key) }
    return omissions
  }
}

extension ImageMetadata {
  /// Whether Exif has a second directory, directories or strips of further images, or a maker's note.
  fileprivate var hasImages: Bool { ExifRedaction(of: self, keeping: .harmless).hasImages }
}

extension Packet {
  /// The packet without side data, which may be anything, except the side data that audio decoders need.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  package func withoutSideData() throws(VStreamError) -> Packet {
    guard av.pointee.side_data_elems > 0 else { return self }
    guard let copy = av_packet_clone(av) else { throw outOfMemory("packet") }
    let kept = [AV_PKT_DATA_SKIP_SAMPLES, AV_PKT_DATA_PARAM_CHANGE].compactMap { kind in
      sideData(kind).map { (kind: kind, bytes: $0) }
    }
    av_packet_free_side_data(copy)
    let packet = Packet(takingOwnershipOf: copy, timeBase: timeBase)
    for (kind, bytes) in kept {
      guard let target = av_packet_new_side_data(copy, kind, bytes.count) else { throw outOfMemory("packet") }
      for (index, byte) in bytes.enumerated() { target[index] = byte }
    }
    return packet
  }
}

/// Tags of containers and streams that redaction keeps, as they describe the media. Any other may name a place, a person or
/// a device, whose names differ from maker to maker.
enum HarmlessTags {
  /// Longer values may be images as text.
  private static let maximumLength = 2048
  /// The longest name of a tag, with its language.
  private static let maximumNameLength = 64
  private static let imageNames: Set = ["metadata_block_picture", "coverart", "cover_art", "thumbnail", "picture"]
  private static let harmless: Set = [
    "title", "language", "encoder", "creation_time", "date", "year", "timecode", "handler_name", "duration", "track",
    "disc", "genre", "alpha_mode", "stereo_mode", "rotate", "variant_bitrate", "filename", "mimetype", "service_name",
    "service_provider", "compatible_brands", "major_brand", "minor_version",
  ]

  static func isImage(_ name: String, _ value: String) -> Bool {
    value.utf8.count > maximumLength || name.utf8.count > maximumNameLength
      || imageNames.contains(name.lowercased())
  }

  static func isHarmless(_ name: String) -> Bool { harmless.contains(Container.tagName(name)) }

  static func kept(of tags: [String: String], keepsImages: Bool, keepsDescription: Bool) -> [String: String] {
    tags.filter { name, value in
      (keepsImages || !isImage(name, value)) && (keepsDescription || isHarmless(name) || isImage(name, value))
    }
  }
}
