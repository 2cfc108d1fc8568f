import Foundation
import Testing
import VStreamScene
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
    #expect(ImageMetadata(of: []).isEmpty)
    #expect(ImageMetadata(of: Array("RIFF".utf8)).isEmpty)
    #expect(ImageMetadata(of: Array("GIF89a".utf8)).isEmpty)
  }
}
