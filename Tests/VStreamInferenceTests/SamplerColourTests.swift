import Foundation
import Testing
import VStreamCore
import VStreamInference
import VStreamMedia
import VStreamTestSupport

/// Colours are correct, whatever values they are stored as.
@Suite struct SamplerColourTests {
  struct KnownColour: Sendable, CustomTestStringConvertible {
    let format: String
    let stored: [Int]
    let red: Float
    let green: Float
    let blue: Float
    var testDescription: String { "\(format) \(stored)" }

    init(_ format: String, _ stored: [Int], _ red: Float, _ green: Float, _ blue: Float) {
      self.format = format
      self.stored = stored
      (self.red, self.green, self.blue) = (red, green, blue)
    }
  }

  /// Computed by hand from ITU-T H.273; frames are lower than 720 lines, so BT.601.
  static let known = [
    // Limited range: black, white, and values beyond them.
    KnownColour("yuv444p", [16, 128, 128], 0, 0, 0),
    KnownColour("yuv444p", [235, 128, 128], 255, 255, 255),
    KnownColour("yuv444p", [0, 128, 128], 0, 0, 0),
    KnownColour("yuv444p", [255, 128, 128], 255, 255, 255),
    KnownColour("yuv444p", [126, 128, 128], 128.08, 128.08, 128.08),
    // (126 − 16) ÷ 219 = 0.50228; red + 1.402 · 32 ÷ 224 = 0.70257, green − 0.71414 · 32 ÷ 224 = 0.40026.
    KnownColour("yuv444p", [126, 128, 160], 179.15, 102.07, 128.08),
    // Blue + 1.772 · 28 ÷ 224 = 0.72378, green − 0.34414 · 28 ÷ 224 = 0.45927.
    KnownColour("yuv444p", [126, 156, 128], 128.08, 117.11, 184.56),
    // The full range, as in JPEG: 76 + 1.402 · 127 and so on.
    KnownColour("yuvj444p", [0, 128, 128], 0, 0, 0),
    KnownColour("yuvj444p", [255, 128, 128], 255, 255, 255),
    KnownColour("yuvj444p", [76, 85, 255], 254.05, 0.1, 0),
    // More bits: the same colours, four times the values.
    KnownColour("yuv444p10le", [64, 512, 512], 0, 0, 0),
    KnownColour("yuv444p10le", [940, 512, 512], 255, 255, 255),
    KnownColour("yuv444p10le", [504, 512, 640], 179.15, 102.07, 128.08),
    KnownColour("p010le", [504, 512, 640], 179.15, 102.07, 128.08),
    KnownColour("gray", [126], 128.08, 128.08, 128.08),
    KnownColour("rgb24", [10, 20, 30], 10, 20, 30),
    KnownColour("bgra", [10, 20, 30], 10, 20, 30),
    KnownColour("gbrp", [10, 20, 30], 10, 20, 30),
    KnownColour("gbrp10le", [1023, 0, 512], 255, 0, 127.62),
  ]

  @Test(arguments: known) func hasTheKnownColour(_ colour: KnownColour) throws {
    let size = PixelSize(width: 6, height: 4)
    let frame = try FrameMaker.plain(colour.format, size, colour.stored)
    var sampler = RegionSampler(TensorFormat(size: PixelSize(width: 1, height: 1)))
    let tensor = try sampler.tensor(frame, region: Box(x: 0, y: 0, width: 6, height: 4))
    for (found, expected) in zip(tensor, [colour.red, colour.green, colour.blue]) {
      #expect(abs(found - expected) < 0.06, "\(tensor)")
    }
  }

  struct Tagging: Sendable, CustomTestStringConvertible {
    let matrix: String
    let range: String
    var testDescription: String { "\(matrix) \(range)" }
  }

  static let taggings = ["bt709", "smpte170m", "bt2020nc"].flatMap { matrix in
    ["tv", "pc"].map { Tagging(matrix: matrix, range: $0) }
  }

  static let colours: [[UInt8]] = [
    [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [200, 150, 90], [30, 90, 160], [128, 128, 128],
  ]

  /// Colours that FFmpeg encoded with a matrix and a range, and tagged with them, are restored.
  @Test(arguments: taggings) func followsTheTags(_ tagging: Tagging) throws {
    let folder = try TemporaryFolder()
    let source = folder.file("colours.ppm")
    try Self.bars.write(to: URL(filePath: source))
    let encoded = folder.file("colours.mkv")
    let name = tagging.matrix == "bt2020nc" ? "bt2020" : tagging.matrix
    try Program.ffmpeg([
      "-i", source, "-vf", "scale=out_color_matrix=\(name):out_range=\(tagging.range),format=yuv444p", "-c:v", "ffv1",
      "-colorspace", tagging.matrix, "-color_range", tagging.range, encoded,
    ])
    let frame = try firstFrame(of: encoded)
    var sampler = RegionSampler(TensorFormat(size: PixelSize(width: Self.colours.count, height: 1)))
    let tensor = try sampler.tensor(frame, region: Box(x: 0, y: 0, width: Double(frame.size.width), height: 16))
    for (index, colour) in Self.colours.enumerated() {
      // Eight bits of luma and chroma leave up to two steps of error in a colour.
      for channel in 0..<3 {
        #expect(
          abs(tensor[index * 3 + channel] - Float(colour[channel])) <= 2.5, "colour \(colour), channel \(channel)")
      }
    }
  }

  /// An image (PPM) of a bar of each colour, 16 pixels wide and high.
  private static let bars: Data = {
    let row = colours.flatMap { colour in (0..<16).flatMap { _ in colour } }
    return Data("P6\n\(colours.count * 16) 16\n255\n".utf8) + Data((0..<16).flatMap { _ in row })
  }()

  private func firstFrame(of path: String) throws -> VideoFrame {
    let media = try MediaReader(MediaInput(path))
    let decoder = try VideoDecoder(media.video)
    while case .packet(let packet) = try media.next() {
      if let frame = try decoder.decode(packet).frames.first { return frame }
    }
    return try #require(try decoder.decode(nil).frames.first)
  }
}
