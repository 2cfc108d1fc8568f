extension ImageMetadata {
  /// Reads the metadata of a file; empty for formats other than JPEG, PNG, WebP, TIFF and AVIF, and for damaged files.
  init(of file: [UInt8]) {
    if file.starts(with: [0xFF, 0xD8]) {
      readJPEG(file)
    } else if file.starts(with: Self.pngSignature) {
      for chunk in Self.pngChunks(file) where chunk.name == "eXIf" { exif = Array(chunk.bytes) }
    } else if file.starts(with: Array("RIFF".utf8)) {
      readWebP(file)
    } else if Self.isTIFF(file) {
      exif = file
      // Without the pixels and their storage.
      exif = ExifRedaction(of: self, keeping: .description).block
    } else if let image = HEIFImage(file) {
      exif = image.exif
      if exif.starts(with: Self.exifHeader) { exif.removeFirst(Self.exifHeader.count) }
      set(orientation: image.orientation)
    }
    if exif.starts(with: Self.exifHeader) { exif.removeFirst(Self.exifHeader.count) }
    if !Self.isTIFF(exif) { exif = [] }
  }

  private static func isTIFF(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("II*\0".utf8)) || bytes.starts(with: Array("MM\0*".utf8))
  }

  static let exifHeader = Array("Exif\0\0".utf8)
  static let profileHeader = Array("ICC_PROFILE\0".utf8)
  static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private mutating func readJPEG(_ file: [UInt8]) {
    var offset = 2
    while offset + 4 <= file.count, file[offset] == 0xFF, file[offset + 1] != 0xDA {
      // Bytes of ones may precede a marker.
      if file[offset + 1] == 0xFF {
        offset += 1
        continue
      }
      let length = Int(file[offset + 2]) << 8 | Int(file[offset + 3])
      let end = offset + 2 + length
      guard length >= 2, end <= file.count else { return }
      let body = file[offset + 4..<end]
      if file[offset + 1] == 0xE1, body.starts(with: Self.exifHeader), exif.isEmpty { exif = Array(body) }
      // Long profiles are split in numbered parts.
      if file[offset + 1] == 0xE2, body.starts(with: Self.profileHeader) {
        profile += body.dropFirst(Self.profileHeader.count + 2)
      }
      offset = end
    }
  }

  private mutating func readWebP(_ file: [UInt8]) {
    var offset = 12
    while offset + 8 <= file.count {
      let length = file[offset + 4..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 8 + length
      guard end <= file.count else { return }
      let name = String(decoding: file[offset..<offset + 4], as: UTF8.self)
      if name == "EXIF" { exif = Array(file[offset + 8..<end]) }
      if name == "ICCP" { profile = Array(file[offset + 8..<end]) }
      offset = end + length % 2
    }
  }

  private static func pngChunks(_ file: [UInt8]) -> [(name: String, bytes: ArraySlice<UInt8>)] {
    var chunks: [(name: String, bytes: ArraySlice<UInt8>)] = []
    var offset = pngSignature.count
    while offset + 12 <= file.count {
      let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard offset + 12 + length <= file.count else { break }
      let name = String(decoding: file[offset + 4..<offset + 8], as: UTF8.self)
      chunks.append((name, file[offset + 8..<offset + 8 + length]))
      offset += 12 + length
    }
    return chunks
  }
}
