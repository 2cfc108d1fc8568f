internal import CVStreamLibAV
internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A V4L2 camera, asked what it offers before libav opens it.
struct Camera {
  let path: String
  private let descriptor: OpenDescriptor

  /// Closes a descriptor when the last copy of the camera goes.
  private final class OpenDescriptor {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
  }

  /// Whether a path is a V4L2 device, by its number or name.
  static func isCamera(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    let major = status.st_rdev >> 8 & 0xFFF
    return major == videoMajor || path.hasPrefix("/dev/video")
  }

  /// Number that Linux gives to devices of video.
  private static let videoMajor: dev_t = 81

  /// - Throws: `VStreamError`: `inputNotFound` if it is unplugged; `unreadableInput` if it may not be read, is in use, or is
  ///   no camera.
  init(_ path: String) throws(VStreamError) {
    self.path = path
    let opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else { throw Self.error(-errno, path: path) }
    descriptor = OpenDescriptor(opened)
    let answer = CVStreamCamera_canCapture(opened)
    guard answer == 1 else { throw Self.error(answer == 0 ? -ENOTTY : answer, path: path) }
  }

  /// What a code of the system, or of libav, means for a camera.
  static func error(_ code: Int32, path: String) -> VStreamError {
    switch -code {
    case EACCES, EPERM:
      VStreamError(
        .unreadableInput, "the camera '\(path)' may not be read: permission denied",
        remedy: "add yourself to the group video (sudo usermod -aG video $USER) and log in again")
    case EBUSY:
      VStreamError(
        .unreadableInput, "the camera '\(path)' is in use by another program",
        remedy: "end that program ('fuser \(path)' names it)")
    case ENODEV, ENXIO, ENOENT:
      VStreamError(
        .inputNotFound, "the camera '\(path)' is not there any more",
        remedy: "plug it in again; 'ls /dev/video*' lists them")
    case ENOTTY, EINVAL:
      VStreamError(
        .unreadableInput, "'\(path)' is not a camera that pictures can be read from",
        remedy: "cameras often have several devices: try another one of 'ls /dev/video*'")
    default:
      VStreamError(.unreadableInput, "the camera '\(path)' cannot be opened: \(reason(code))")
    }
  }

  /// All that FFmpeg can read of what the camera offers; empty if the camera does not say.
  ///
  /// - Parameter wanted: a size that is looked for where the camera has ranges of sizes.
  func offers(alsoTrying wanted: PixelSize?) -> [CameraOffer] {
    var offers: [CameraOffer] = []
    for code in numbered({ CVStreamCamera_format(descriptor.number, $0, $1) }, UInt32(0)) {
      guard let coding = Self.coding(code) else { continue }
      let ranges = numbered({ CVStreamCamera_sizes(descriptor.number, code, $0, $1) }, CVStreamCamera_Sizes())
      for size in ranges.flatMap({ Self.sizes(in: $0, wanted: wanted) }) {
        let offer = CameraOffer(coding, size, rates: rates(code, size))
        if !offers.contains(offer) { offers.append(offer) }
      }
    }
    return offers
  }

  /// The answers to a question that is asked with 0, 1, … until there is none.
  private func numbered<Answer>(
    _ ask: (UInt32, UnsafeMutablePointer<Answer>) -> Int32, _ empty: Answer
  ) -> [Answer] {
    var answers: [Answer] = []
    while answers.count < 1000 {
      var answer = empty
      guard ask(UInt32(answers.count), &answer) == 0 else { break }
      answers.append(answer)
    }
    return answers
  }

  private func rates(_ code: UInt32, _ size: PixelSize) -> [Rational] {
    let found = numbered(
      { index, fraction in
        CVStreamCamera_rate(
          descriptor.number, code, UInt32(size.width), UInt32(size.height), index, &fraction.pointee.0,
          &fraction.pointee.1)
      }, (UInt32(0), UInt32(0)))
    return found.compactMap { $0.0 > 0 ? Rational(Int32(clamping: $0.0), Int32(clamping: $0.1)) : nil }
  }

  /// Sizes that are looked for in a range, beside its ends.
  private static let usualSizes = [
    (1920, 1080), (1280, 720), (1024, 576), (960, 540), (800, 600), (640, 480), (640, 360), (320, 240),
  ].map { PixelSize(width: $0, height: $1) }

  /// The sizes in a range that may be chosen.
  static func sizes(in range: CVStreamCamera_Sizes, wanted: PixelSize?) -> [PixelSize] {
    func holds(_ value: Int, _ least: UInt32, _ most: UInt32, _ step: UInt32) -> Bool {
      value >= Int(least) && value <= Int(most) && (value - Int(least)) % max(1, Int(step)) == 0
    }
    let ends = [
      PixelSize(width: Int(range.minWidth), height: Int(range.minHeight)),
      PixelSize(width: Int(range.maxWidth), height: Int(range.maxHeight)),
    ]
    let candidates = ends + usualSizes + (wanted.map { [$0] } ?? [])
    return candidates.filter {
      holds($0.width, range.minWidth, range.maxWidth, range.stepWidth)
        && holds($0.height, range.minHeight, range.maxHeight, range.stepHeight)
    }.reduce(into: []) { sizes, size in if !sizes.contains(size) { sizes.append(size) } }
  }

  /// FFmpeg's name for a four-character code of V4L2; `nil` for those that it does not read.
  private static func coding(_ code: UInt32) -> String? {
    let letters = (0..<4).map { Character(UnicodeScalar(UInt8(truncatingIfNeeded: code >> ($0 * 8)))) }
    return codings[String(letters)]
  }

  /// As in FFmpeg's `v4l2-common.c`.
  private static let codings = [
    "YU12": "yuv420p", "NV12": "nv12", "422P": "yuv422p", "YUYV": "yuyv422", "UYVY": "uyvy422", "411P": "yuv411p",
    "YUV9": "yuv410p", "RGBP": "rgb565le", "RGBR": "rgb565be", "BGR3": "bgr24", "RGB3": "rgb24", "BGR4": "bgr0",
    "XR24": "bgr0", "AR24": "bgra", "GREY": "gray", "Y16 ": "gray16le", "MJPG": "mjpeg", "JPEG": "mjpeg",
    "H264": "h264", "HEVC": "hevc", "MPG4": "mpeg4", "VP80": "vp8", "VP90": "vp9",
  ]
}

extension Camera {
  /// FFmpeg's options that have a camera give what is wanted, or what suits best.
  ///
  /// - Parameter options: as the user gave them; `video_size`, `framerate`, `input_format` and `pixel_format` are minded.
  /// - Throws: `VStreamError.usage` for values that cannot be meant or are not offered.
  func options(completing options: [(key: String, value: String)]) throws(VStreamError) -> [(
    key: String, value: String
  )] {
    // Who asks for a list, or for another input or standard of a card, knows better.
    let known: Set = ["list_formats", "list_standards", "standard", "channel"]
    if options.contains(where: { known.contains($0.key) }) { return [] }
    func value(_ key: String) -> String? { options.last { $0.key == key }?.value }
    let size = try value("video_size").map(Self.size)
    let rate = try value("framerate").map(Self.rate)
    let offers = offers(alsoTrying: size)
    if offers.isEmpty { return [] }
    let mode = try CameraMode.choose(
      from: offers, size: size, rate: rate, coding: value("input_format") ?? value("pixel_format"))
    var chosen = [(key: "video_size", value: "\(mode.size.width)x\(mode.size.height)"), ("input_format", mode.coding)]
    if let rate = mode.rate { chosen.append(("framerate", rate.description)) }
    return chosen
  }

  private static func size(_ text: String) throws(VStreamError) -> PixelSize {
    var (width, height): (Int32, Int32) = (0, 0)
    guard av_parse_video_size(&width, &height, text) >= 0 else {
      throw VStreamError(
        .usage, "'video_size=\(text)' is not a size (--input-option)", remedy: "give for example video_size=1280x720")
    }
    return PixelSize(width: Int(width), height: Int(height))
  }

  private static func rate(_ text: String) throws(VStreamError) -> Double {
    var rate = AVRational()
    guard av_parse_video_rate(&rate, text) >= 0, let known = Rational(rate) else {
      throw VStreamError(
        .usage, "'framerate=\(text)' is not a rate (--input-option)", remedy: "give for example framerate=30")
    }
    return known.value
  }
}
