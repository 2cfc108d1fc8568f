import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

struct FaceCropTests {
  private static func face(_ box: Box, tilt: Double? = nil) -> DetectedFace {
    var face = DetectedFace(score: 1, box: box)
    face.angles = tilt.map { HeadAngles(x: 0, y: 0, z: $0) }
    return face
  }

  /// A frame with a colour for each pixel.
  private static func frame(_ width: Int, _ height: Int, _ color: (Int, Int) -> [UInt8]) throws -> VideoFrame {
    let rgb = (0..<height).flatMap { y in (0..<width).flatMap { x in color(x, y) } }
    return try VideoFrame(rgb: rgb, size: PixelSize(width: width, height: height))
  }

  /// The colour of a pixel.
  private static func color(_ image: VideoFrame, _ x: Int, _ y: Int) -> [Int] {
    image.withPlanes { planes in
      guard let base = planes.bases[0] else { return [] }
      let pixel = base + y * planes.strides[0] + 3 * x
      return (0..<3).map { Int(pixel.load(fromByteOffset: $0, as: UInt8.self)) }
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let box: Box
    let size: PixelSize
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "unscaled, with a margin of three tenths on each side",
      box: Box(x: 50, y: 50, width: 50, height: 100),
      size: PixelSize(width: 80, height: 160)),
    Row(
      name: "a face of 8 pixels is not enlarged", box: Box(x: 9, y: 9, width: 8, height: 8),
      size: PixelSize(width: 13, height: 13)),
    Row(
      name: "a face of less than a pixel", box: Box(x: 9, y: 9, width: 0.2, height: 0.2),
      size: PixelSize(width: 1, height: 1)),
    Row(
      name: "the longest side", box: Box(x: 0, y: 0, width: 320, height: 320),
      size: PixelSize(width: 512, height: 512)),
    Row(
      name: "a large face is reduced, with its aspect ratio", box: Box(x: 0, y: 0, width: 1000, height: 500),
      size: PixelSize(width: 512, height: 256)),
    Row(
      name: "a face across the frame's edge keeps its aspect ratio", box: Box(x: -60, y: 0, width: 100, height: 100),
      size: PixelSize(width: 160, height: 160)),
  ]

  @Test(arguments: rows) func `a crop's size follows from the face's`(row: Row) throws {
    let frame = try Self.frame(200, 200) { _, _ in [10, 20, 30] }
    for tilt in [nil, 0, 30] as [Double?] {
      #expect(try FaceCrop.image(of: Self.face(row.box, tilt: tilt), in: frame).size == row.size)
    }
  }

  /// Coloured points at the corners of a tilted square are at the corners of the crop.
  @Test(arguments: [-45.0, -20, 0, 10, 33, 90])
  func `a face is rotated upright about its centre`(tilt: Double) throws {
    let colors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]]
    // Counter-clockwise as seen: what was to the right of the middle is above it.
    let (cosine, sine) = (cos(tilt * .pi / 180), sin(tilt * .pi / 180))
    let offsets = [(-30.0, -30.0), (30, -30), (-30, 30), (30, 30)]
    let corners = offsets.map { x, y in (x: 100 + x * cosine + y * sine, y: 100 - x * sine + y * cosine) }
    let frame = try Self.frame(200, 200) { x, y in
      let (x, y) = (Double(x) + 0.5, Double(y) + 0.5)
      let index = corners.firstIndex { abs($0.x - x) < 6 && abs($0.y - y) < 6 }
      return index.map { colors[$0] } ?? [90, 90, 90]
    }
    let crop = try FaceCrop.image(
      of: Self.face(Box(x: 50, y: 50, width: 100, height: 100), tilt: tilt), in: frame)
    #expect(crop.size == PixelSize(width: 160, height: 160))
    for (offset, color) in zip(offsets, colors) {
      #expect(Self.color(crop, 80 + Int(offset.0), 80 + Int(offset.1)) == color.map(Int.init))
    }
    #expect(Self.color(crop, 80, 80) == [90, 90, 90])
  }

  @Test(arguments: [0.0, 25]) func `beyond the frame's edge a crop is black`(tilt: Double) throws {
    let frame = try Self.frame(100, 100) { _, _ in [200, 150, 100] }
    let crop = try FaceCrop.image(of: Self.face(Box(x: -50, y: 0, width: 100, height: 100), tilt: tilt), in: frame)
    #expect(Self.color(crop, 5, 80) == [0, 0, 0])
    #expect(Self.color(crop, 130, 80) == [200, 150, 100])
  }

  @Test func `a large face is reduced without aliasing`() throws {
    let frame = try Self.frame(640, 640) { x, _ in x % 2 == 0 ? [0, 0, 0] : [255, 255, 255] }
    let crop = try FaceCrop.image(of: Self.face(Box(x: 120, y: 120, width: 400, height: 400), tilt: 3), in: frame)
    #expect(crop.size == PixelSize(width: 512, height: 512))
    let levels = stride(from: 60, to: 450, by: 7).map { Self.color(crop, $0, 256)[0] }
    #expect((levels.min() ?? 0) > 40 && (levels.max() ?? 255) < 215, "\(levels)")
  }

  @Test func `a face outside the frame or of infinite size has no crop`() {
    let size = PixelSize(width: 100, height: 100)
    let rows: [(Box, Bool)] = [
      (Box(x: 10, y: 10, width: 20, height: 20), true), (Box(x: -19, y: 10, width: 20, height: 20), true),
      (Box(x: -20, y: 10, width: 20, height: 20), false), (Box(x: 10, y: 10, width: 0, height: 20), false),
      (Box(x: .nan, y: 10, width: 20, height: 20), false), (Box(x: -1e6, y: 10, width: 2e6, height: 20), false),
    ]
    for (box, isPossible) in rows { #expect(FaceCrop.isPossible(of: Self.face(box), in: size) == isPossible, "\(box)") }
  }
}

struct FaceSharpnessTests {
  private static let size = PixelSize(width: 64, height: 64)

  /// Squares of random shades, 8 pixels wide.
  private static func pattern(seed: UInt64) -> [Float] {
    var numbers = SeededNumbers(seed: seed)
    let shades = (0..<64).map { _ in Float(40 + numbers.below(160)) }
    return (0..<64 * 64).map { index in shades[index / 64 / 8 * 8 + index % 64 / 8] }
  }

  /// Each pixel the mean of those up to `radius` beside, above and below it.
  private static func blurred(_ luma: [Float], _ radius: Int) -> [Float] {
    (0..<64 * 64).map { index in
      var (sum, count): (Float, Float) = (0, 0)
      for y in max(0, index / 64 - radius)...min(63, index / 64 + radius) {
        for x in max(0, index % 64 - radius)...min(63, index % 64 + radius) {
          sum += luma[y * 64 + x]
          count += 1
        }
      }
      return sum / count
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func `the more blurred, the less sharp`(seed: UInt64) {
    let pattern = Self.pattern(seed: seed)
    let sharpness = (0...5).map { FaceSharpness.of(Self.blurred(pattern, $0), Self.size) }
    for (sharper, softer) in zip(sharpness, sharpness.dropFirst()) { #expect(sharper > softer, "\(sharpness)") }
    #expect(sharpness.allSatisfy { $0 > 0 && $0 < 1 })
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `brightness and contrast hardly matter`(seed: UInt64) {
    let pattern = Self.pattern(seed: seed)
    let plain = FaceSharpness.of(pattern, Self.size)
    #expect(abs(FaceSharpness.of(pattern.map { $0 + 50 }, Self.size) - plain) < 0.001)
    #expect(abs(FaceSharpness.of(pattern.map { 60 + $0 / 2 }, Self.size) - plain) < 0.05)
  }

  @Test func `a flat surface has no sharpness, nor has an image of a few pixels`() {
    #expect(FaceSharpness.of([Float](repeating: 128, count: 64 * 64), Self.size) == 0)
    #expect(FaceSharpness.of([0, 255, 0, 255], PixelSize(width: 2, height: 2)) == 0)
  }

  @Test func `a face of a frame is measured within its box`() throws {
    var numbers = SeededNumbers(seed: 7)
    let rgb = (0..<200 * 200).flatMap { index -> [UInt8] in
      let shade = index % 200 < 100 ? 128 : UInt8(numbers.below(256))
      return [shade, shade, shade]
    }
    let frame = try VideoFrame(rgb: rgb, size: PixelSize(width: 200, height: 200))
    let sharpness = try [10.0, 110].map { x in
      try FaceSharpness.measured(of: DetectedFace(score: 1, box: Box(x: x, y: 20, width: 80, height: 80)), in: frame)
    }
    #expect(sharpness[0] == 0)
    #expect(sharpness[1] > 0.5)
  }
}
