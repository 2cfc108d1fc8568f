import Foundation
import Testing
import VStreamTestSupport

/// Parts of a redacted input besides its video: what may show the same is omitted, or named.
struct KeptPartsTests {
  private static let people = ["--redact", "fill", "--redact-what", "person"]

  /// A film with a second video, and the title of a chapter that may be an image.
  private func film(in clip: ClipFolder) throws {
    let title = String(repeating: "/9j/4AAQSkZJRg", count: 200)
    _ = try clip.folder.write("c.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/10\nSTART=0\nEND=2\ntitle=\(title)\n")
    try Program.ffmpeg(
      [
        "-i", clip.input, "-i", clip.input, "-i", "c.txt", "-map", "0:v", "-map", "1:v", "-map_metadata", "2", "-c",
        "copy", "film.mkv",
      ], folder: clip.folder.path)
  }

  @Test func `a receipt names what is kept unredacted, and the exit code is 1`() throws {
    let clip = try ClipFolder(person: 3)
    try film(in: clip)
    let keeping = ["film.mkv", "-o", "a.mkv", "--keep-unredacted", "--receipt", "r.json"]
    let kept = try clip.vstream(keeping + Self.people)
    #expect(kept.status == 1, "\(kept.errors)")
    let parts = "stream #1 (video, ffv1), images in the tags"
    #expect(kept.errors.contains("3 frames redacted, not redacted: \(parts)"), "\(kept.errors)")
    #expect(kept.errors.contains("vstream: a.mkv: neither redacted nor verified (--keep-unredacted): \(parts)"))
    let receipt = try JSON(try clip.text("r.json"))
    #expect(
      receipt["unverified"].list?.compactMap(\.string) == ["stream #1 (video, ffv1)", "images in the tags"])
    #expect(receipt["residuals"].list?.isEmpty == true)

    let safe = try clip.vstream(["film.mkv", "-o", "b.mkv", "--receipt", "s.json"] + Self.people)
    #expect(safe.status == 0 && !safe.errors.contains("not redacted:"), "\(safe.errors)")
    #expect(safe.errors.contains("cover images in the tags are omitted"), "\(safe.errors)")
    #expect(try JSON(try clip.text("s.json"))["unverified"].list?.isEmpty == true)
    #expect(try Data(contentsOf: URL(filePath: clip.folder.file("b.mkv"))).range(of: Data("9j/4AAQ".utf8)) == nil)
    // What the output cannot hold is not kept.
    let images = try clip.vstream(["film.mkv", "-o", "c-%d.png", "--keep-unredacted"] + Self.people)
    #expect(images.status == 0 && !images.errors.contains("not redacted:"), "\(images.errors)")
  }

  @Test func `subtitles that are images are omitted with a warning`() throws {
    let clip = try ClipFolder(person: 3)
    // PGS, without contents.
    let start = Array("PG".utf8) + [0, 0, 0, 9, 0, 0, 0, 0]
    let subtitles = start + [0x16, 0, 11, 0, 64, 0, 48, 0x10, 0, 0, 0x80, 0, 0, 0] + start + [0x80, 0, 0]
    try Data(subtitles).write(to: URL(filePath: clip.folder.file("a.sup")))
    try Program.ffmpeg(
      ["-i", clip.input, "-i", "a.sup", "-map", "0", "-map", "1", "-c", "copy", "film.mkv"],
      folder: clip.folder.path)
    let result = try clip.vstream(["film.mkv", "-o", "a.mkv"] + Self.people)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("stream #1 (subtitle, hdmv_pgs_subtitle) is omitted, as it is not redacted"),
      "\(result.errors)")
    #expect(try Probe(clip.folder.file("a.mkv")).streams.map(\.codec_type) == ["video"])
  }

  @Test(arguments: [("landmarks", true), ("contours", true), ("boxes,labels", false)])
  func `outlines of faces that are drawn on what is redacted are warned of`(elements: String, isWarned: Bool) throws {
    let folder = try TemporaryFolder()
    let result = try Program.vstream(
      [Checkout.sample("face.mp4"), "-o", folder.file("a.mkv"), "--duration", "0.2", "--redact", "fill"]
        + ["--face-contours", "--face-landmarks", "--draw", elements])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("show the outlines of redacted faces (--draw)") == isWarned, "\(result.errors)")
  }

  @Test func `images of an earlier run are named where they hinder a verification`() throws {
    let street = try ClipFolder(street: 4)
    for number in 1...9 {
      try Program.ffmpeg(["-i", street.input, "-frames:v", "1", street.folder.file("a-\(number).png")])
    }
    let result = try street.vstream(["in.avi", "-o", "a-%d.png", "-y", "--verify"] + Self.people)
    #expect(result.status == 74, "\(result.errors)")
    #expect(result.errors.contains("images of an earlier run follow them: remove those"), "\(result.errors)")
  }
}
