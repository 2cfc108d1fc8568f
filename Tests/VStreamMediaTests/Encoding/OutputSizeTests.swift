import CVStreamLibAV
import Testing
import VStreamCore

@testable import VStreamMedia

/// Sizes that frames are scaled to.
struct OutputSizeTests {
  @Test(arguments: [
    ("1280x720", 1280, 720), ("1280:720", 1280, 720), ("160x-1", 160, 90), ("-2:45", 80, 45), ("333x-1", 333, 188),
  ])
  func `a length of -1 keeps the aspect ratio, and is even`(text: String, width: Int, height: Int) throws {
    let size = try #require(OutputSize(text))
    #expect(size.size(for: PixelSize(width: 320, height: 180)) == PixelSize(width: width, height: height))
  }

  @Test(arguments: ["", "640", "0x5", "-1x-1", "640x480x2", "axb", "99999x1", "640x", "-3x5"])
  func `other texts are no sizes`(text: String) { #expect(OutputSize(text) == nil) }

  @Test(arguments: [("100x100", 1, 1, 16, 9), ("640x360", 1, 1, 1, 1), ("640x360", 4, 3, 4, 3), ("640x-1", 4, 3, 4, 3)])
  func `pixels change their shape so that frames do not`(
    text: String, numerator: Int32, denominator: Int32, expected: Int32, over: Int32
  ) throws {
    let size = try #require(OutputSize(text))
    let source = PixelSize(width: 320, height: 180)
    let aspect = size.pixelAspect(
      AVRational(num: numerator, den: denominator), from: source, to: size.size(for: source))
    #expect(aspect.num == expected && aspect.den == over)
  }
}
