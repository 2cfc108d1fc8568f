import VStreamTestSupport

/// Clips that cameras send.
enum Clips {
  /// Half a minute of people on a street, in H.264 with a key frame each second.
  ///
  /// - Parameter stillSeconds: for which everybody stands still at first.
  static func street(
    in folder: TemporaryFolder, width: Int = 384, height: Int = 288, stillSeconds: Int = 0
  ) throws -> String {
    let path = folder.file("street-\(width)-\(stillSeconds).mp4")
    let filter = "scale=\(width):\(height),tpad=start_mode=clone:start_duration=\(stillSeconds)"
    try Program.ffmpeg(
      ["-i", Checkout.sample("street.avi"), "-t", "30", "-vf", filter, "-c:v", "libx264"]
        + ["-preset", "ultrafast", "-g", "10", "-bf", "0", "-pix_fmt", "yuv420p", path])
    return path
  }
}
