import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

@Suite("The metadata of photos")
struct ImageMetadataTests {
  /// An Exif block with the orientation alone, made by hand from CIPA DC-008.
  static func exif(_ orientation: UInt8, littleEndian: Bool = true) -> [UInt8] {
    littleEndian
      ? Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
      : Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
  }

  /// The start of a JPEG file with Exif.
  static func jpeg(_ exif: [UInt8]) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(exif.count + 8)] + Array("Exif\0\0".utf8) + exif + [0xFF, 0xDA, 0, 2]
  }

  static let values: [(UInt8, Orientation)] = [
    (0, .upright), (1, .upright), (2, .mirrored), (3, .upsideDown), (4, .flipped), (5, .transposed), (6, .clockwise),
    (7, .transversed), (8, .counterClockwise), (9, .upright),
  ]

  @Test("Exif's orientation is read in both byte orders", arguments: values, [true, false])
  func orientation(value: (UInt8, Orientation), isLittleEndian: Bool) {
    let photo = ImageMetadata(of: Self.jpeg(Self.exif(value.0, littleEndian: isLittleEndian)))
    #expect(photo.orientation == value.1)
    #expect(photo.upright.orientation == .upright)
    #expect(photo.upright.exif.count == photo.exif.count)
  }

  @Test("a display matrix made of an orientation is read as that", arguments: Orientation.allCases)
  func matrix(orientation: Orientation) { #expect(Orientation(matrix: orientation.matrix) == orientation) }

  @Test("metadata embedded in a file is read back, and the image decodes", arguments: ["jpg", "png", "webp"])
  func roundTrip(kind: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.\(kind)")
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=34x21", "-frames:v", "1", path])
    let file = try #require(ImageFiles.bytes(of: path))
    let photo = ImageMetadata(exif: Self.exif(6), profile: Array(0..<200))
    let changed = photo.embedded(in: file, width: 34, height: 21)
    #expect(ImageMetadata(of: changed).exif == photo.exif)
    // libav writes PNG's profile by itself.
    #expect(ImageMetadata(of: changed).profile == (kind == "png" ? [] : photo.profile))
    let copy = folder.file("b.\(kind)")
    try Data(changed).write(to: URL(filePath: copy))
    #expect(try Decoded(copy).frames.map(\.size) == [PixelSize(width: 34, height: 21)])
    #expect(try Decoded(copy).frames.first?.orientation == .clockwise)
  }

  @Test("a TIFF's orientation and texts are read, and nothing of how its pixels are stored", arguments: [true, false])
  func tiff(isLittleEndian: Bool) {
    let pixels = [UInt8](repeating: 7, count: 600)
    let entries = [
      TIFFEntry(0x0100, 3, [20]), TIFFEntry(0x0101, 3, [10]), TIFFEntry(0x0103, 3, [1]),
      TIFFEntry(data: 0x0111, pixels),
      TIFFEntry(0x0112, 3, [6]), TIFFEntry(0x0117, 4, [600]), TIFFEntry(text: 0x013B, "Somebody"),
    ]
    let photo = ImageMetadata(of: TIFFBlock([entries], isLittleEndian: isLittleEndian).bytes)
    #expect(photo.orientation == .clockwise)
    #expect(photo.exif.count < 100)
    #expect(String(decoding: photo.exif, as: UTF8.self).contains("Somebody"))
    #expect(!photo.exif.contains(7))
  }

  /// An AVIF image's boxes, made by hand from ISO/IEC 23008-12: an image, and its Exif in another item.
  private static func avif(turns: UInt8?, mirror: UInt8?, exif: [UInt8]) -> [UInt8] {
    func box(_ name: String, _ body: [UInt8]) -> [UInt8] { number(body.count + 8) + Array(name.utf8) + body }
    func number(_ value: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(value >> (8 * $0) & 255) } }
    let block: [UInt8] = number(6) + Array("Exif\0\0".utf8) + exif
    let properties =
      [box("ispe", number(0) + number(3) + number(2))]
      + [turns.map { box("irot", [$0]) }, mirror.map { box("imir", [$0]) }].compactMap(\.self)
    let list = (0..<properties.count).map { UInt8($0 + 1) }
    func meta(exifAt offset: Int) -> [UInt8] {
      let image = box("infe", [2, 0, 0, 0, 0, 1, 0, 0] + Array("av01".utf8) + [0])
      let text = box("infe", [2, 0, 0, 0, 0, 2, 0, 0] + Array("Exif".utf8) + [0])
      let first: [UInt8] = [0, 1, 0, 0, 0, 1] + number(offset) + number(4)
      let second: [UInt8] = [0, 2, 0, 0, 0, 1] + number(offset) + number(block.count)
      return box(
        "meta",
        number(0) + box("pitm", number(0) + [0, 1]) + box("iloc", number(0) + [0x44, 0, 0, 2] + first + second)
          + box("iinf", number(0) + [0, 2] + image + text)
          + box(
            "iprp",
            box("ipco", properties.flatMap(\.self))
              + box("ipma", number(0) + number(1) + [0, 1, UInt8(list.count)] + list)))
    }
    let type = box("ftyp", Array("avif".utf8) + number(0))
    let start = type.count + meta(exifAt: 0).count + 8
    return type + meta(exifAt: start) + box("mdat", block)
  }

  static let turned: [(turns: UInt8?, mirror: UInt8?, expected: Orientation)] = [
    (nil, nil, .upright), (0, nil, .upright), (1, nil, .counterClockwise), (2, nil, .upsideDown), (3, nil, .clockwise),
    (nil, 0, .flipped), (nil, 1, .mirrored), (1, 1, .transversed), (1, 0, .transposed), (3, 0, .transversed),
  ]

  @Test("an AVIF image is turned and mirrored as its properties say, whatever its Exif says", arguments: turned)
  func avif(row: (turns: UInt8?, mirror: UInt8?, expected: Orientation)) {
    let photo = ImageMetadata(of: Self.avif(turns: row.turns, mirror: row.mirror, exif: Self.exif(8)))
    #expect(photo.orientation == row.expected)
    #expect(photo.exif.count == Self.exif(8).count)
    let plain = ImageMetadata(of: Self.avif(turns: row.turns, mirror: row.mirror, exif: []))
    #expect(plain.orientation == row.expected)
  }

  @Test("damaged and foreign files have no metadata, wherever they are truncated")
  func damage() {
    let whole = Self.jpeg(Self.exif(6))
    for length in 0..<whole.count {
      let photo = ImageMetadata(of: Array(whole[..<length]))
      #expect(photo.orientation == .upright || photo.orientation == .clockwise)
    }
    for length in 0..<Self.exif(6).count {
      #expect(ImageMetadata(exif: Array(Self.exif(6)[..<length])).upright.exif.count == length)
    }
    let image = Self.avif(turns: 1, mirror: 0, exif: Self.exif(6))
    for length in 0..<image.count { #expect(ImageMetadata(of: Array(image[..<length])).exif.count <= length) }
    var numbers = SeededNumbers(seed: 5)
    for _ in 0..<2000 {
      var damaged = image
      for _ in 0..<3 { damaged[numbers.below(image.count)] = UInt8(numbers.below(256)) }
      #expect(ImageMetadata(of: damaged).exif.count <= image.count)
    }
    #expect(ImageMetadata(of: []).isEmpty)
    #expect(ImageMetadata(of: Array("RIFF".utf8)).isEmpty)
    #expect(ImageMetadata(of: Array("GIF89a".utf8)).isEmpty)
  }
}
