internal import CVStreamLibAV
internal import VStreamSystem

/// The metadata of an image file: Exif (camera, date, location, orientation) and the ICC colour profile.
///
/// Read from JPEG, PNG, WebP, TIFF and AVIF files, and written to the first three, which libav supports only in part. Sources: CIPA DC-008 (Exif), ITU
/// T.81 (JPEG), the PNG specification (eXIf), the WebP container specification.
package struct ImageMetadata: Hashable, Sendable {
  /// The Exif block, starting with its TIFF header; empty for none.
  var exif: [UInt8] = []
  /// The ICC profile; empty for none.
  var profile: [UInt8] = []

  var isEmpty: Bool { exif.isEmpty && profile.isEmpty }
}

extension ImageMetadata {
  /// Whether a file is a WebP with several frames, by the flag in its header.
  package static func isAnimatedWebP(_ path: String) -> Bool {
    guard FileStatus.isRegularFile(path), let bytes = ImageFiles.bytes(of: path), bytes.count > 20 else { return false }
    return bytes.starts(with: Array("RIFF".utf8)) && bytes[8..<16].elementsEqual("WEBPVP8X".utf8) && bytes[20] & 2 != 0
  }
}

extension ImageMetadata {
  /// Whether a file is a HEIC image, by its brand.
  static func isHEIC(_ path: String) -> Bool {
    guard let size = FileStatus(of: path)?.size, size <= 1 << 26, let bytes = ImageFiles.bytes(of: path), size > 12
    else {
      return false
    }
    return bytes[4..<8].elementsEqual("ftyp".utf8)
      && ["heic", "heix", "heim", "heis", "mif1"].contains(String(decoding: bytes[8..<12], as: UTF8.self))
  }
}

// MARK: - Orientation

extension ImageMetadata {
  /// The rotation or reflection that makes the image upright, by Exif.
  var orientation: Orientation {
    guard let offset = orientationOffset else { return .upright }
    let value = isLittleEndian ? exif[offset] : exif[offset + 1]
    return Orientation(exif: Int(value))
  }

  /// The metadata of the image after it was made upright.
  var upright: ImageMetadata {
    var copy = self
    if orientationOffset != nil { copy.set(orientation: 1) }
    return copy
  }

  /// - Parameter orientation: 1…8, as Exif has it.
  mutating func set(orientation: Int) {
    if let offset = orientationOffset {
      exif[offset] = isLittleEndian ? UInt8(orientation) : 0
      exif[offset + 1] = isLittleEndian ? 0 : UInt8(orientation)
    } else if orientation != 1 {
      // In place of an Exif block that states none: one directory with one entry, in big-endian order.
      exif =
        Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
    }
  }

  var isLittleEndian: Bool { exif.starts(with: Array("II".utf8)) }

  /// An unsigned integer of the Exif block, in its byte order; `nil` past the end.
  func number(at offset: Int, bytes: Int) -> Int? {
    guard offset >= 0, offset + bytes <= exif.count else { return nil }
    let digits = exif[offset..<offset + bytes]
    return (isLittleEndian ? digits.reversed() : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The offset of the orientation's value in `exif`. Source: CIPA DC-008, 4.6.4, tag 0x0112 of type SHORT.
  private var orientationOffset: Int? {
    guard let directory = number(at: 4, bytes: 4), let count = number(at: directory, bytes: 2) else { return nil }
    return (0..<count).lazy.map { directory + 2 + 12 * $0 }
      .first { number(at: $0, bytes: 2) == 0x0112 && number(at: $0 + 2, bytes: 2) == 3 }
      .flatMap { number(at: $0 + 8, bytes: 2) == nil ? nil : $0 + 8 }
  }
}

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
