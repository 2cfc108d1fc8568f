internal import CVStreamLibAV

/// What a photo's file says beside its pixels: Exif (camera, date, place, orientation) and the colour profile.
///
/// Read from and put into JPEG, PNG and WebP files, for which libav does so in part only. Sources: CIPA DC-008 (Exif), ITU
/// T.81 (JPEG), the PNG specification (eXIf), the WebP container specification.
public struct ImageMetadata: Hashable, Sendable {
  /// The Exif block, from its TIFF header on; empty for none.
  var exif: [UInt8] = []
  /// The ICC profile; empty for none.
  var profile: [UInt8] = []

  var isEmpty: Bool { exif.isEmpty && profile.isEmpty }
}

// MARK: - Orientation

extension ImageMetadata {
  /// How the picture is to be turned to stand upright, as Exif says.
  var orientation: Orientation {
    guard let place = orientationPlace else { return .upright }
    let value = isLittleEndian ? exif[place] : exif[place + 1]
    return Orientation(exif: Int(value))
  }

  /// The same for a picture that was turned upright.
  var upright: ImageMetadata {
    guard let place = orientationPlace else { return self }
    var copy = self
    copy.exif[place] = isLittleEndian ? 1 : 0
    copy.exif[place + 1] = isLittleEndian ? 0 : 1
    return copy
  }

  private var isLittleEndian: Bool { exif.starts(with: Array("II".utf8)) }

  func number(at place: Int, bytes: Int) -> Int? {
    guard place >= 0, place + bytes <= exif.count else { return nil }
    let digits = exif[place..<place + bytes]
    return (isLittleEndian ? digits.reversed() : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Where the value of the orientation's entry lies in `exif`.
  private var orientationPlace: Int? {
    guard let directory = number(at: 4, bytes: 4), let count = number(at: directory, bytes: 2) else { return nil }
    return (0..<count).lazy.map { directory + 2 + 12 * $0 }
      .first { number(at: $0, bytes: 2) == 0x0112 && number(at: $0 + 2, bytes: 2) == 3 }
      .flatMap { number(at: $0 + 8, bytes: 2) == nil ? nil : $0 + 8 }
  }
}

// MARK: - Reading

extension ImageMetadata {
  /// What a file's bytes say; nothing for formats other than JPEG, PNG and WebP, and for damaged ones.
  init(of file: [UInt8]) {
    if file.starts(with: [0xFF, 0xD8]) {
      readJPEG(file)
    } else if file.starts(with: Self.pngSignature) {
      for chunk in Self.pngChunks(file) where chunk.name == "eXIf" { exif = Array(chunk.bytes) }
    } else if file.starts(with: Array("RIFF".utf8)) {
      readWebP(file)
    }
    if exif.starts(with: Self.exifHeader) { exif.removeFirst(Self.exifHeader.count) }
    let isTIFF = exif.starts(with: Array("II*\0".utf8)) || exif.starts(with: Array("MM\0*".utf8))
    if !isTIFF { exif = [] }
  }

  private static let exifHeader = Array("Exif\0\0".utf8)
  private static let profileHeader = Array("ICC_PROFILE\0".utf8)
  private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private mutating func readJPEG(_ file: [UInt8]) {
    var place = 2
    while place + 4 <= file.count, file[place] == 0xFF, file[place + 1] != 0xDA {
      // Markers may be filled up with bytes of ones.
      if file[place + 1] == 0xFF {
        place += 1
        continue
      }
      let length = Int(file[place + 2]) << 8 | Int(file[place + 3])
      let end = place + 2 + length
      guard length >= 2, end <= file.count else { return }
      let body = file[place + 4..<end]
      if file[place + 1] == 0xE1, body.starts(with: Self.exifHeader), exif.isEmpty { exif = Array(body) }
      // Long profiles come in numbered parts.
      if file[place + 1] == 0xE2, body.starts(with: Self.profileHeader) {
        profile += body.dropFirst(Self.profileHeader.count + 2)
      }
      place = end
    }
  }

  private mutating func readWebP(_ file: [UInt8]) {
    var place = 12
    while place + 8 <= file.count {
      let length = file[place + 4..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let end = place + 8 + length
      guard end <= file.count else { return }
      let name = String(decoding: file[place..<place + 4], as: UTF8.self)
      if name == "EXIF" { exif = Array(file[place + 8..<end]) }
      if name == "ICCP" { profile = Array(file[place + 8..<end]) }
      place = end + length % 2
    }
  }

  private static func pngChunks(_ file: [UInt8]) -> [(name: String, bytes: ArraySlice<UInt8>)] {
    var chunks: [(name: String, bytes: ArraySlice<UInt8>)] = []
    var place = pngSignature.count
    while place + 12 <= file.count {
      let length = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard place + 12 + length <= file.count else { break }
      let name = String(decoding: file[place + 4..<place + 8], as: UTF8.self)
      chunks.append((name, file[place + 8..<place + 8 + length]))
      place += 12 + length
    }
    return chunks
  }
}

// MARK: - Writing

extension ImageMetadata {
  /// The file with this put into it; as it was, if it is of another format than JPEG, PNG and WebP.
  ///
  /// - Parameter size: the picture's size, which WebP's extended format wants.
  func put(into file: [UInt8], width: Int, height: Int) -> [UInt8] {
    // Some of libav's encoders put the profile in by themselves.
    let present = ImageMetadata(of: file)
    var lacking = self
    if !present.exif.isEmpty { lacking.exif = [] }
    if !present.profile.isEmpty { lacking.profile = [] }
    if lacking.isEmpty { return file }
    if file.starts(with: [0xFF, 0xD8]) { return lacking.intoJPEG(file) }
    if file.starts(with: Self.pngSignature) { return lacking.intoPNG(file) }
    if file.starts(with: Array("RIFF".utf8)), file.count >= 30 {
      return lacking.intoWebP(file, width: width, height: height)
    }
    return file
  }

  private func intoJPEG(_ file: [UInt8]) -> [UInt8] {
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

  /// The profile is put in by libav's encoder.
  private func intoPNG(_ file: [UInt8]) -> [UInt8] {
    let header = Self.pngSignature.count + 25
    guard !exif.isEmpty, file.count > header else { return file }
    let body = Array("eXIf".utf8) + exif
    let check = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UInt32.max, body, body.count)
    return file[..<header] + Self.bytes(exif.count, count: 4).reversed() + body
      + Self.bytes(Int(check), count: 4).reversed() + file[header...]
  }

  private func intoWebP(_ file: [UInt8], width: Int, height: Int) -> [UInt8] {
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + Self.bytes(body.count, count: 4) + body + (body.count % 2 == 1 ? [0] : [])
    }
    let isExtended = file[12..<16].elementsEqual("VP8X".utf8)
    // What is in front of the picture, and the picture.
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

  /// A number's bytes, the lowest first.
  private static func bytes(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
