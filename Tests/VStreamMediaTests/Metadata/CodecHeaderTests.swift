import Foundation
import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamMedia

/// What redaction removes from headers of codecs, colour profiles and fonts, in which anything may be hidden.
struct CodecHeaderTests {
  private static let picture =
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0] + Array("a face".utf8)

  private static func lacing(_ length: Int) -> [UInt8] {
    [UInt8](repeating: 255, count: length / 255) + [UInt8(length % 255)]
  }

  @Test(arguments: [true, false], [10, 600]) func `comments of Vorbis are removed`(isLaced: Bool, length: Int) throws {
    let first = [1] + Array("vorbis".utf8) + [UInt8](repeating: 7, count: 23)
    let second = [3] + Array("vorbis".utf8) + Self.picture + [UInt8](repeating: 1, count: length)
    let third = [5] + Array("vorbis".utf8) + [UInt8](repeating: 9, count: 50)
    let header =
      isLaced
      ? [2] + Self.lacing(first.count) + Self.lacing(second.count) + first + second + third
      : [first, second, third].flatMap { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
    let cleaned = try #require(CodecHeader.cleaned(header, codec: "vorbis"))
    let empty = [3] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 8) + [1]
    #expect(cleaned == [2, 30, 16] + first + empty + third)
    #expect(CodecHeader.cleaned(cleaned, codec: "vorbis") == cleaned)
  }

  @Test(arguments: [[], [2], [2, 255], [2, 200, 200, 1], [0, 30, 1], [9, 9, 9]] as [[UInt8]])
  func `a header that cannot be read is not kept`(header: [UInt8]) {
    #expect(CodecHeader.cleaned(header, codec: "vorbis") == nil)
  }

  @Test func `sections of scripts other than styles and events are removed`() throws {
    let kept = ["[Script Info]", "Title: a", "[V4+ Styles]", "Style: b", "[Events]", "Format: c"]
    let lines = Array(kept[..<4]) + ["[Graphics]", "filename: a.png", "!!!!", "[Fonts]", "????"] + Array(kept[4...])
    for (end, written) in [("\n", "\n"), ("\r\n", "\r\n"), ("\r", "\n"), ("\n ", "\n")] {
      let cleaned = try #require(CodecHeader.cleaned(Array(lines.joined(separator: end).utf8), codec: "ass"))
      let text = String(decoding: cleaned, as: UTF8.self).replacingOccurrences(of: "\n ", with: "\n")
      #expect(text == kept.joined(separator: written))
    }
  }

  struct AudioRow: CustomTestStringConvertible, Sendable {
    let name: String
    let codec: String
    let header: [UInt8]
    var testDescription: String { name }
  }

  private static let opus =
    Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]
  private static let properties = [UInt8](repeating: 3, count: 34)

  static let audio = [
    AudioRow(name: "AAC, stereo at 44100 Hz", codec: "aac", header: [0x12, 0x10]),
    AudioRow(name: "AAC, without bands stated", codec: "aac", header: [0x12, 0x10, 0x56, 0xE5, 0x00]),
    AudioRow(name: "AAC, bands stated behind it", codec: "aac", header: [0x13, 0x10, 0x56, 0xE5, 0x98]),
    AudioRow(name: "AAC, bands stated first", codec: "aac", header: [0x2B, 0x92, 0x08, 0x00]),
    AudioRow(name: "AAC, a frequency of its own", codec: "aac", header: [0x17, 0x80, 0x56, 0x22, 0x10]),
    AudioRow(
      name: "AAC, a program of channels", codec: "aac",
      header: [0x11, 0x80, 0x04, 0xC4, 0x00, 0x00, 0x20, 0x00]),
    AudioRow(name: "Opus", codec: "opus", header: opus),
    AudioRow(name: "Opus, with a mapping", codec: "opus", header: opus.dropLast() + [1, 1, 1, 0, 1]),
    AudioRow(name: "FLAC", codec: "flac", header: properties),
    AudioRow(name: "FLAC, as a file", codec: "flac", header: Array("fLaC".utf8) + [0x80, 0, 0, 34] + properties),
    AudioRow(
      name: "ALAC", codec: "alac", header: [0, 0, 0, 36] + Array("alac".utf8) + [UInt8](repeating: 1, count: 28)),
  ]

  @Test(arguments: audio) func `what follows the header of audio is removed`(row: AudioRow) {
    #expect(CodecHeader.cleaned(row.header, codec: row.codec) == row.header)
    #expect(CodecHeader.cleaned(row.header + Self.picture, codec: row.codec) == row.header)
  }

  @Test func `the comment of a program of channels is removed`() {
    // Object type 2, 48 kHz, channels by a program of one front pair; the comment has five bytes.
    let program: [UInt8] = [0x11, 0x80, 0x04, 0xC4, 0x00, 0x00, 0x20, 0x05]
    let cleaned = CodecHeader.cleaned(program + Array("hello".utf8) + Self.picture, codec: "aac")
    #expect(cleaned == program + [0, 0, 0, 0, 0])
  }

  @Test(
    arguments: [
      ("wmav2", [UInt8](repeating: 1, count: 10), true), ("wmav2", [UInt8](repeating: 1, count: 1025), false),
      ("wmav2", [1, 2] + picture, false), ("mov_text", Array("Arial".utf8), true),
      ("webvtt", Array("STYLE a { b: url(data:image/png;base64,AAAA) }".utf8), false), ("aac", picture, false),
      ("aac", [], true), ("subrip", [], true),
    ] as [(String, [UInt8], Bool)])
  func `a header of another codec is kept if it is short and has no image`(codec: String, header: [UInt8], isKept: Bool)
  {
    #expect(CodecHeader.cleaned(header, codec: codec) == (isKept ? header : nil))
  }

  @Test func `lines of scripts that are images as text are removed`() throws {
    let image = String(repeating: "iVBORw0KGgo", count: 20)
    let header = "[Script Info]\nTitle: a\nImage: \(image)\n[Events]\nFormat: b\n"
    let cleaned = try #require(CodecHeader.cleaned(Array(header.utf8), codec: "ass"))
    #expect(String(decoding: cleaned, as: UTF8.self) == "[Script Info]\nTitle: a\n[Events]\nFormat: b\n")
  }

  @Test(arguments: ["names", "fonts", "settings"])
  func `an image in pieces over the lines of a script is not kept`(place: String) {
    let pieces = ["/9j/", "4AAQ", "SkZJ", "RgAB", "AQAA"]
    func header(_ pieces: [String]) -> [UInt8] {
      let lines = pieces.map { piece in
        switch place {
        case "names": "Style: \(piece),Arial,20"
        case "fonts": "Style: Default,\(piece),20"
        default: "Comment: \(piece)"
        }
      }
      return Array(("[Script Info]\nTitle: a\n[V4+ Styles]\n" + lines.joined(separator: "\n") + "\n[Events]\n").utf8)
    }
    #expect(CodecHeader.cleaned(header(pieces), codec: "ass") == nil)
    let harmless = header(["Default", "Top", "Signs"])
    #expect(CodecHeader.cleaned(harmless, codec: "ass") == harmless)
  }

  @Test func `of what an encoder of Vorbis writes, the comments alone are removed`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(
      Clip.video() + Clip.tone() + ["-c:v", "ffv1", "-c:a", "libvorbis", "-metadata", "a=b", folder.file("a.mkv")])
    let streams = try MediaReader(MediaInput(folder.file("a.mkv"))).streams
    let header = try #require(streams.first { $0.codecName == "vorbis" }).parameters.extradata
    let cleaned = try #require(CodecHeader.cleaned(header, codec: "vorbis"))
    #expect(cleaned.count < header.count && cleaned.count > header.count - 200)
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// A profile with tags, each with its data.
  private static func profile(_ tags: [(String, [UInt8])]) -> [UInt8] {
    var table = number(tags.count)
    var data: [UInt8] = []
    for (name, bytes) in tags {
      table += Array(name.utf8) + number(132 + 12 * tags.count + data.count) + number(bytes.count)
      data += bytes + [UInt8](repeating: 0, count: -bytes.count & 3)
    }
    var header = [UInt8](repeating: 0, count: 128)
    header.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    header.replaceSubrange(48..<56, with: Array("MAKRMODL".utf8))
    header.replaceSubrange(0..<4, with: number(132 + table.count + data.count))
    return header + table + data
  }

  private static let white = Array("XYZ ".utf8) + [UInt8](repeating: 3, count: 16)
  private static let curve = Array("para".utf8) + [UInt8](repeating: 4, count: 12)
  private static let colors =
    ["rXYZ", "gXYZ", "bXYZ", "wtpt"].map { ($0, white) } + ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }

  @Test func `of a colour profile the colours are kept alone`() {
    let private1 = Array("data".utf8) + Self.picture
    let all = Self.profile(Self.colors + [("thum", private1), ("desc", private1), ("A2B0", private1)])
    let cleaned = ColorProfile.cleaned(all)
    #expect(!cleaned.isEmpty && !String(decoding: cleaned, as: UTF8.self).contains("a face"))
    #expect(!String(decoding: cleaned, as: UTF8.self).contains("MAKR"))
    #expect(ColorProfile.cleaned(cleaned) == cleaned)
    #expect(cleaned.count == Self.profile(Self.colors).count)
  }

  @Test func `a curve that is an image is not kept`() {
    let image = Self.colors.map {
      $0.0 == "rTRC" ? ($0.0, Array("curv".utf8) + [UInt8](repeating: 1, count: 9000)) : $0
    }
    #expect(ColorProfile.cleaned(Self.profile(image)).isEmpty)
  }

  @Test func `a formula is no longer than its parameters, and a tag is kept once`() {
    let formula = Array("para".utf8) + [UInt8](repeating: 1, count: 37)
    let long = Self.colors.map { $0.0 == "rTRC" ? ($0.0, formula) : $0 }
    #expect(ColorProfile.cleaned(Self.profile(long)).isEmpty)
    let twice = ColorProfile.cleaned(Self.profile(Self.colors + [("rTRC", Self.curve)]))
    #expect(twice == ColorProfile.cleaned(Self.profile(Self.colors)))
  }

  @Test(arguments: [0, 100, 131, 140, 200]) func `a profile that is cut is not kept`(count: Int) {
    #expect(ColorProfile.cleaned(Array(Self.profile(Self.colors).prefix(count))).isEmpty)
  }

  private static func tables(of font: [UInt8]) -> [(name: String, entry: Int)] {
    (0..<Int(font[5])).map { index in
      let entry = 12 + 16 * index
      return (String(decoding: font[entry..<entry + 4], as: UTF8.self), entry)
    }
  }

  @Test func `a font is its tables, and nothing that only looks like them`() throws {
    let font = try [UInt8](Data(contentsOf: URL(filePath: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")))
    #expect(FontFile.cleaned(font) != nil)
    #expect(FontFile.cleaned(font + Self.picture) == nil)
    let names = ["cmap", "head", "hhea", "maxp"]
    let size = 12 + 16 * names.count + Self.picture.count
    let forged =
      [0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0]
      + names.flatMap { Array($0.utf8) + Self.number(0) + Self.number(0) + Self.number(size) } + Self.picture
    #expect(FontFile.cleaned(forged) == nil)
    var renamed = font
    let entry = try #require((0..<20).map { 12 + 16 * $0 }.first { font[$0..<$0 + 4].elementsEqual("gasp".utf8) })
    renamed.replaceSubrange(entry..<entry + 4, with: Array("SVG ".utf8))
    #expect(FontFile.cleaned(renamed) == nil)
  }

  @Test(arguments: ["meta", "DSIG", "FFTM"]) func `tables that text does not need are removed from a font`(name: String)
    throws
  {
    let path = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
    let font = try #require(FontFile.cleaned(try [UInt8](Data(contentsOf: URL(filePath: path)))))
    #expect(FontFile.cleaned(font) == font)
    // A further table, with an image, behind the others.
    let tables = Self.tables(of: font)
    var marked = Array(font[..<12])
    marked[5] += 1
    for table in tables {
      var entry = Array(font[table.entry..<table.entry + 16])
      let start = entry[8..<12].reduce(0) { $0 << 8 | Int($1) } + 16
      entry.replaceSubrange(8..<12, with: Self.number(start))
      marked += entry
    }
    let data = font[(12 + 16 * tables.count)...]
    marked += Array(name.utf8) + Self.number(0) + Self.number(font.count + 16) + Self.number(Self.picture.count)
    marked += data + Self.picture
    let cleaned = try #require(FontFile.cleaned(marked))
    #expect(Self.tables(of: cleaned).map(\.name) == tables.map(\.name))
    #expect(cleaned.count == font.count && cleaned.dropFirst(12 + 16 * tables.count) == data)
    // The sum of a font as numbers of four bytes is a constant.
    let sum = stride(from: 0, to: cleaned.count, by: 4).reduce(UInt32(0)) { sum, index in
      sum &+ cleaned[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    #expect(sum == 0xB1B0_AFBA)
  }

  struct FontRow: CustomTestStringConvertible, Sendable {
    let table: String
    let what: String
    let bytes: [UInt8]
    var isKept = false
    var testDescription: String { "\(what) in '\(table)'" }

    init(_ table: String, _ what: String, _ bytes: [UInt8], isKept: Bool = false) {
      (self.table, self.what, self.bytes, self.isKept) = (table, what, bytes, isKept)
    }
  }

  private static let bitmap =
    Array("BM".utf8) + [0x36, 0x10, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0] + [UInt8](repeating: 9, count: 40)
  private static let tiff = Array("II*\0".utf8) + [8, 0, 0, 0, 9, 0, 0, 1, 3, 0] + [UInt8](repeating: 0, count: 40)
  private static let otherTIFF =
    Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 9, 1, 0, 0, 3] + [UInt8](repeating: 0, count: 40)
  private static let base64 = Array("/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD".utf8)

  @Test(arguments: [
    FontRow("name", "a JPEG", picture), FontRow("prep", "a JPEG", picture), FontRow("fpgm", "a bitmap", bitmap),
    FontRow("cvt ", "a TIFF", tiff), FontRow("glyf", "a TIFF of the other order", otherTIFF),
    FontRow("glyf", "a JPEG without a name", [0xFF, 0xD8, 0xFF, 0xDB, 0, 4, 1, 1, 0xFF, 0xC0, 0, 4, 1, 1, 0xFF, 0xDA]),
    FontRow("glyf", "a pixmap", Array("P6\n120 90\n255\n".utf8)), FontRow("name", "base64", base64),
    FontRow("name", "base64 in UTF-16", base64.flatMap { [0, $0] }),
    FontRow(
      "GPOS", "distances that begin as a JPEG does", [0xFF, 0xD8, 0xFF, 0xE0, 0, 3, 0xFF, 0xD8, 0, 0], isKept: true),
    FontRow("glyf", "bytes that begin as a bitmap does", Array("BM".utf8) + [1, 2, 3, 4, 5, 6, 7, 8, 9], isKept: true),
    FontRow("glyf", "bytes that begin as a pixmap does", Array("P6 a".utf8), isKept: true),
  ])
  func `a font with an image in a table is none`(row: FontRow) throws {
    var font = try [UInt8](Data(contentsOf: URL(filePath: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")))
    let entry = try #require(Self.tables(of: font).first { $0.name == row.table }).entry
    let start = font[entry + 8..<entry + 12].reduce(0) { $0 << 8 | Int($1) } + 200
    font.replaceSubrange(start..<start + row.bytes.count, with: row.bytes)
    #expect((FontFile.cleaned(font) != nil) == row.isKept)
  }
}
