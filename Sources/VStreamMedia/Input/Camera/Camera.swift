internal import CVStreamLibAV
internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A V4L2 camera, whose formats, sizes and rates are queried before libav opens it.
struct Camera {
  let path: String
  private let descriptor: OpenDescriptor

  /// Closes the descriptor with the last copy of the camera.
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

  /// Linux's major device number of video devices.
  private static let videoMajor: dev_t = 81

  /// - Throws: `VStreamError`: `inputNotFound` if it is unplugged; `unreadableInput` if access is denied, it is in use, or
  ///   it is not a camera.
  init(_ path: String) throws(VStreamError) {
    self.path = path
    let opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else { throw Self.error(.system(errno), path: path) }
    descriptor = OpenDescriptor(opened)
    let canCapture = LibAVCode(CVStreamCamera_canCapture(opened))
    if canCapture.isFailure { throw Self.error(canCapture, path: path) }
    if canCapture.rawValue == 0 { throw Self.error(.system(ENOTTY), path: path) }
  }

  /// The error of a camera that cannot be opened.
  static func error(_ code: LibAVCode, path: String) -> VStreamError {
    switch code.systemError {
    case EACCES, EPERM:
      VStreamError(
        .unreadableInput, "the camera '\(path)' cannot be read: permission denied",
        remedy: "add yourself to the group video (sudo usermod -aG video $USER) and log in again")
    case EBUSY:
      VStreamError(
        .unreadableInput, "the camera '\(path)' is in use by another program",
        remedy: "end that program ('fuser \(path)' names it)")
    case ENODEV, ENXIO, ENOENT:
      VStreamError(
        .inputNotFound, "the camera '\(path)' is not connected",
        remedy: "plug it in again; 'ls /dev/video*' lists them")
    case ENOTTY, EINVAL:
      VStreamError(
        .unreadableInput, "'\(path)' is not a camera that frames can be read from",
        remedy: "cameras often have several devices: try another one of 'ls /dev/video*'")
    default:
      VStreamError(.unreadableInput, "the camera '\(path)' cannot be opened: \(code.reason)")
    }
  }

  /// The modes that the camera offers and FFmpeg can read; empty if the driver does not list them.
  ///
  /// - Parameter wanted: A size to include where the camera offers ranges of sizes.
  func offers(including wanted: PixelSize?) -> [CameraOffer] {
    var offers: [CameraOffer] = []
    for code in enumerate({ CVStreamCamera_format(descriptor.number, $0, $1) }, UInt32(0)) {
      guard let coding = Self.formatName(code) else { continue }
      let ranges = enumerate({ CVStreamCamera_sizes(descriptor.number, code, $0, $1) }, CVStreamCamera_Sizes())
      for size in ranges.flatMap({ Self.sizes(in: $0, wanted: wanted) }) {
        let offer = CameraOffer(coding, size, rates: rates(code, size))
        if !offers.contains(offer) { offers.append(offer) }
      }
    }
    return offers
  }

  /// The items of a V4L2 enumeration: the results of a query with the index 0, 1, … until one fails.
  private func enumerate<Item>(
    _ query: (UInt32, UnsafeMutablePointer<Item>) -> Int32, _ initial: Item
  ) -> [Item] {
    var items: [Item] = []
    // Limited, as a driver may never fail.
    while items.count < 1000 {
      var item = initial
      guard !LibAVCode(query(UInt32(items.count), &item)).isFailure else { break }
      items.append(item)
    }
    return items
  }

  private func rates(_ code: UInt32, _ size: PixelSize) -> [Rational] {
    let found = enumerate(
      { index, fraction in
        CVStreamCamera_rate(
          descriptor.number, code, UInt32(size.width), UInt32(size.height), index, &fraction.pointee.0,
          &fraction.pointee.1)
      }, (UInt32(0), UInt32(0)))
    return found.compactMap { $0.0 > 0 ? Rational(Int32(clamping: $0.0), Int32(clamping: $0.1)) : nil }
  }

  /// The sizes that are offered of a range, beside its ends.
  private static let commonSizes = [
    (1920, 1080), (1280, 720), (1024, 576), (960, 540), (800, 600), (640, 480), (640, 360), (320, 240),
  ].map { PixelSize(width: $0, height: $1) }

  /// The sizes that are offered of a range: its ends, common ones and the wanted one.
  static func sizes(in range: CVStreamCamera_Sizes, wanted: PixelSize?) -> [PixelSize] {
    func contains(_ value: Int, _ minimum: UInt32, _ maximum: UInt32, _ step: UInt32) -> Bool {
      value >= Int(minimum) && value <= Int(maximum) && (value - Int(minimum)) % max(1, Int(step)) == 0
    }
    let ends = [
      PixelSize(width: Int(range.minWidth), height: Int(range.minHeight)),
      PixelSize(width: Int(range.maxWidth), height: Int(range.maxHeight)),
    ]
    let candidates = ends + commonSizes + (wanted.map { [$0] } ?? [])
    return candidates.filter {
      contains($0.width, range.minWidth, range.maxWidth, range.stepWidth)
        && contains($0.height, range.minHeight, range.maxHeight, range.stepHeight)
    }.reduce(into: []) { sizes, size in if !sizes.contains(size) { sizes.append(size) } }
  }

  /// FFmpeg's name of a pixel format or codec by its V4L2 code; `nil` if FFmpeg does not read it.
  private static func formatName(_ code: UInt32) -> String? {
    let letters = (0..<4).map { Character(UnicodeScalar(UInt8(truncatingIfNeeded: code >> ($0 * 8)))) }
    return formatNames[String(letters)]
  }

  /// Source: FFmpeg's `v4l2-common.c`.
  private static let formatNames = [
    "YU12": "yuv420p", "NV12": "nv12", "422P": "yuv422p", "YUYV": "yuyv422", "UYVY": "uyvy422", "411P": "yuv411p",
    "YUV9": "yuv410p", "RGBP": "rgb565le", "RGBR": "rgb565be", "BGR3": "bgr24", "RGB3": "rgb24", "BGR4": "bgr0",
    "XR24": "bgr0", "AR24": "bgra", "GREY": "gray", "Y16 ": "gray16le", "MJPG": "mjpeg", "JPEG": "mjpeg",
    "H264": "h264", "HEVC": "hevc", "MPG4": "mpeg4", "VP80": "vp8", "VP90": "vp9",
  ]
}

extension Camera {
  /// FFmpeg's options for the mode that suits the user's options best.
  ///
  /// - Parameter options: The user's; `video_size`, `framerate`, `input_format` and `pixel_format` restrict the mode.
  /// - Throws: `VStreamError.usage` for values that are invalid or not offered.
  func options(completing options: [(key: String, value: String)]) throws(VStreamError) -> [(
    key: String, value: String
  )] {
    // With these, the user lists the modes, or selects the input or standard of a capture card.
    let manual: Set = ["list_formats", "list_standards", "standard", "channel"]
    if options.contains(where: { manual.contains($0.key) }) { return [] }
    func value(_ key: String) -> String? { options.last { $0.key == key }?.value }
    let size = try value("video_size").map(Self.size)
    let rate = try value("framerate").map(Self.rate)
    let offers = offers(including: size)
    if offers.isEmpty { return [] }
    let mode = try CameraMode.choose(
      from: offers, size: size, rate: rate, coding: value("input_format") ?? value("pixel_format"))
    var chosen = [(key: "video_size", value: "\(mode.size.width)x\(mode.size.height)"), ("input_format", mode.coding)]
    if let rate = mode.rate { chosen.append(("framerate", rate.description)) }
    return chosen
  }

  private static func size(_ text: String) throws(VStreamError) -> PixelSize {
    var (width, height): (Int32, Int32) = (0, 0)
    guard !LibAVCode(av_parse_video_size(&width, &height, text)).isFailure else {
      throw .unknownValue(
        "video_size=\(text)", of: .inputOption, expected: "a size", remedy: "set for example video_size=1280x720")
    }
    return PixelSize(width: Int(width), height: Int(height))
  }

  static func rate(_ text: String) throws(VStreamError) -> Double {
    var rate = AVRational()
    guard !LibAVCode(av_parse_video_rate(&rate, text)).isFailure, let parsed = Rational(rate) else {
      throw .unknownValue(
        "framerate=\(text)", of: .inputOption, expected: "a frame rate", remedy: "set for example framerate=30")
    }
    return parsed.value
  }
}
