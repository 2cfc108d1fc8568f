public import VStreamScene

// Images besides the video that a file may contain, which redaction of the video does not cover, and what a file says of
// places, persons and devices.

extension StreamInfo {
  /// Whether the stream may contain images: other video, covers, data, attached files other than fonts, and streams whose
  /// header cannot be read.
  public var mayContainImages: Bool {
    switch kind {
    case .video, .data, .unknown: true
    case .audio, .subtitle: CodecHeader.cleaned(parameters.extradata, codec: codecName) == nil
    case .attachment: !FontFile.isFont(parameters.extradata)
    }
  }

  /// The stream without images in its tags and its codec's header, and without tags that may name places, people and devices.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  public func redacted(keepsImages: Bool, keepsDescription: Bool) throws(VStreamError) -> StreamInfo {
    let copy = settingMetadata(
      HarmlessTags.kept(of: metadata, keepsImages: keepsImages, keepsDescription: keepsDescription))
    let header = parameters.extradata
    guard !keepsImages, let cleaned = CodecHeader.cleaned(header, codec: codecName), cleaned != header else {
      return copy
    }
    return try copy.settingHeader(cleaned)
  }
}

extension ContainerInfo {
  /// What redaction omits of a container, for warnings.
  public struct Omissions: Hashable, Sendable {
    /// Whether images are omitted: thumbnails, maker's notes, cover images in tags.
    public var images = false
    /// Whether tags are omitted that may name places, people and devices.
    public var description = false
  }

  /// The container without images in its tags and in a photo's Exif and colour profile, and without tags that may name places,
  /// people and devices.
  public func redacted(keepsImages: Bool, keepsDescription: Bool) -> ContainerInfo {
    var copy = mappingMetadata {
      HarmlessTags.kept(of: $0, keepsImages: keepsImages, keepsDescription: keepsDescription)
    }
    guard let photo, !(keepsImages && keepsDescription) else { return copy }
    copy.photo?.exif = ExifRedaction(of: photo, keeping: keepsDescription ? .description : .harmless).block
    if !keepsImages { copy.photo?.profile = ColorProfile.cleaned(photo.profile) }
    return copy
  }

  /// What `redacted` omits.
  public func omissions(keepsImages: Bool, keepsDescription: Bool) -> Omissions {
    var omissions = Omissions()
    if !keepsImages {
      omissions.images = photo?.hasImages == true || metadata.contains { HarmlessTags.isImage($0.key, $0.value) }
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

/// Tags of containers and streams that redaction keeps: those that describe the media. Any other may name a place, a person or
/// a device, whose names differ from maker to maker.
enum HarmlessTags {
  /// Longer values may be images as text.
  private static let maximumLength = 2048
  private static let imageNames: Set = ["metadata_block_picture", "coverart", "cover_art", "thumbnail", "picture"]
  private static let harmless: Set = [
    "title", "language", "encoder", "creation_time", "date", "year", "timecode", "handler_name", "duration", "track",
    "disc", "genre", "alpha_mode", "stereo_mode", "rotate", "variant_bitrate", "filename", "mimetype", "service_name",
    "service_provider", "compatible_brands", "major_brand", "minor_version",
  ]

  static func isImage(_ name: String, _ value: String) -> Bool {
    value.utf8.count > maximumLength || imageNames.contains(name.lowercased())
  }

  static func isHarmless(_ name: String) -> Bool { harmless.contains(Container.tagName(name)) }

  static func kept(of tags: [String: String], keepsImages: Bool, keepsDescription: Bool) -> [String: String] {
    tags.filter { name, value in
      (keepsImages || !isImage(name, value)) && (keepsDescription || isHarmless(name) || isImage(name, value))
    }
  }
}

/// Fonts by their content.
enum FontFile {
  private static let signatures: [[UInt8]] = [[0, 1, 0, 0], Array("OTTO".utf8), Array("true".utf8)]
  /// The most tables that a font has.
  private static let maximumTables = 64

  /// Tables of outlines, metrics and layout. Tables of images (`SVG `, `sbix`, `CBDT`, …) and of others are not among them.
  private static let tableNames: Set = [
    "cmap", "head", "hhea", "hmtx", "maxp", "name", "OS/2", "post", "cvt ", "fpgm", "glyf", "loca", "prep", "gasp",
    "CFF ",
    "CFF2", "VORG", "BASE", "GDEF", "GPOS", "GSUB", "JSTF", "MATH", "DSIG", "hdmx", "kern", "LTSH", "PCLT", "VDMX",
    "vhea", "vmtx", "COLR", "CPAL", "avar", "cvar", "fvar", "gvar", "HVAR", "MVAR", "STAT", "VVAR", "FFTM", "meta",
  ]
  private static let headMagic: [UInt8] = [0x5F, 0x0F, 0x3C, 0xF5]

  private struct Table {
    let name: String
    let range: Range<Int>
  }

  /// Whether a file is a TrueType or OpenType font: it consists of a font's tables, and nothing else.
  ///
  /// Collections and compressed fonts, which may contain anything, are not recognised. Source: OpenType, "Organization of an
  /// OpenType Font", "head".
  static func isFont(_ bytes: [UInt8]) -> Bool {
    guard signatures.contains(where: bytes.starts), let tables = tables(of: bytes) else { return false }
    let names = Set(tables.map(\.name))
    guard names.isSubset(of: tableNames), names.isSuperset(of: ["cmap", "head", "hhea", "maxp"]),
      names.count == tables.count, let head = tables.first(where: { $0.name == "head" })?.range, head.count >= 54,
      bytes[head].dropFirst(12).starts(with: headMagic)
    else { return false }
    // Tables are aligned to four bytes; more than that between or behind them is something else.
    var end = 12 + 16 * tables.count
    for table in tables.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard (end...end + 3).contains(table.range.lowerBound) else { return false }
      end = table.range.upperBound
    }
    return bytes.count <= end + 3
  }

  private static func tables(of bytes: [UInt8]) -> [Table]? {
    func number(_ offset: Int, _ count: Int) -> Int {
      offset + count <= bytes.count ? bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) } : Int.max
    }
    let count = number(4, 2)
    guard (1...maximumTables).contains(count) else { return nil }
    var tables: [Table] = []
    for entry in stride(from: 12, to: 12 + 16 * count, by: 16) {
      let (start, length) = (number(entry + 8, 4), number(entry + 12, 4))
      guard start <= bytes.count, length <= bytes.count - start else { return nil }
      tables.append(
        Table(name: String(decoding: bytes[entry..<entry + 4], as: UTF8.self), range: start..<start + length))
    }
    return tables
  }
}
