internal import VStreamScene

// Images besides the video that a file may contain, which redaction of the video does not cover, and what a file says of
// places, persons and devices.

extension StreamInfo {
  /// Whether the stream may contain images: other video, covers, data, and attached files other than fonts.
  public var mayContainImages: Bool {
    switch kind {
    case .video, .data, .unknown: true
    case .audio, .subtitle: false
    case .attachment: !FontFile.isFont(parameters.extradata)
    }
  }

  /// The stream without tags that contain images, and unless `keepsDescription`, without those that name places and devices.
  public func redacted(keepsDescription: Bool) -> StreamInfo {
    settingMetadata(DescribingTags.removed(from: metadata, keepsDescription: keepsDescription))
  }
}

extension ContainerInfo {
  /// What redaction omits of a container, for warnings.
  public struct Omissions: Hashable, Sendable {
    /// Whether images are omitted: thumbnails, maker's notes, cover images in tags.
    public var images = false
    /// Whether places, persons and devices are omitted that tags name.
    public var description = false
  }

  /// The container without images in its tags and without images in a photo's Exif, of which only a list of harmless tags is
  /// kept.
  ///
  /// - Parameter keepsDescription: whether tags that name places, persons and devices are kept.
  public func redacted(keepsDescription: Bool) -> ContainerInfo {
    var copy = mappingMetadata { DescribingTags.removed(from: $0, keepsDescription: keepsDescription) }
    if let photo {
      copy.photo?.exif = ExifRedaction(of: photo, keeping: keepsDescription ? .description : .harmless).block
    }
    return copy
  }

  /// What `redacted` omits.
  public func omissions(keepsDescription: Bool) -> Omissions {
    var omissions = Omissions()
    omissions.images = photo?.hasImages == true || metadata.contains { DescribingTags.isImage($0.key, $0.value) }
    guard !keepsDescription else { return omissions }
    omissions.description =
      photo.map { ExifRedaction(of: $0, keeping: .harmless).losesDescription } == true
      || metadata.contains { DescribingTags.isDescription($0.key) }
    return omissions
  }
}

extension ImageMetadata {
  /// Whether Exif has a second directory, directories or strips of further images, or a maker's note.
  fileprivate var hasImages: Bool { ExifRedaction(of: self, keeping: .harmless).hasImages }
}

/// Tags of containers and streams that redaction removes.
enum DescribingTags {
  /// Longer values may be images as text.
  private static let maximumLength = 2048
  private static let imageNames: Set = ["metadata_block_picture", "coverart", "cover_art", "thumbnail", "picture"]
  /// Parts of names that stand for places and devices.
  private static let describing = [
    "location", "gps", "serial", "owner", "manufacturer", "coordinates", "xyz", "camera",
  ]
  private static let describingNames: Set = [
    "make", "model", "device", "com.apple.quicktime.make", "com.apple.quicktime.model",
  ]

  static func isImage(_ name: String, _ value: String) -> Bool {
    value.utf8.count > maximumLength || imageNames.contains(name.lowercased())
  }

  static func isDescription(_ name: String) -> Bool {
    let name = name.lowercased()
    return describingNames.contains(name) || describing.contains { name.contains($0) }
  }

  static func removed(from tags: [String: String], keepsDescription: Bool) -> [String: String] {
    tags.filter { !isImage($0.key, $0.value) && (keepsDescription || !isDescription($0.key)) }
  }
}

/// Fonts by their content.
enum FontFile {
  private static let signatures: [[UInt8]] = [[0, 1, 0, 0], Array("OTTO".utf8), Array("true".utf8)]
  /// The most tables that a font has.
  private static let maximumTables = 64

  /// Whether a file is a TrueType or OpenType font: it consists of its tables, and nothing else.
  ///
  /// Collections and compressed fonts, which may contain anything, are not recognised. Source: OpenType, "Organization of an
  /// OpenType Font".
  static func isFont(_ bytes: [UInt8]) -> Bool {
    guard signatures.contains(where: bytes.starts) else { return false }
    func number(_ offset: Int, _ count: Int) -> Int {
      offset + count <= bytes.count ? bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) } : Int.max
    }
    let tables = number(4, 2)
    guard (1...maximumTables).contains(tables) else { return false }
    var covered = 12 + 16 * tables
    var names: Set<String> = []
    for index in 0..<tables {
      let entry = 12 + 16 * index
      let (start, length) = (number(entry + 8, 4), number(entry + 12, 4))
      guard start <= bytes.count, length <= bytes.count - start else { return false }
      names.insert(String(decoding: bytes[entry..<entry + 4], as: UTF8.self))
      covered += (length + 3) & ~3
    }
    // Tables are aligned to four bytes; more than that between or behind them is something else.
    return names.isSuperset(of: ["cmap", "head", "hhea", "maxp"]) && bytes.count <= covered + 3
  }
}
