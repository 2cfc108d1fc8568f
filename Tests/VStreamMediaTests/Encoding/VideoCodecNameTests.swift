import Testing

@testable import VStreamMedia

/// Encoders by their names and by those of codecs.
struct VideoCodecNameTests {
  @Test(arguments: [
    ("libx264", "libx264"), ("h264", "libx264"), ("H.264", "libx264"), ("hevc", "libx265"), ("h265", "libx265"),
    ("av1", "libsvtav1"), ("vp9", "libvpx-vp9"), ("vp8", "libvpx"), ("mpeg2", "mpeg2video"), ("mpeg4", "mpeg4"),
    ("theora", "libtheora"), ("mjpeg", "mjpeg"), ("dirac", "vc2"),
  ])
  func `a codec stands for its usual encoder`(name: String, encoder: String) throws {
    #expect(try VideoCodec(encoder: name).name == encoder)
  }

  @Test(arguments: ["nothing", "aac", "", "h2645"])
  func `other names are usage errors`(name: String) {
    #expect(failure { _ = try VideoCodec(encoder: name) }?.code == .usage)
  }
}
