import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

/// The codecs that an output can hold.
struct OutputCodecsTests {
  @Test(arguments: [
    ("a.mp4", "libx264"), ("a.mov", "libx264"), ("a.mkv", "libx264"), ("a.avi", "libx264"), ("a.ts", "libx264"),
    ("a.webm", "libvpx-vp9"), ("a.gif", "gif"), ("a.png", "png"), ("a-%d.jpg", "mjpeg"), ("a.webp", "libwebp"),
    ("a.y4m", "wrapped_avframe"), ("a.mjpeg", "mjpeg"),
  ])
  func `the default encoder is one whose codec the output holds`(name: String, encoder: String) throws {
    let folder = try TemporaryFolder()
    let destination = try OutputDestination(folder.file(name), overwrite: false)
    #expect(destination.defaultEncoder == encoder)
    #expect(throws: Never.self) { try destination.requireHolds(VideoCodec(encoder: destination.defaultEncoder)) }
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let name: String
    let file: String
    let encoder: String
    /// What the message and the remedy contain.
    let expected: [String]
    var testDescription: String { name }
  }

  static let refusals = [
    Refusal(name: "H.264 in WebM", file: "a.webm", encoder: "libx264", expected: ["webm", "h264", ".mkv"]),
    Refusal(name: "FFVHuff in MP4", file: "a.mp4", encoder: "ffvhuff", expected: ["mp4", "ffvhuff", "libx264"]),
    Refusal(name: "H.264 in GIF", file: "a.gif", encoder: "libx264", expected: ["gif holds gif", "use gif"]),
    Refusal(name: "PNG in a JPEG file", file: "a.jpg", encoder: "png", expected: ["holds mjpeg", "png"]),
    Refusal(
      name: "animated WebP as an image", file: "a.webp", encoder: "libwebp_anim", expected: ["holds webp", "libwebp"]),
    Refusal(name: "H.264 in Ogg", file: "a.ogv", encoder: "libx264", expected: ["theora or vp8", "libvpx"]),
    Refusal(name: "FFV1 in an H.264 stream", file: "a.h264", encoder: "ffv1", expected: ["h264", "libx264"]),
  ]

  @Test(arguments: refusals)
  func `a codec that the output cannot hold is a usage error that names another`(_ row: Refusal) throws {
    let folder = try TemporaryFolder()
    let destination = try OutputDestination(folder.file(row.file), overwrite: false)
    let codec = try VideoCodec(encoder: row.encoder)
    let error = failure { try destination.requireHolds(codec) }
    #expect(error?.code == .usage)
    #expect(error?.setting == .codec)
    #expect(error?.value == row.encoder)
    for text in row.expected { #expect(error?.description.contains(text) == true, "\(error?.description ?? "")") }
  }

  @Test(arguments: ["a.mp3", "a.srt", "a.flac", "a.wav"])
  func `a format without video is a usage error`(name: String) throws {
    let folder = try TemporaryFolder()
    let error = failure { _ = try OutputDestination(folder.file(name), overwrite: false) }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("holds no video") == true)
  }
}
