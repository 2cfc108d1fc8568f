import Testing
import VStreamTestSupport

/// An input made by FFmpeg's command, the program's options, and the allowed differences of the output.
///
/// All properties that a row does not name as different must be equal.
struct FidelityRow: CustomTestStringConvertible, Sendable {
  enum Pixels: Sendable {
    /// Every bit is equal.
    case same
    /// Minimum PSNR in decibels of the worst frame.
    case near(Double)
  }

  let name: String
  let input: String
  let output: String
  /// FFmpeg's options that make the input, separated by spaces.
  let make: String
  /// FFmpeg's options that make the input from the result of `make`, which is then `first.mp4` or `first.mov`.
  var then: String?
  /// a, b, c, d of the display matrix that is written into the input, an MP4 or MOV.
  var matrix: [Int]?
  /// The program's options, separated by spaces.
  var options = "--crf 10"
  var pixels = Pixels.near(38)
  /// The filters that turn the input's pixels into the expected pixels of the output.
  var after = "null"
  /// The pixel format in which input and output are compared.
  var comparedIn: String?
  /// A part of each expected warning, in order.
  var warns: [String] = []
  /// Numbers of the input's streams that are not in the output.
  var omits: Set<Int> = []
  /// Numbers of the input's copied streams whose packets may be packed differently, and are compared decoded.
  var repacked: Set<Int> = []
  var pixelFormat: String?
  /// Width and height of a rotated video.
  var size: [Int]?
  /// Width and height of a video with padding at the right and the bottom.
  var paddedSize: [Int]?
  var aspect: String?
  /// Colour tags by ffprobe's names, `unknown` for those that are not set.
  var colours: [String: String] = [:]
  /// Whether frames have irregular times, so that no rate is compared.
  var isVariable = false
  var testDescription: String { name }
}

extension FidelityRow {
  static func video(_ size: String = "160x120", rate: String = "25", frames: Int = 12) -> String {
    "-f lavfi -i testsrc2=size=\(size):rate=\(rate),scale=\(size),trim=end_frame=\(frames) "
  }

  static let tone = "-f lavfi -i sine=duration=0.48 "
  static let h264 = "-c:v libx264 -preset ultrafast "
  static let bFrames = "-c:v libx264 -preset superfast -bf 3 -x264-params b-adapt=0 "
  static let hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=error "
  static let vp9 = "-c:v libvpx-vp9 -cpu-used 8 -deadline realtime "
  /// Frames 40, 47 and 33 ms apart, and a gap of half a second.
  static let irregular = "-vf settb=1/1000,setpts=40*N+7*mod(N\\,3)+500*gt(N\\,7) -fps_mode passthrough "

  static let all =
    containers + encoders + formats + sizes + turns + rates + starts + colours + interlaced + sounds + subtitles
    + others

  static let containers: [FidelityRow] = [
    FidelityRow(
      name: "MP4 to MP4, H.264 with B-frames, AAC", input: "in.mp4", output: "out.mp4",
      make: video() + tone + bFrames + "-c:a aac"),
    FidelityRow(
      name: "MP4 to MKV, H.264 with B-frames, AAC", input: "in.mp4", output: "out.mkv",
      make: video() + tone + bFrames + "-c:a aac"),
    FidelityRow(
      name: "MKV to MP4, H.264 with B-frames, AAC", input: "in.mkv", output: "out.mp4",
      make: video() + tone + bFrames + "-c:a aac"),
    FidelityRow(
      name: "MOV to MOV, H.264, PCM", input: "in.mov", output: "out.mov",
      make: video("64x48") + tone + h264 + "-c:a pcm_s16le"),
    FidelityRow(
      name: "WebM to WebM, VP9, Opus", input: "in.webm", output: "out.webm",
      make: video() + tone + vp9 + "-c:a libopus", options: "--codec libvpx-vp9 --crf 10 --preset 8"),
    FidelityRow(
      name: "WebM to MKV", input: "in.webm", output: "out.mkv", make: video() + tone + vp9 + "-c:a libopus"),
    FidelityRow(
      name: "MP4 to WebM without audio", input: "in.mp4", output: "out.webm",
      make: video() + tone + bFrames + "-c:a aac", options: "--codec libvpx-vp9 --crf 10 --preset 8 --audio none",
      omits: [1]),
    FidelityRow(
      name: "AVI to AVI, MPEG-4, MP3", input: "in.avi", output: "out.avi",
      make: video() + tone + "-c:v mpeg4 -q:v 3 -c:a libmp3lame", options: "--codec mpeg4 --crf 2"),
    FidelityRow(
      name: "AVI to MKV, Motion JPEG, PCM", input: "in.avi", output: "out.mkv",
      make: video() + tone + "-c:v mjpeg -pix_fmt yuvj420p -q:v 3 -c:a pcm_s16le"),
    FidelityRow(
      name: "AVI to MKV, raw BGR", input: "in.avi", output: "out.mkv",
      make: video("64x48") + "-c:v rawvideo "
        + "-pix_fmt bgr24",
      options: "--codec ffv1", pixels: .same, comparedIn: "rgb24",
      pixelFormat: "bgr0",
      colours: ["color_range": "pc", "color_space": "gbr"]),
    FidelityRow(
      name: "MP4 to AVI, H.264", input: "in.mp4", output: "out.avi", make: video() + tone + h264 + "-c:a libmp3lame"),
    FidelityRow(
      name: "MPEG-TS to MPEG-TS, MPEG-2, AC-3", input: "in.ts", output: "out.ts",
      make: video() + tone + "-c:v mpeg2video -q:v 3 -bf 2 -c:a ac3"),
    FidelityRow(
      name: "MPEG-TS to MP4, H.264, AAC", input: "in.ts", output: "out.mp4",
      make: video() + tone + bFrames + "-c:a aac", repacked: [1]),
    FidelityRow(
      name: "MPEG-TS to MKV, HEVC, AC-3", input: "in.ts", output: "out.mkv",
      make: video() + tone + hevc + "-c:a ac3"),
    FidelityRow(
      name: "MP4 to MPEG-TS", input: "in.mp4", output: "out.ts", make: video() + tone + bFrames + "-c:a aac",
      repacked: [1]),
    FidelityRow(
      name: "MPEG program stream to MP4", input: "in.mpg", output: "out.mp4",
      make: video() + tone + "-c:v mpeg2video -q:v 3 -bf 2 -c:a ac3"),
    FidelityRow(
      name: "NUT to NUT, raw NV12, PCM", input: "in.nut", output: "out.nut",
      make: video("64x48") + tone + "-c:v rawvideo -pix_fmt nv12 -c:a pcm_s16le", options: "--codec rawvideo",
      pixels: .same),
    FidelityRow(
      name: "NUT to MKV, raw NV12", input: "in.nut", output: "out.mkv",
      make: video("64x48") + "-c:v rawvideo -pix_fmt nv12", options: "--codec ffv1", pixels: .same,
      after: "format=yuv420p", pixelFormat: "yuv420p"),
    FidelityRow(
      name: "HLS to MP4", input: "in.m3u8", output: "out.mp4",
      make: video(frames: 24) + "-f lavfi -i sine=duration=0.96 " + bFrames
        + "-g 8 -c:a aac -hls_time 0.3 -hls_list_size 0", repacked: [1]),
    FidelityRow(
      name: "MP4 to HLS", input: "in.mp4", output: "out.m3u8",
      make: video(frames: 24) + "-f lavfi -i sine=duration=0.96 " + bFrames + "-g 8 -c:a aac",
      options: "--crf 10 --output-option hls_time=0.3 --output-option hls_list_size=0", repacked: [1]),
    FidelityRow(
      name: "MP4 to HLS of fragmented MP4", input: "in.mp4", output: "out.m3u8",
      make: video(frames: 24) + "-f lavfi -i sine=duration=0.96 " + bFrames + "-c:a aac",
      options: "--crf 10 --output-option hls_segment_type=fmp4 --output-option hls_list_size=0"),
    FidelityRow(
      name: "MP4 to segments of MPEG-TS", input: "in.mp4", output: "out%02d.ts",
      make: video(frames: 24) + "-f lavfi -i sine=duration=0.96 " + bFrames + "-c:a aac",
      options: "--crf 10 --output-format segment --output-option segment_time=0.3", repacked: [1]),
    FidelityRow(
      name: "MP4 to one fragment after the other", input: "in.mp4", output: "out.mp4",
      make: video() + tone + bFrames + "-c:a aac -movflags frag_keyframe+empty_moov"),
  ]

  static let encoders: [FidelityRow] = [
    FidelityRow(
      name: "libx265, MP4, FLAC", input: "in.mkv", output: "out.mp4", make: video() + tone + hevc + "-c:a flac",
      options: "--codec libx265 --preset superfast --crf 10"),
    FidelityRow(
      name: "libx265, MKV, 10 bits", input: "in.mkv", output: "out.mkv",
      make: video() + h264 + "-pix_fmt yuv420p10le", options: "--codec libx265 --preset superfast --crf 10"),
    FidelityRow(
      name: "libsvtav1, MP4, Opus", input: "in.mkv", output: "out.mp4",
      make: video() + tone + vp9 + "-c:a libopus", options: "--codec libsvtav1 --crf 5 --preset 12"),
    FidelityRow(
      name: "libsvtav1 takes 4:2:0 only", input: "in.mp4", output: "out.mkv",
      make: video() + h264 + "-pix_fmt yuv444p", options: "--codec libsvtav1 --crf 5 --preset 12",
      warns: ["libsvtav1 does not support yuv444p: encoded as yuv420p"], pixelFormat: "yuv420p"),
    FidelityRow(
      name: "libvpx-vp9, MP4, 4:4:4", input: "in.mp4", output: "out.mp4",
      make: video() + h264 + "-pix_fmt yuv444p", options: "--codec libvpx-vp9 --crf 10 --preset 8"),
    FidelityRow(
      name: "mpeg2video, MPEG-TS", input: "in.mp4", output: "out.ts",
      make: video() + tone + "-c:v mpeg4 -q:v 2 -bf 2 -c:a ac3", options: "--codec mpeg2video --crf 2"),
    FidelityRow(
      name: "mjpeg, MOV, PCM of 24 bits", input: "in.mov", output: "out.mov",
      make: video() + tone + "-c:v mjpeg -pix_fmt yuvj422p -q:v 2 -c:a pcm_s24le", options: "--codec mjpeg --crf 2"),
    FidelityRow(
      name: "mjpeg uses the full range", input: "in.mkv", output: "out.mkv",
      make: video() + h264 + "-color_range tv", options: "--codec mjpeg --crf 2",
      after: "scale=out_range=full,format=yuvj420p", pixelFormat: "yuvj420p",
      colours: ["color_range": "pc", "color_space": "bt470bg", "chroma_location": "center"]),
    FidelityRow(
      name: "prores_ks, MOV, 10 bits", input: "in.mov", output: "out.mov",
      make: video() + tone + "-c:v prores_ks -pix_fmt yuv422p10le -c:a pcm_s16le", options: "--codec prores_ks"),
    FidelityRow(
      name: "prores_ks of 8 bits", input: "in.mkv", output: "out.mov", make: video() + h264,
      options: "--codec prores_ks", pixelFormat: "yuv422p10le"),
    FidelityRow(
      name: "ffv1, NUT, FLAC", input: "in.mkv", output: "out.nut", make: video() + tone + h264 + "-c:a flac",
      options: "--codec ffv1", pixels: .same),
    FidelityRow(
      name: "a bit rate instead of a quality", input: "in.mp4", output: "out.mp4", make: video() + bFrames,
      options: "--bitrate 3M"),
  ]

  static let formats: [FidelityRow] =
    [
      ("yuv420p", "131x97", "ffv1"), ("yuv422p", "131x97", "ffv1"), ("yuv420p", "2x2", "ffv1"),
      ("yuv420p10le", "77x33", "ffv1"), ("yuv422p10le", "64x48", "ffv1"),
      ("yuv444p12le", "77x33", "ffv1"), ("gray", "77x33", "ffv1"),
      ("yuva420p", "77x33", "ffv1"), ("bgra", "77x33", "ffv1"),
      ("yuv420p", "160x120", "libx264 --crf 0"),
      ("yuv422p", "64x48", "libx264 --crf 0"), ("yuv444p", "77x33", "libx264 --crf 0"),
    ].map { format, size, codec in
      FidelityRow(
        name: "\(format), \(size), \(codec)", input: "in.mkv", output: "out.mkv",
        make: video(size, frames: 5) + "-c:v ffv1 -pix_fmt \(format)", options: "--codec \(codec)", pixels: .same)
    } + [
      FidelityRow(
        name: "gray, lossless H.264, which FFmpeg decodes to 4:2:0", input: "in.mkv", output: "out.mkv",
        make: video(frames: 5) + "-c:v ffv1 -pix_fmt gray", options: "--crf 0", pixels: .same, comparedIn: "gray",
        pixelFormat: "yuvj420p"),
      FidelityRow(
        name: "full range, lossless", input: "in.mkv", output: "out.mkv",
        make: video() + "-c:v libx264 -qp 0 -pix_fmt yuvj420p", options: "--codec ffv1", pixels: .same,
        warns: ["ffv1 does not support yuvj420p: encoded as yuv420p"], pixelFormat: "yuv420p"),
      FidelityRow(
        name: "full range, H.264", input: "in.mp4", output: "out.mp4", make: video() + h264 + "-pix_fmt yuvj420p"),
      FidelityRow(
        name: "full range to MPEG-4, which does not state it", input: "in.mkv", output: "out.mp4",
        make: video() + h264 + "-pix_fmt yuvj420p", options: "--codec mpeg4 --crf 2",
        after: "scale=out_range=tv,format=yuv420p", warns: ["mpeg4 does not support yuvj420p: encoded as yuv420p"],
        pixelFormat: "yuv420p", colours: ["color_range": "tv"]),
      FidelityRow(
        name: "raw RGB to FFV1", input: "in.nut", output: "out.mkv",
        make: video("77x33", frames: 5) + "-c:v rawvideo -pix_fmt rgb24", options: "--codec ffv1", pixels: .same,
        comparedIn: "rgb24", pixelFormat: "bgr0",
        colours: ["color_range": "pc", "color_space": "gbr"]),
      FidelityRow(
        name: "raw RGB to H.264", input: "in.nut", output: "out.mkv",
        make: video(frames: 5) + "-c:v rawvideo -pix_fmt bgr0", after: "scale=out_range=tv,format=yuv444p",
        warns: ["libx264 does not support bgr0: encoded as yuv444p"], pixelFormat: "yuv444p",
        colours: ["color_range": "tv", "color_space": "smpte170m"]),
      FidelityRow(
        name: "12 bits to H.264, which has 10", input: "in.mkv", output: "out.mp4",
        make: video(frames: 5) + "-c:v ffv1 -pix_fmt yuv444p12le",
        warns: ["libx264 does not support yuv444p12le: encoded as yuv444p10le"], pixelFormat: "yuv444p10le"),
      FidelityRow(
        name: "transparency to H.264, which has none", input: "in.mkv", output: "out.mp4",
        make: video(frames: 5) + "-c:v ffv1 -pix_fmt yuva420p", after: "format=yuv420p",
        warns: ["libx264 does not support yuva420p: encoded as yuv420p"], pixelFormat: "yuv420p"),
      FidelityRow(
        name: "transparency to ProRes", input: "in.mkv", output: "out.mov",
        make: video(frames: 5) + "-c:v ffv1 -pix_fmt yuva420p", options: "--codec prores_ks",
        pixelFormat: "yuva444p12le"),
      FidelityRow(
        name: "a requested pixel format", input: "in.mkv", output: "out.mp4",
        make: video(frames: 5) + "-c:v ffv1 -pix_fmt yuv444p10le", options: "--crf 10 --pixel-format yuv420p",
        pixelFormat: "yuv420p"),
      FidelityRow(
        name: "limited range requested from full range", input: "in.mp4", output: "out.mp4",
        make: video() + h264 + "-pix_fmt yuvj420p", options: "--crf 10 --pixel-format yuv420p",
        after: "scale=out_range=tv,format=yuv420p", pixelFormat: "yuv420p", colours: ["color_range": "tv"]),
    ]

  static let sizes: [FidelityRow] =
    [
      ("libx264", "77x33", [78, 34]), ("libx264", "131x97", [132, 98]), ("libx265", "77x33", [78, 34]),
      ("libsvtav1 --preset 12", "131x97", [132, 98]),
    ].map { codec, size, padded in
      FidelityRow(
        name: "\(size), \(codec)", input: "in.mkv", output: "out.mkv",
        make: video(size, frames: 5) + "-c:v ffv1 -pix_fmt yuv420p", options: "--codec \(codec) --crf 10",
        warns: ["supports even sizes only: \(size.replacing("x", with: "×")) is encoded as \(padded[0])×\(padded[1])"],
        paddedSize: padded)
    }
    + [
      ("libvpx-vp9 --crf 10", "77x33"), ("mpeg4 --crf 2", "77x33"), ("libx264 --crf 10", "2x2"),
      ("libvpx-vp9 --crf 10", "2x2"), ("mpeg4 --crf 2", "2x2"), ("libx265 --crf 10", "64x48"),
    ].map { codec, size in
      FidelityRow(
        name: "\(size), \(codec)", input: "in.mkv", output: "out.mkv",
        make: video(size, frames: 5) + "-c:v ffv1 -pix_fmt yuv420p", options: "--codec \(codec)", pixels: .near(30))
    }
    + [
      FidelityRow(
        name: "77x33, 4:4:4, libx264", input: "in.mkv", output: "out.mp4",
        make: video("77x33", frames: 5) + "-c:v ffv1 -pix_fmt yuv444p"),
      FidelityRow(
        name: "77x33, 4:2:2, libx264: an odd width alone", input: "in.mkv", output: "out.mp4",
        make: video("77x33", frames: 5) + "-c:v ffv1 -pix_fmt yuv422p",
        warns: ["77×33 is encoded as 78×33"], paddedSize: [78, 33]),
      FidelityRow(
        name: "2x2, prores_ks", input: "in.mkv", output: "out.mov",
        make: video("2x2", frames: 5) + "-c:v libx264 -qp 0 -pix_fmt yuv422p10le", options: "--codec prores_ks",
        pixels: .near(30)),
      FidelityRow(
        name: "2x2, mjpeg", input: "in.avi", output: "out.avi",
        make: video("2x2", frames: 5) + "-c:v mjpeg -pix_fmt yuvj420p", options: "--codec mjpeg --crf 2",
        pixels: .near(30)),
    ]

  static let turns: [FidelityRow] =
    [
      ("a quarter clockwise", [0, 1, -1, 0], [120, 160]), ("half a turn", [-1, 0, 0, -1], nil),
      ("a quarter counter-clockwise", [0, -1, 1, 0], [120, 160]), ("mirrored", [-1, 0, 0, 1], nil),
      ("flipped", [1, 0, 0, -1], nil), ("transposed", [0, 1, 1, 0], [120, 160]),
      ("transversed", [0, -1, -1, 0], [120, 160]),
    ].map { name, matrix, size in
      FidelityRow(
        name: name, input: "in.mp4", output: "out.mp4", make: video(frames: 6) + bFrames, matrix: matrix, size: size)
    } + [
      FidelityRow(
        name: "FFmpeg's rotate=90, MOV to MKV, lossless", input: "in.mov", output: "out.mkv",
        make: video("64x48", frames: 6) + h264 + "-pix_fmt yuv420p10le",
        then: Program.rotating("first.mov", by: 90).joined(separator: " "),
        options: "--codec ffv1", pixels: .same, size: [48, 64]),
      FidelityRow(
        name: "4:2:2 rotated by a quarter turn becomes 4:4:4", input: "in.mp4", output: "out.mp4",
        make: video(frames: 6) + h264 + "-pix_fmt yuv422p", matrix: [0, 1, -1, 0], after: "format=yuv444p",
        pixelFormat: "yuv444p", size: [120, 160]),
      FidelityRow(
        name: "4:2:2 rotated by half a turn stays 4:2:2", input: "in.mov", output: "out.mov",
        make: video(frames: 6) + h264 + "-pix_fmt yuv422p",
        then: Program.rotating("first.mov", by: 180).joined(separator: " ")),
      FidelityRow(
        name: "a quarter turn inverts the sample aspect ratio", input: "in.mp4", output: "out.mkv",
        make: video(frames: 6) + "-vf setsar=4/3 " + h264, matrix: [0, 1, -1, 0], size: [120, 160], aspect: "3:4"),
      FidelityRow(
        name: "a quarter turn of an odd size", input: "in.mov", output: "out.mkv",
        make: video("131x97", frames: 6) + "-vf setsar=1 -c:v mpeg4 -q:v 2", matrix: [0, -1, 1, 0],
        options: "--codec ffv1",
        pixels: .same, size: [97, 131]),
    ]

  static let rates: [FidelityRow] = [
    FidelityRow(
      name: "23.976, MP4 to MKV", input: "in.mp4", output: "out.mkv", make: video(rate: "24000/1001") + bFrames),
    FidelityRow(
      name: "23.976, MKV to MP4", input: "in.mkv", output: "out.mp4", make: video(rate: "24000/1001") + bFrames),
    FidelityRow(
      name: "29.97, MPEG-TS to MP4", input: "in.ts", output: "out.mp4", make: video(rate: "30000/1001") + h264),
    FidelityRow(
      name: "59.94, MOV to MOV", input: "in.mov", output: "out.mov",
      make: video(rate: "60000/1001", frames: 30) + bFrames),
    FidelityRow(
      name: "10, AVI to MP4", input: "in.avi", output: "out.mp4", make: video(rate: "10") + "-c:v mpeg4 -q:v 2"),
    FidelityRow(
      name: "60, WebM to MP4, mpeg4", input: "in.webm", output: "out.mp4", make: video(rate: "60") + vp9,
      options: "--codec mpeg4 --crf 2"),
    FidelityRow(name: "one frame", input: "in.mp4", output: "out.mp4", make: video(frames: 1) + h264),
    FidelityRow(
      name: "irregular, MKV to MP4", input: "in.mkv", output: "out.mp4", make: video() + irregular + bFrames,
      isVariable: true),
    FidelityRow(
      name: "irregular, MP4 to MKV, lossless", input: "in.mp4", output: "out.mkv",
      make: video() + irregular + bFrames, options: "--codec ffv1", pixels: .same, isVariable: true),
    FidelityRow(
      name: "irregular, MP4 to MP4, libx265", input: "in.mp4", output: "out.mp4",
      make: video() + irregular + bFrames, options: "--codec libx265 --preset superfast --crf 10", isVariable: true),
    FidelityRow(
      name: "irregular, MKV to WebM, VP9", input: "in.mkv", output: "out.webm", make: video() + irregular + h264,
      options: "--codec libvpx-vp9 --crf 10 --preset 8", isVariable: true),
    FidelityRow(
      name: "irregular, MKV to MP4, AV1", input: "in.mkv", output: "out.mp4", make: video() + irregular + h264,
      options: "--codec libsvtav1 --crf 5 --preset 12", isVariable: true),
    FidelityRow(
      name: "irregular, MP4 to MP4, mpeg4", input: "in.mp4", output: "out.mp4", make: video() + irregular + h264,
      options: "--codec mpeg4 --crf 2", isVariable: true),
    FidelityRow(
      name: "irregular, NUT to NUT", input: "in.nut", output: "out.nut", make: video() + irregular + h264,
      isVariable: true),
  ]

  static let starts: [FidelityRow] = [
    FidelityRow(
      name: "start at 5 s, MKV to MKV", input: "in.mkv", output: "out.mkv",
      make: video() + tone + bFrames + "-c:a aac -output_ts_offset 5"),
    FidelityRow(
      name: "start at 5 s, MKV to MP4", input: "in.mkv", output: "out.mp4",
      make: video() + tone + bFrames + "-c:a aac -output_ts_offset 5"),
    FidelityRow(
      name: "start at 5 s, MP4 to MP4", input: "in.mp4", output: "out.mp4",
      make: video() + tone + bFrames + "-c:a aac -output_ts_offset 5"),
    FidelityRow(
      name: "start at 5 s, MP4 to MPEG-TS", input: "in.mp4", output: "out.ts",
      make: video() + tone + bFrames + "-c:a aac -output_ts_offset 5", repacked: [1]),
    FidelityRow(
      name: "audio later than video", input: "in.mp4", output: "out.mp4",
      make: video() + "-itsoffset 0.2 " + tone + bFrames + "-c:a aac"),
    FidelityRow(
      name: "video later than audio", input: "in.mkv", output: "out.mp4",
      make: "-itsoffset 0.2 " + video() + tone + bFrames + "-c:a aac"),
    FidelityRow(
      name: "cut by an edit list within a group of pictures", input: "in.mp4", output: "out.mp4",
      make: video(frames: 24) + "-f lavfi -i sine=duration=0.96 " + bFrames + "-c:a aac",
      then: "-ss 0.2 -i first.mp4 -c copy"),
    FidelityRow(
      name: "cut by an edit list, MP4 to MKV", input: "in.mp4", output: "out.mkv",
      make: video(frames: 24) + "-f lavfi -i sine=duration=0.96 " + bFrames + "-c:a aac",
      then: "-ss 0.2 -i first.mp4 -c copy"),
    FidelityRow(
      name: "decoding begins before zero", input: "in.mp4", output: "out.mkv",
      make: video() + bFrames + "-movflags negative_cts_offsets"),
  ]

  static let colours: [FidelityRow] = [
    FidelityRow(
      name: "BT.601 of 625 lines, MKV to MKV, FFV1", input: "in.mkv", output: "out.mkv",
      make: video() + h264 + tags("bt470bg", "gamma28", "bt470bg"), options: "--codec ffv1", pixels: .same),
    FidelityRow(
      name: "BT.709, full range, MKV to MP4", input: "in.mkv", output: "out.mp4",
      make: video() + h264 + tags("bt709", "bt709", "bt709") + "-color_range pc"),
    FidelityRow(
      name: "BT.709, MP4 to WebM, VP9", input: "in.mp4", output: "out.webm",
      make: video() + h264 + tags("bt709", "bt709", "bt709"), options: "--codec libvpx-vp9 --crf 10 --preset 8"),
    FidelityRow(
      name: "BT.709, MP4 to MPEG-TS", input: "in.mp4", output: "out.ts",
      make: video() + h264 + tags("bt709", "bt709", "bt709") + "-color_range tv"),
    FidelityRow(
      name: "BT.709, MOV to MOV, ProRes", input: "in.mov", output: "out.mov",
      make: video() + "-c:v prores_ks " + tags("bt709", "bt709", "bt709"), options: "--codec prores_ks"),
    FidelityRow(
      name: "BT.2020, 10 bits, MP4 to MKV", input: "in.mp4", output: "out.mkv",
      make: video() + h264 + "-pix_fmt yuv420p10le " + tags("bt2020", "bt2020-10", "bt2020nc")),
    FidelityRow(
      name: "HDR10, MKV to MP4, libx265", input: "in.mkv", output: "out.mp4", make: video() + hdr10,
      options: "--codec libx265 --preset superfast --crf 10"),
    FidelityRow(
      name: "HDR10, MP4 to MKV, libx265", input: "in.mp4", output: "out.mkv", make: video() + hdr10,
      options: "--codec libx265 --preset superfast --crf 10"),
    FidelityRow(
      name: "HDR10, MPEG-TS to MKV, H.264", input: "in.ts", output: "out.mkv", make: video() + hdr10),
    FidelityRow(
      name: "HLG, MP4 to MP4, libx265", input: "in.mp4", output: "out.mp4",
      make: video() + hevc + "-pix_fmt yuv420p10le " + tags("bt2020", "arib-std-b67", "bt2020nc"),
      options: "--codec libx265 --preset superfast --crf 10"),
    FidelityRow(
      name: "chroma at the top left", input: "in.mp4", output: "out.mp4",
      make: video() + h264 + "-chroma_sample_location topleft"),
    FidelityRow(
      name: "chroma in the centre, MKV to MKV, libx265", input: "in.mkv", output: "out.mkv",
      make: video() + h264 + "-chroma_sample_location center",
      options: "--codec libx265 --preset superfast --crf 10"),
    FidelityRow(
      name: "pixels of 4:3, MP4 to MP4", input: "in.mp4", output: "out.mp4",
      make: video() + "-vf setsar=4/3 " + h264),
    FidelityRow(
      name: "pixels of 16:11, MKV to MOV", input: "in.mkv", output: "out.mov",
      make: video() + "-vf setsar=16/11 " + h264),
    FidelityRow(
      name: "pixels of 12:11, MKV to MKV, VP9", input: "in.mkv", output: "out.mkv",
      make: video() + "-vf setsar=12/11 " + h264, options: "--codec libvpx-vp9 --crf 10 --preset 8"),
  ]

  static func tags(_ primaries: String, _ transfer: String, _ space: String) -> String {
    "-color_primaries \(primaries) -color_trc \(transfer) -colorspace \(space) "
  }

  static let hdr10 =
    "-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params log-level=error:hdr10=1:colorprim=bt2020:"
    + "transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:master-display="
    + "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1) "

  static let interlaced: [FidelityRow] = [
    ("MPEG-2, MPEG-TS, top first", "in.ts", "-vf setfield=tff -c:v mpeg2video -q:v 2 -flags +ildct+ilme"),
    ("MPEG-2, MKV, bottom first", "in.mkv", "-vf setfield=bff -c:v mpeg2video -q:v 2 -flags +ildct+ilme -bf 2"),
    ("H.264, MP4", "in.mp4", "-vf setfield=tff -c:v libx264 -preset ultrafast -x264-params tff=1"),
  ].map { name, input, make in
    FidelityRow(
      name: "interlaced \(name)", input: input, output: "out.mp4", make: video() + make,
      after: "bwdif=mode=send_frame:parity=auto:deint=interlaced", warns: ["interlaced input is deinterlaced"])
  }

  static let sounds: [FidelityRow] = [
    FidelityRow(
      name: "two languages, MKV to MP4", input: "in.mkv", output: "out.mp4", make: video() + tone + tone + twoTracks),
    FidelityRow(
      name: "two languages, MKV to MPEG-TS", input: "in.mkv", output: "out.ts",
      make: video() + tone + tone + twoTracks,
      warns: ["the disposition 'default' of stream #2 is not kept: mpegts cannot hold it"], repacked: [1, 2]),
    FidelityRow(
      name: "AC-3 of 5.1 channels, MKV to MP4", input: "in.mkv", output: "out.mp4",
      make: video() + tone + h264 + "-c:a ac3 -ac 6"),
    FidelityRow(
      name: "MP3, MP4 to MP4", input: "in.mp4", output: "out.mp4", make: video() + tone + h264 + "-c:a libmp3lame"),
    FidelityRow(
      name: "Opus, MKV to MKV", input: "in.mkv", output: "out.mkv", make: video() + tone + h264 + "-c:a libopus"),
    FidelityRow(
      name: "audio is omitted", input: "in.mkv", output: "out.mkv", make: video() + tone + h264 + "-c:a flac",
      options: "--crf 10 --audio none", omits: [1]),
    FidelityRow(
      name: "audio longer than video", input: "in.mp4", output: "out.mp4",
      make: video() + "-f lavfi -i sine=duration=2.5 " + bFrames + "-c:a aac"),
    FidelityRow(
      name: "audio before video in the file", input: "in.mkv", output: "out.mkv",
      make: video() + tone + "-map 1 -map 0 " + h264 + "-c:a flac"),
  ]

  static let twoTracks =
    "-map 0 -map 1 -map 2 " + h264 + "-c:a aac -metadata:s:a:0 language=eng -metadata:s:a:1 language=fra "
    + "-metadata:s:a:0 title=First -metadata:s:a:1 title=Second -disposition:a:0 0 -disposition:a:1 default"

  static let subtitles: [FidelityRow] = [
    FidelityRow(
      name: "SubRip, MKV to MKV", input: "in.mkv", output: "out.mkv",
      make: video() + tone + words + h264 + "-c:a aac -c:s srt -metadata:s:s language=deu -disposition:s forced"),
    FidelityRow(
      name: "ASS, MKV to MKV", input: "in.mkv", output: "out.mkv", make: video() + words + h264 + "-c:s ass"),
    FidelityRow(
      name: "text, MP4 to MP4", input: "in.mp4", output: "out.mp4",
      make: video() + tone + words + h264 + "-c:a aac -c:s mov_text -metadata:s:s language=deu"),
    FidelityRow(
      name: "WebVTT, WebM to WebM", input: "in.webm", output: "out.webm",
      make: video() + words + vp9 + "-c:s webvtt", options: "--codec libvpx-vp9 --crf 10 --preset 8"),
    FidelityRow(
      name: "bitmap subtitles of a Blu-ray, MKV to MKV", input: "in.mkv", output: "out.mkv",
      make: video() + "-i words.sup -map 0 -map 1 " + h264 + "-c:s copy"),
    FidelityRow(
      name: "bitmap subtitles of a DVD, MKV to MKV", input: "in.mkv", output: "out.mkv",
      make: video() + "-fix_sub_duration -i words.sup -map 0 -map 1 " + h264
        + "-c:s dvdsub -metadata:s:s language=nld"),
    FidelityRow(
      name: "bitmap subtitles of DVB, MPEG-TS to MPEG-TS", input: "in.ts", output: "out.ts",
      make: video() + "-fix_sub_duration -i words.sup -map 0 -map 1 " + h264 + "-c:s dvbsub"),
  ]

  static let words = "-i words.srt "

  static let others: [FidelityRow] = [
    FidelityRow(
      name: "a cover, MP4 to MP4", input: "in.mp4", output: "out.mp4", make: video() + tone + cover("mjpeg")),
    FidelityRow(
      name: "a cover, MKV to MKV", input: "in.mkv", output: "out.mkv", make: video() + tone + attachedCover),
    FidelityRow(
      name: "a cover, MP4 to MKV", input: "in.mp4", output: "out.mkv", make: video() + tone + cover("png")),
    FidelityRow(
      name: "a cover, MKV to MP4", input: "in.mkv", output: "out.mp4", make: video() + tone + attachedCover),
    FidelityRow(
      name: "attached files, MKV to MKV", input: "in.mkv", output: "out.mkv",
      make: video() + h264 + "-attach words.srt -metadata:s:t mimetype=text/plain -metadata:s:t title=Words"),
    FidelityRow(
      name: "attached files, which MP4 cannot hold", input: "in.mkv", output: "out.mp4",
      make: video() + h264 + "-attach words.srt -metadata:s:t mimetype=text/plain",
      warns: ["#1 (attachment, none) is omitted: mp4 cannot hold"], omits: [1]),
    FidelityRow(
      name: "chapters and tags, MKV to MKV", input: "in.mkv", output: "out.mkv",
      make: video(frames: 30) + chapters + h264 + "-metadata director=Someone -metadata:s:v title=Wide"),
    FidelityRow(
      name: "chapters and tags, MKV to MP4", input: "in.mkv", output: "out.mp4",
      make: video(frames: 30) + chapters + h264),
    FidelityRow(
      name: "chapters and tags, MP4 to MKV", input: "in.mp4", output: "out.mkv",
      make: video(frames: 30) + chapters + h264),
    FidelityRow(
      name: "chapters and tags, MOV to MOV", input: "in.mov", output: "out.mov",
      make: video(frames: 30) + tone + chapters + "-map 0 -map 1 -c:a aac " + h264),
    FidelityRow(
      name: "two videos, MKV to MKV", input: "in.mkv", output: "out.mkv",
      make: video() + video("64x48") + "-map 0 -map 1 " + bFrames + "-metadata:s:v:1 title=Small"),
    FidelityRow(
      name: "two videos, the larger second", input: "in.mkv", output: "out.mkv",
      make: video("64x48") + video() + "-map 0 -map 1 " + h264 + "-disposition:v 0"),
    FidelityRow(
      name: "a timecode track, MOV to MOV", input: "in.mov", output: "out.mov",
      make: video() + h264 + "-timecode 01:00:00:00"),
  ]

  static let chapters =
    "-f ffmetadata -i chapters.txt -map_metadata 1 -metadata title=Walk -metadata artist=Nobody -metadata comment=Wet "

  static func cover(_ codec: String) -> String {
    video("64x48", frames: 1) + "-map 0 -map 1 -map 2 " + h264
      + "-c:a aac -c:v:1 \(codec) -disposition:v:1 attached_pic"
  }

  static let attachedCover = h264 + "-c:a aac -attach cover.png -metadata:s:t mimetype=image/png"
}
