import Testing
import VStreamCore
import VStreamMedia

/// The mode that is chosen from the offers of a camera.
struct CameraModeTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let offers: [CameraOffer]
    var size: PixelSize?
    var rate: Double?
    var coding: String?
    let mode: CameraMode
    var testDescription: String { name }
  }

  private static func offer(_ coding: String, _ width: Int, _ height: Int, _ rates: [Int32]) -> CameraOffer {
    CameraOffer(coding, PixelSize(width: width, height: height), rates: rates.compactMap { Rational($0, 1) })
  }

  private static func mode(_ coding: String, _ width: Int, _ height: Int, _ rate: Int32?) -> CameraMode {
    CameraMode(coding, PixelSize(width: width, height: height), rate: rate.flatMap { Rational($0, 1) })
  }

  private static let vga = PixelSize(width: 640, height: 480)
  private static let hd = PixelSize(width: 1280, height: 720)

  /// USB 2 is slow for large raw frames.
  private static let webcam = [
    offer("yuyv422", 640, 480, [30, 15]), offer("yuyv422", 1280, 720, [10, 5]), offer("yuyv422", 1920, 1080, [5]),
    offer("mjpeg", 640, 480, [30, 15]), offer("mjpeg", 1280, 720, [30, 15]), offer("mjpeg", 1920, 1080, [30]),
    offer("h264", 1280, 720, [30]), offer("h264", 1920, 1080, [30]),
  ]

  static let rows = [
    Row(name: "the usual webcam", offers: webcam, mode: mode("mjpeg", 1280, 720, 30)),
    Row(name: "raw where it is fast enough", offers: webcam, size: vga, mode: mode("yuyv422", 640, 480, 30)),
    Row(name: "the next rate that is not slower", offers: webcam, rate: 12, mode: mode("mjpeg", 1280, 720, 15)),
    Row(name: "raw at a low rate", offers: webcam, size: hd, rate: 10, mode: mode("yuyv422", 1280, 720, 10)),
    Row(
      name: "a rate given as a television's", offers: webcam, size: hd, rate: 29.97, mode: mode("mjpeg", 1280, 720, 30)),
    Row(
      name: "a large size that is wanted", offers: webcam, size: PixelSize(width: 1920, height: 1080),
      mode: mode("mjpeg", 1920, 1080, 30)),
    Row(name: "a codec that is wanted", offers: webcam, coding: "h264", mode: mode("h264", 1280, 720, 30)),
    Row(
      name: "a pixel format that is wanted, though slow", offers: webcam, size: hd, coding: "yuyv422",
      mode: mode("yuyv422", 1280, 720, 10)),
    Row(
      name: "a pixel format that is wanted, at the largest size that is fast", offers: webcam, coding: "yuyv422",
      mode: mode("yuyv422", 640, 480, 30)),
    Row(
      name: "H.264 where there is no Motion JPEG", offers: webcam.filter { $0.coding != "mjpeg" },
      mode: mode("h264", 1280, 720, 30)),
    Row(
      name: "25 where 30 is not offered",
      offers: [offer("yuyv422", 720, 576, [25]), offer("mjpeg", 1280, 720, [15])],
      mode: mode("yuyv422", 720, 576, 25)),
    Row(
      name: "the fastest where all are slow",
      offers: [offer("yuyv422", 1280, 720, [5]), offer("yuyv422", 640, 480, [12, 5]), offer("gray", 640, 480, [12])],
      mode: mode("yuyv422", 640, 480, 12)),
    Row(
      name: "the smallest where all are large",
      offers: [offer("yuyv422", 3840, 2160, [30]), offer("yuyv422", 1920, 1080, [30])],
      mode: mode("yuyv422", 1920, 1080, 30)),
    Row(
      name: "formats that encoders take, then colour, then gray",
      offers: ["gray", "bgr24", "yuyv422", "nv12"].map { offer($0, 640, 480, [30]) }, mode: mode("nv12", 640, 480, 30)),
    Row(
      name: "the lowest sufficient rate", offers: [offer("yuyv422", 640, 480, [120, 60, 50, 25])],
      mode: mode("yuyv422", 640, 480, 50)),
    Row(
      name: "rates that are not listed", offers: [offer("yuyv422", 640, 480, [])], mode: mode("yuyv422", 640, 480, nil)),
  ]

  @Test(arguments: rows)
  func `the best offer is chosen, whatever their order`(row: Row) throws {
    for offers in [row.offers, row.offers.reversed()] {
      let chosen = try CameraMode.choose(from: offers, size: row.size, rate: row.rate, coding: row.coding)
      #expect(chosen == row.mode)
    }
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let name: String
    var size: PixelSize?
    var rate: Double?
    var coding: String?
    let expected: String
    var testDescription: String { name }
  }

  static let refusals = [
    Refusal(name: "a size", size: PixelSize(width: 800, height: 600), expected: "video_size=800x600"),
    Refusal(name: "a rate", rate: 60, expected: "framerate=60"),
    Refusal(name: "a rate at a size", size: hd, rate: 31, expected: "video_size=1280x720, framerate=31"),
    Refusal(name: "a format", coding: "nv12", expected: "input_format=nv12"),
    Refusal(name: "a format at a size", size: vga, coding: "h264", expected: "video_size=640x480, input_format=h264"),
  ]

  @Test(arguments: refusals)
  func `a mode that is not offered is refused, and the offered ones are listed`(row: Refusal) throws {
    let error = failure {
      _ = try CameraMode.choose(from: Self.webcam, size: row.size, rate: row.rate, coding: row.coding)
    }
    #expect(error?.code == .usage)
    #expect(error?.message == "the camera does not offer \(row.expected) (inputOption)")
    #expect(
      error?.remedy == """
        it offers yuyv422: 1920x1080 (up to 5 fps), 1280x720 (up to 10 fps), 640x480 (up to 30 fps); \
        mjpeg: 1920x1080 (up to 30 fps), 1280x720 (up to 30 fps), 640x480 (up to 30 fps); \
        h264: 1920x1080 (up to 30 fps), 1280x720 (up to 30 fps)
        """)
  }

  @Test func `without offers nothing can be chosen`() {
    let error = failure { _ = try CameraMode.choose(from: [], size: Self.hd, rate: nil, coding: nil) }
    #expect(error?.code == .usage)
  }
}
