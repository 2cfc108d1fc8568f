import Testing

@testable import VStreamMedia

/// What of Exif is left when the image is redacted.
struct ExifRedactionTests {
  /// Bytes of an image that must not be left: an uncompressed one, as it has no signature.
  private static let image = (0..<600).map { UInt8(100 + $0 % 97) }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let exif: [UInt8]
    var testDescription: String { name }
    init(_ name: String, _ exif: [UInt8]) {
      self.name = name
      self.exif = exif
    }
  }

  // Computed: the leak check does not see what a constant's enumeration refers to.
  private static var orientation: TIFFEntry { TIFFEntry(0x0112, 3, [6]) }
  private static var time: TIFFEntry { TIFFEntry(text: 0x0132, "2026:11:23 04:05:06") }

  /// A block whose directories are chained; the image is stored once or in strips.
  private static func block(_ directories: [[TIFFEntry]], isLittleEndian: Bool = true) -> [UInt8] {
    TIFFBlock(directories, isLittleEndian: isLittleEndian).bytes
  }

  static let rows: [Row] = [true, false].flatMap { isLittleEndian -> [Row] in
    let suffix = isLittleEndian ? "" : ", big-endian"
    let half = Array(image[..<300]), rest = Array(image[300...])
    func row(_ name: String, _ directories: [[TIFFEntry]]) -> Row {
      Row(name + suffix, block(directories, isLittleEndian: isLittleEndian))
    }
    return [
      row(
        "a JPEG in the second directory",
        [[orientation, time], [TIFFEntry(data: 0x0201, image), TIFFEntry(0x0202, 4, [600])]]),
      row(
        "strips in a list in the second directory",
        [[orientation, time], [TIFFEntry(data: 0x0111, half, rest), TIFFEntry(0x0117, 4, [300, 300])]]),
      row(
        "strips of the first directory",
        [[orientation, time, TIFFEntry(data: 0x0111, half, rest), TIFFEntry(0x0117, 4, [300, 300])]]),
      row(
        "a third directory", [[orientation, time], [TIFFEntry(0x0100, 4, [10])], [TIFFEntry(data: 0x0111, image)]]),
      row(
        "a directory in the first one",
        [[orientation, time, TIFFEntry(0x014A, [TIFFEntry(data: 0x0201, image)])]]),
      row(
        "a maker's note", [[orientation, time, TIFFEntry(0x8769, [TIFFEntry(bytes: 0x927C, type: 7, image)])]]),
      row(
        "a maker's note of type LONG",
        [[orientation, time, TIFFEntry(0x8769, [TIFFEntry(bytes: 0x927C, type: 4, image)])]]),
      row("a comment", [[orientation, time, TIFFEntry(0x8769, [TIFFEntry(bytes: 0x9286, type: 7, image)])]]),
      row("a harmless tag with too many values", [[orientation, time, TIFFEntry(bytes: 0x011A, type: 5, image)]]),
      row("a text that is none", [[orientation, time, TIFFEntry(bytes: 0x013B, type: 2, image)]]),
      row(
        "pieces as many numbers",
        [
          [orientation, time]
            + (0..<6).map { TIFFEntry(bytes: 0xC000 + $0, type: 3, Array(image[100 * $0..<100 * $0 + 100])) }
        ]),
      row(
        "pieces as few numbers",
        [
          [orientation, time]
            + (0..<75).map { TIFFEntry(bytes: 0xC000 + $0, type: 4, Array((image + image)[16 * $0..<16 * $0 + 16])) }
        ]),
      row("bytes behind all directories", [[orientation, time]]).appending(image),
    ]
  }

  @Test(arguments: rows, [ExifRedaction.Scope.harmless, .description])
  func `no image is left, but orientation and time`(row: Row, scope: ExifRedaction.Scope) throws {
    let original = ImageMetadata(exif: row.exif)
    #expect(original.orientation == .clockwise)
    let clean = ImageMetadata(exif: ExifRedaction(of: original, keeping: scope).block)
    #expect(clean.orientation == .clockwise)
    #expect(String(decoding: clean.exif, as: UTF8.self).contains("2026:11:23 04:05:06"))
    let left = Set(zip(clean.exif, clean.exif.dropFirst()).map { Int($0) << 8 | Int($1) })
    let image = Set(zip(Self.image, Self.image.dropFirst()).map { Int($0) << 8 | Int($1) })
    #expect(left.intersection(image).count < 3, "\(clean.exif)")
    #expect(ExifRedaction(of: clean, keeping: scope).block == clean.exif)
  }

  @Test func `places, persons and devices are left only on request`() {
    let position = TIFFEntry(0x8825, [TIFFEntry(text: 0x0001, "N"), TIFFEntry(0x0002, 5, [48, 1, 8, 1, 14, 1])])
    let owner = TIFFEntry(0x8769, [TIFFEntry(text: 0xA430, "Jane Roe"), TIFFEntry(text: 0xA431, "SN-4711")])
    let original = ImageMetadata(
      exif: Self.block([[Self.orientation, TIFFEntry(text: 0x010F, "Maker"), owner, position]]))
    let harmless = ExifRedaction(of: original, keeping: .harmless)
    #expect(harmless.losesDescription)
    let text = String(decoding: harmless.block, as: UTF8.self)
    for word in ["Jane", "4711", "Maker"] { #expect(!text.contains(word)) }
    #expect(!harmless.block.contains(48))
    let whole = ExifRedaction(of: original, keeping: .description)
    #expect(!whole.losesDescription)
    let kept = String(decoding: whole.block, as: UTF8.self)
    for word in ["Jane", "4711", "Maker"] { #expect(kept.contains(word)) }
    #expect(whole.block.contains(48))
  }

  @Test func `a block that is cut anywhere leaves no image`() {
    let whole = Self.rows[4].exif
    for length in 0..<whole.count {
      let clean = ExifRedaction(of: ImageMetadata(exif: Array(whole[..<length])), keeping: .harmless).block
      #expect(clean.count < 100, "cut after \(length) bytes")
    }
  }

  @Test func `directories that refer to themselves end`() {
    var block = Self.block([[Self.orientation, TIFFEntry(0x8769, [Self.orientation])]])
    // The Exif directory is the first one.
    let pointer = 8 + 2 + 12 + 8
    block.replaceSubrange(pointer..<pointer + 4, with: [8, 0, 0, 0])
    #expect(
      ImageMetadata(exif: ExifRedaction(of: ImageMetadata(exif: block), keeping: .harmless).block).orientation
        == .clockwise)
  }
}

extension ExifRedactionTests.Row {
  fileprivate func appending(_ bytes: [UInt8]) -> Self { Self(name, exif + bytes) }
}
