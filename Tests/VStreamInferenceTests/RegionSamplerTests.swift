import Testing
import VStreamCore
import VStreamInference
import VStreamMedia
import VStreamTestSupport

/// Every pixel format, odd sizes, regions inside, across and beyond the edges, both filters, all orders: as the reference.
@Suite struct RegionSamplerTests {
  static let formats = [
    "yuv420p", "yuvj420p", "yuv422p", "yuv444p", "yuv440p", "yuv411p", "nv12", "nv21", "yuyv422", "uyvy422",
    "yuva420p", "yuv420p10le", "yuv422p10le", "yuv444p12le", "p010le", "gray", "gray10le", "rgb24", "bgr24", "bgra",
    "gbrp", "gbrp10le",
  ]
  static let sizes = [(1, 1), (2, 3), (7, 5), (33, 17)].map(PixelSize.init)

  private static let regions: [(name: String, of: @Sendable (Double, Double) -> Box)] = [
    ("all of it", { Box(x: 0, y: 0, width: $0, height: $1) }),
    ("a part, between pixels", { Box(x: $0 * 0.21, y: $1 * 0.33, width: $0 * 0.4, height: $1 * 0.5) }),
    ("less than a pixel", { Box(x: $0 * 0.5, y: $1 * 0.5, width: 0.3, height: 0.2) }),
    ("beyond the top left", { Box(x: -$0 * 0.6, y: -$1 * 0.7, width: $0, height: $1) }),
    ("beyond the bottom right", { Box(x: $0 * 0.6, y: $1 * 0.7, width: $0, height: $1) }),
    ("beyond all edges", { Box(x: -$0, y: -$1 * 2, width: $0 * 3, height: $1 * 5) }),
    ("wholly outside", { Box(x: $0 + 9, y: -$1 - 9, width: 4, height: 4) }),
  ]

  private static let targets = [
    TensorFormat(size: PixelSize(width: 5, height: 4), filter: .bilinear),
    TensorFormat(size: PixelSize(width: 5, height: 4), filter: .triangle),
    TensorFormat(size: PixelSize(width: 11, height: 9), order: .bgr, layout: .planar, filter: .bilinear),
    TensorFormat(
      size: PixelSize(width: 3, height: 10), layout: .planar, filter: .triangle,
      scale: SIMD3(repeating: 1 / 127.5), offset: SIMD3(repeating: -1)),
    TensorFormat(
      size: PixelSize(width: 1, height: 1), order: .bgr, filter: .triangle, scale: SIMD3(2, 3, 4),
      offset: SIMD3(7, -8, 9)),
    TensorFormat(
      size: PixelSize(width: 6, height: 7), outside: .black, scale: SIMD3(repeating: 1 / 127.5),
      offset: SIMD3(repeating: -1)),
    TensorFormat(size: PixelSize(width: 4, height: 3), layout: .planar, filter: .triangle, outside: .black),
    TensorFormat(
      size: PixelSize(width: 5, height: 4), order: .bgr, layout: .planar, outside: .level(114),
      scale: SIMD3(0.5, 1, 2), offset: SIMD3(-1, 0, 3)),
    TensorFormat(size: PixelSize(width: 6, height: 3), outside: .black, alignment: .corners),
    TensorFormat(size: PixelSize(width: 19, height: 6), scale: SIMD3(2, 3, 4), offset: SIMD3(7, -8, 9)),
    TensorFormat(size: PixelSize(width: 3, height: 5), filter: .triangle, alignment: .corners),
  ]

  private static let angles = [0.3, -0.8, 1.57, 3.0, -2.5]

  @Test(arguments: formats, sizes) func equalsTheReference(format: String, size: PixelSize) throws {
    let frame = try FrameMaker.noise(format, size)
    for target in Self.targets {
      var sampler = RegionSampler(target)
      let reference = ReferenceSampler(format: target)
      for region in Self.regions {
        let box = region.of(Double(size.width), Double(size.height))
        let difference = try maximumDifference(sampler.tensor(frame, region: box), reference.sample(frame, region: box))
        #expect(difference <= 0.01 * Double(target.scale.max()), "\(region.name), \(target)")
      }
    }
  }

  /// Rotated regions inside, across and beyond the edges.
  @Test(arguments: formats, sizes) func equalsTheReferenceWhenRotated(format: String, size: PixelSize) throws {
    let frame = try FrameMaker.noise(format, size)
    for target in Self.targets {
      var sampler = RegionSampler(target)
      let reference = ReferenceSampler(format: target)
      for (index, region) in Self.regions.enumerated() {
        var box = RotatedBox(region.of(Double(size.width), Double(size.height)))
        box.angle = Self.angles[index % Self.angles.count]
        let difference = try maximumDifference(sampler.tensor(frame, region: box), reference.sample(frame, region: box))
        #expect(difference <= 0.01 * Double(target.scale.max()), "\(region.name), \(target)")
      }
    }
  }

  /// The rectangle's own top left corner comes first, wherever it lies in the frame.
  @Test func rotatesUpright() throws {
    let frame = try FrameMaker.frame("gray", PixelSize(width: 4, height: 4)) { _, x, y in
      x < 2 ? (y < 2 ? 16 : 80) : 235
    }
    var sampler = RegionSampler(TensorFormat(size: PixelSize(width: 2, height: 2)))
    let quarter = RotatedBox(center: Point(x: 2, y: 2), width: 4, height: 4, angle: .pi / 2)
    let tensor = try sampler.tensor(frame, region: quarter)
    let gray = stride(from: 0, to: tensor.count, by: 3).map { tensor[$0] }
    // Top right, bottom right; top left, bottom left of the frame, as rotated clockwise.
    for (found, expected) in zip(gray, [255, 255, 0, 74.52] as [Float]) { #expect(abs(found - expected) < 0.01) }
  }

  /// BT.709 from 720 lines on, if the stream has no tag.
  @Test(arguments: [719, 720]) func matrixFollowsFromTheHeight(height: Int) throws {
    let size = PixelSize(width: 2, height: height)
    let frame = try FrameMaker.noise("yuv420p", size)
    let target = TensorFormat(size: PixelSize(width: 2, height: 9))
    let region = Box(x: 0, y: 0, width: 2, height: Double(height))
    var sampler = RegionSampler(target)
    let difference = try maximumDifference(
      sampler.tensor(frame, region: region), ReferenceSampler(format: target).sample(frame, region: region))
    #expect(difference <= 0.01)
  }

  @Test func adaptsToFramesThatChange() throws {
    var sampler = RegionSampler(TensorFormat(size: PixelSize(width: 4, height: 4)))
    let region = Box(x: 0, y: 0, width: 8, height: 8)
    for (format, size) in [("gray", 8), ("gray", 9), ("yuv420p", 9), ("rgb24", 9), ("gray", 8)] {
      let frame = try FrameMaker.noise(format, PixelSize(width: size, height: size))
      let expected = try ReferenceSampler(format: sampler.format).sample(frame, region: region)
      #expect(try maximumDifference(sampler.tensor(frame, region: region), expected) <= 0.01, "\(format) \(size)")
    }
  }

  @Test func refusesATensorOfAnotherSize() throws {
    var sampler = RegionSampler(TensorFormat(size: PixelSize(width: 4, height: 4)))
    let frame = try FrameMaker.noise("gray", PixelSize(width: 4, height: 4))
    let error = #expect(throws: VStreamError.self) {
      var tensor = [Float](repeating: 0, count: 16)
      var span = tensor.mutableSpan
      try sampler.sample(frame, region: Box(x: 0, y: 0, width: 4, height: 4), into: &span)
    }
    #expect(error?.message == "a tensor of 16 floats for 4×4 pixels")
  }

  @Test(arguments: [
    Box(x: 0, y: 0, width: 0, height: 4), Box(x: 0, y: 0, width: 4, height: -4),
    Box(x: .nan, y: 0, width: 4, height: 4), Box(x: 0, y: 0, width: .infinity, height: 4),
    Box(x: 0, y: -1e9, width: 4, height: 4),
  ])
  func refusesInvalidRegions(region: Box) throws {
    var sampler = RegionSampler(TensorFormat(size: PixelSize(width: 4, height: 4)))
    let frame = try FrameMaker.noise("gray", PixelSize(width: 4, height: 4))
    let error = #expect(throws: VStreamError.self) { try sampler.tensor(frame, region: region) }
    #expect(error?.message.hasSuffix("are not a valid region of a frame") == true)
  }

  @Test func refusesPixelsThatCannotBeAddressed() throws {
    let size = PixelSize(width: 4, height: 4)
    let format = try #require(PixelFormat(name: "rgb565le"))
    let frame = try VideoFrame(format: format, size: size, time: Time(ticks: 0, base: .milliseconds))
    var sampler = RegionSampler(TensorFormat(size: size))
    let error = #expect(throws: VStreamError.self) {
      try sampler.tensor(frame, region: Box(x: 0, y: 0, width: 4, height: 4))
    }
    #expect(error?.message == "frames of format rgb565le cannot be sampled")
  }

  private func maximumDifference(_ tensor: [Float], _ reference: [Double]) -> Double {
    zip(tensor, reference).map { $0.isFinite ? abs(Double($0) - $1) : .infinity }.max() ?? .infinity
  }
}
