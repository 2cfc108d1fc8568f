import VStreamTestSupport

/// Clips that cameras send.
enum Clips {
  /// Half a minute of people on a street, in H.264 with a key frame each second.
  static func street(in folder: TemporaryFolder, width: Int = 384, height: Int = 288) throws -> String {
    let path = folder.file("street-\(width).mp4")
    try Program.ffmpeg(
      ["-i", Checkout.sample("street.avi"), "-t", "30", "-vf", "scale=\(width):\(height)", "-c:v", "libx264"]
        + ["-preset", "ultrafast", "-g", "10", "-bf", "0", "-pix_fmt", "yuv420p", path])
    return path
  }
}
