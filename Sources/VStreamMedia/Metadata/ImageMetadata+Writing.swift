internal import CVStreamLibAV

extension ImageMetadata {
  /// The file with this metadata added; unchanged if it is of another format than JPEG, PNG and WebP.
  ///
  /// - Parameters:
  ///   - width: of the image, in pixels, for WebP's extended format.
  ///   - height: of the image, in pixels.
  func embedded(in file: [UInt8], width: Int, height: Int) -> [UInt8] {
    // Some of libav's encoders write the profile by themselves.
    let present = ImageMetadata(of: file)
    var missing = self
    if !present.exif.isEmpty { missing.exif = [] }
    if !present.profile.isEmpty { missing.profile = [] }
    if missing.isEmpty { return file }
    if file.starts(with: [0xFF, 0xD8]) { return missing.embeddedInJPEG(file) }
    if file.starts(with: Self.pngSignature) { return missing.embeddedInPNG(file) }
    if file.starts(with: Array("RIFF".utf8)), file.count >= 30 {
      return missing.embeddedInWebP(file, width: width, height: height)
    }
    return file
  }

  private func embeddedInJPEG(_ file: [UInt8]) -> [UInt8] {
    var segments: [UInt8] = []
    func add(_ marker: UInt8, _ body: [UInt8]) {
      let length = body.count + 2
      guard length <= 0xFFFF else { return }
      segments += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + body
    }
    if !exif.isEmpty { add(0xE1, Self.exifHeader + exif) }
    let partSize = 65_000
    let parts = stride(from: 0, to: profile.count, by: partSize).map { profile[$0..<min($0 + partSize, profile.count)] }
    if parts.count < 256 {
      for (index, part) in parts.enumerated() {
        add(0xE2, Self.profileHeader + [UInt8(index + 1), UInt8(parts.count)] + part)
      }
    }
    return file[..<2] + segments + file[2...]
  }

  /// Adds Exif only: libav's encoder writes the profile.
  private func embeddedInPNG(_ file: [UInt8]) -> [UInt8] {
    let header = Self.pngSignature.count + 25
    guard !exif.isEmpty, file.count > header else { return file }
    let body = Array("eXIf".utf8) + exif
    let check = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UInt32.max, body, body.count)
    return file[..<header] + Self.bytes(exif.count, count: 4).reversed() + body
      + Self.bytes(Int(check), count: 4).reversed() + file[header...]
  }

  private func embeddedInWebP(_ file: [UInt8], width: Int, height: Int) -> [UInt8] {
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + Self.bytes(body.count, count: 4) + body + (body.count % 2 == 1 ? [0] : [])
    }
    let isExtended = file[12..<16].elementsEqual("VP8X".utf8)
    // The chunks in front of the image data, the image data, and Exif.
    var flags: UInt8 = isExtended ? file[20] : file[12..<16].elementsEqual("VP8L".utf8) ? 0x10 : 0
    if !exif.isEmpty { flags |= 0x08 }
    if !profile.isEmpty { flags |= 0x20 }
    let extended = [flags, 0, 0, 0] + Self.bytes(width - 1, count: 3) + Self.bytes(height - 1, count: 3)
    var chunks = chunk("VP8X", extended)
    if !profile.isEmpty { chunks += chunk("ICCP", profile) }
    chunks += file[(isExtended ? 30 : 12)...]
    if !exif.isEmpty { chunks += chunk("EXIF", exif) }
    return Array("RIFF".utf8) + Self.bytes(chunks.count + 4, count: 4) + Array("WEBP".utf8) + chunks
  }

  /// The bytes of a number, lowest first.
  private static func bytes(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
