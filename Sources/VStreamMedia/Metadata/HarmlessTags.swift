/// Tags of containers and streams that redaction keeps: those that describe the media. Any other may name a place, a person or
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
