import CVStreamLibAV
import Testing
import VStreamCore

@testable import VStreamMedia

/// The sizes that a camera offers, and its errors.
struct CameraTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let number: Int32
    let code: VStreamError.Code
    let expected: String
    let remedy: String?
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "no permission", number: EACCES, code: .unreadableInput, expected: "permission denied",
      remedy: "group video"),
    Row(name: "in use", number: EBUSY, code: .unreadableInput, expected: "in use by another program", remedy: "fuser"),
    Row(name: "unplugged", number: ENODEV, code: .inputNotFound, expected: "is not connected", remedy: "plug it in"),
    Row(name: "no camera", number: ENOTTY, code: .unreadableInput, expected: "not a camera", remedy: "try another"),
    Row(name: "something else", number: EIO, code: .unreadableInput, expected: "cannot be opened", remedy: nil),
  ]

  @Test(arguments: rows)
  func `the error of a camera has its cause and a remedy`(row: Row) {
    let error = Camera.error(.system(row.number), path: "/dev/video0")
    #expect(error.code == row.code)
    #expect(error.message.contains("'/dev/video0'"))
    #expect(error.message.contains(row.expected))
    #expect(row.remedy.map(error.remedy.contains) ?? error.remedy.isEmpty)
  }

  @Test(arguments: [ENODEV, EIO])
  func `an unplugged camera is still named as a camera`(number: Int32) {
    let failure = InputFailure(MediaInput("/dev/video987"), kind: .device, isCamera: true)
    let error = failure.reading(.system(number))
    #expect(error.code == .inputOutput)
    #expect(error.message.hasPrefix("the camera '/dev/video987'"))
    #expect(error.message.contains("was unplugged") == (number == ENODEV))
    #expect(error.remedy.contains("reconnect"))
  }

  @Test func `a range of sizes offers its ends, common sizes and the wanted one`() {
    let range = CVStreamCamera_Sizes(
      minWidth: 160, maxWidth: 1280, stepWidth: 16, minHeight: 120, maxHeight: 720, stepHeight: 8)
    let found = Camera.sizes(in: range, wanted: PixelSize(width: 176, height: 144)).map(\.description)
    #expect(found == ["160×120", "1280×720", "1024×576", "800×600", "640×480", "640×360", "320×240", "176×144"])
    let odd = Camera.sizes(in: range, wanted: PixelSize(width: 177, height: 144)).map(\.description)
    #expect(!odd.contains("177×144"), "off the steps")
  }

  @Test func `a range of one size offers that size`() {
    let range = CVStreamCamera_Sizes(
      minWidth: 640, maxWidth: 640, stepWidth: 0, minHeight: 480, maxHeight: 480, stepHeight: 0)
    #expect(Camera.sizes(in: range, wanted: nil).map(\.description) == ["640×480"])
  }

  @Test(arguments: ["/dev/null", "/dev/videoless", "/etc/hostname", "-", "rtsp://127.0.0.1/video0"])
  func `other files and URLs are not cameras`(location: String) {
    #expect(!MediaInput(location).isCamera)
  }
}
