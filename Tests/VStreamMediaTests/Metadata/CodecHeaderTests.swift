import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// What redaction removes from headers of codecs and colour profiles.
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

  @Test(
    arguments: [
      ("aac", [0x12, 0x10], true), ("aac", [], true), ("wmav2", [UInt8](repeating: 1, count: 256), true),
      ("wmav2", [UInt8](repeating: 1, count: 257), false), ("mov_text", Array("Arial".utf8), true),
      ("subrip", [], true), ("ass", script(), true), ("ass", script("[Fonts]\nfontname: a.ttf\n????"), false),
      ("ssa", script("[GRAPHICS]\nfilename: a.png\n!!!!"), false),
      ("ass", script(String(repeating: "Style: Top,Arial,20\n", count: 4000)), false),
    ] as [(String, [UInt8], Bool)])
  func `a header of another codec is kept if it is short and contains no files`(
    codec: String, header: [UInt8], isKept: Bool
  ) {
    #expect(CodecHeader.cleaned(header, codec: codec) == (isKept ? header : nil))
  }

  private static func script(_ more: String = "") -> [UInt8] {
    Array("[Script Info]\nTitle: a\n[V4+ Styles]\nStyle: Default,Arial,20\n\(more)\n[Events]\n".utf8)
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
}
