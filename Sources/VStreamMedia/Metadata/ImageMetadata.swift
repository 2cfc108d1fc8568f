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
