@testable import VStreamMedia

extension FuzzTarget {
  /// Image files: Exif and ICC profiles in JPEG, PNG and WebP.
  static let imageMetadata = FuzzTarget(name: "image-metadata") { bytes in
    let photo = ImageMetadata(of: bytes)
    try requireUpright(photo)
    try requireNoThumbnail(photo)
    for carrier in [jpeg, png, webp] { try requireEmbedded(photo, in: carrier) }
    // A file of any damage as the carrier.
    let changed = photo.embedded(in: bytes, width: 7, height: 5)
    try require(changed.starts(with: bytes.prefix(2)), "the file's start has changed")
    try require(ImageMetadata(of: changed).exif == photo.exif, "a file's own Exif has changed")
    let other = ImageMetadata(exif: tiff, profile: [1, 2, 3]).embedded(in: bytes, width: 7, height: 5)
    try require(other.count >= bytes.count, "a file has become shorter")
  }

  private static func requireUpright(_ photo: ImageMetadata) throws {
    let upright = photo.upright
    try require(upright.orientation == .upright, "it is \(upright.orientation) after it was made upright")
    try require(upright.exif.count == photo.exif.count && upright.profile == photo.profile, "its size has changed")
    try require(upright.upright == upright, "it changes when it is made upright again")
  }

  private static func requireNoThumbnail(_ photo: ImageMetadata) throws {
    for scope in [ExifRedaction.Scope.harmless, .description] {
      let clean = ImageMetadata(exif: ExifRedaction(of: photo, keeping: scope).block)
      // Of the harmless tags at most 60, each with some bytes.
      try require(scope == .description || clean.exif.count < 1600, "\(clean.exif.count) bytes are left")
      let start: [UInt8] = [0xFF, 0xD8, 0xFF]
      try require(!clean.exif.indices.contains { clean.exif[$0...].starts(with: start) }, "it contains a JPEG file")
      try require(ExifRedaction(of: clean, keeping: scope).block == clean.exif, "redacting it again changes it")
      try require(
        clean.orientation == photo.orientation || clean.orientation == .upright, "the orientation has changed")
    }
  }

  /// Metadata that was embedded is read back.
  private static func requireEmbedded(_ photo: ImageMetadata, in carrier: [UInt8]) throws {
    let file = photo.embedded(in: carrier, width: 3, height: 2)
    let read = ImageMetadata(of: file)
    try require(read.exif == photo.exif, "embedded Exif of \(photo.exif.count) bytes is read as \(read.exif.count)")
    // libav writes PNG's profile by itself.
    try require(carrier == png || read.profile == photo.profile, "an embedded profile is read as \(read.profile.count)")
    try require(photo.embedded(in: file, width: 3, height: 2) == file, "it is embedded twice")
  }

  /// Exif without entries.
  private static let tiff: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  /// The smallest files of each format, without an image.
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0xFF, 0xD9]
  private static let png =
    ImageMetadata.pngSignature + [0, 0, 0, 13] + Array("IHDR".utf8) + [
      0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
    + [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
  private static let webp =
    Array("RIFF".utf8) + [22, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
}
