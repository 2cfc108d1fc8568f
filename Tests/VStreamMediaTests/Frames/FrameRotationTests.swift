import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Rotation and mirroring, pixel by pixel.
struct FrameRotationTests {
  /// The pixel of a stored image of a size that is shown at a position of the upright image.
  private static func source(
    _ orientation: Orientation, _ x: Int, _ y: Int, in size: PixelSize
  ) -> (x: Int, y: Int) {
    let (right, bottom) = (size.width - 1, size.height - 1)
    return switch orientation {
    case .upright: (x, y)
    case .clockwise: (y, bottom - x)
    case .upsideDown: (right - x, bottom - y)
    case .counterClockwise: (right - y, x)
    case .mirrored: (right - x, y)
    case .flipped: (x, bottom - y)
    case .transposed: (y, x)
    case .transversed: (right - y, bottom - x)
    }
  }

  static let formats = ["gray", "yuv444p", "yuv444p10le", "rgb24", "gbrp"]

  @Test(arguments: Orientation.allCases, formats)
  func `each pixel of a frame of odd size is where its orientation puts it`(
    orientation: Orientation, format: String
  ) throws {
    let size = PixelSize(width: 7, height: 5)
    let frame = try VideoFrame.filled(format, size, time: 40) { $0 * 60 + $2 * 7 + $1 + 1 }
    let upright = try frame.applying(orientation)
    let isSideways = [90, 270].contains(orientation.degrees)
    #expect(upright.size == (isSideways ? PixelSize(width: 5, height: 7) : size))
    #expect(upright.time == frame.time)
    for component in try #require(frame.format.layout).components.indices {
      let (before, after) = (try frame.values(component), try upright.values(component))
      for y in 0..<upright.size.height {
        for x in 0..<upright.size.width {
          let (sourceX, sourceY) = Self.source(orientation, x, y, in: size)
          #expect(after[y][x] == before[sourceY][sourceX], "\(format) component \(component) at \(x), \(y)")
        }
      }
    }
  }

  @Test(arguments: Orientation.allCases)
  func `subsampled frames of odd size keep all of their luma`(orientation: Orientation) throws {
    let size = PixelSize(width: 9, height: 5)
    let frame = try VideoFrame.filled("yuv420p", size) { component, x, y in component > 0 ? 128 : y * 9 + x + 16 }
    let upright = try frame.applying(orientation)
    #expect(Set(try upright.values(0).joined()) == Set(try frame.values(0).joined()))
    #expect(Set(try upright.values(1).joined()) == [128])
  }

  /// A photo with an Exif orientation, decoded.
  private func photo() throws -> VideoFrame {
    let folder = try TemporaryFolder()
    let path = folder.file("a.jpg")
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=34x21", "-frames:v", "1", path])
    let bytes = try #require(ImageFiles.bytes(of: path))
    try Data(ImageMetadata(exif: ImageMetadataTests.exif(6), profile: []).embedded(in: bytes, width: 34, height: 21))
      .write(to: URL(filePath: path))
    return try #require(try Decoded(path).frames.first)
  }

  @Test func `making a frame upright leaves other references to it as they are`() throws {
    let frame = try photo()
    let pixels = frame.pixels
    #expect(frame.orientation == .clockwise)
    let upright = try frame.applying(.clockwise)
    #expect(upright.orientation == nil)
    #expect(upright.size == PixelSize(width: 21, height: 34))
    #expect(frame.orientation == .clockwise)
    #expect(frame.pixels == pixels)
  }

  @Test func `removing the orientation copies no pixels`() throws {
    let frame = try photo()
    var copy = frame
    try copy.removeOrientation()
    #expect(copy.orientation == nil)
    #expect(copy.address == frame.address)
    #expect(copy.copyCount == 0)
  }
}
