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

  /// Frames by a number that is burnt into each: nine squares of 32 pixels, the lowest bit first, black or white.
  static func numbered(in folder: TemporaryFolder) throws -> String {
    let path = folder.file("numbered.mp4")
    let squares = (0..<9).map { bit in
      "drawbox=x=\(32 * bit):y=0:w=32:h=32:t=fill:color=white:enable='mod(floor(n/\(1 << bit)),2)'"
    }
    let filter = (["drawbox=x=0:y=0:w=288:h=32:t=fill:color=black"] + squares).joined(separator: ",")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=20", "-vf", filter, "-c:v", "libx264"]
        + ["-preset", "veryfast", "-g", "25", "-bf", "0", "-pix_fmt", "yuv420p", path])
    return path
  }
}
