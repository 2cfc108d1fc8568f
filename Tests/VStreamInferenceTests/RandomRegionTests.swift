import Testing
import VStreamCore
import VStreamInference
import VStreamMedia
import VStreamTestSupport

/// Random frames, regions and tensor formats against the plain reference.
struct RandomRegionTests {
  /// All depths from 8 to 16 bits, all chroma shifts, packed and planar.
  static let formats = [
    "yuv410p", "yuv411p", "yuvj422p", "yuv420p9le", "yuv422p10le", "yuv444p14le", "yuv420p16le", "yuva444p10le", "nv12",
    "nv21", "p010le", "uyvy422", "gray12le", "gray16le", "ya8", "rgba64le", "gbrp12le", "argb",
  ]

  private static func tensorFormat(_ numbers: inout SeededNumbers) -> TensorFormat {
    let outside: [TensorFormat.Outside] = [.edge, .black, .level(114)]
    func vector(_ numbers: inout SeededNumbers) -> SIMD3<Float> {
      SIMD3(Float(1 + numbers.below(9)) / 4, Float(1 + numbers.below(9)) / 4, Float(1 + numbers.below(9)) / 4)
    }
    return TensorFormat(
      size: PixelSize(width: 1 + numbers.below(27), height: 1 + numbers.below(12)),
      order: numbers.below(2) == 0 ? .rgb : .bgr, layout: numbers.below(2) == 0 ? .interleaved : .planar,
      filter: numbers.below(2) == 0 ? .bilinear : .triangle, outside: outside[numbers.below(3)],
      alignment: numbers.below(2) == 0 ? .centers : .corners, scale: vector(&numbers), offset: vector(&numbers))
  }

  /// A region in hundredths of pixels that no pixel's centre of the tensor puts exactly on the frame's edge.
  private static func region(_ numbers: inout SeededNumbers, _ size: PixelSize) -> Box {
    Box(
      x: Double(numbers.below(200 * size.width) - 100 * size.width) / 100 + 0.0037,
      y: Double(numbers.below(200 * size.height) - 100 * size.height) / 100 + 0.0041,
      width: Double(1 + numbers.below(200 * size.width)) / 100 + 0.0053,
      height: Double(1 + numbers.below(200 * size.height)) / 100 + 0.0059)
  }

  @Test(arguments: formats)
  func `a tensor equals the reference for any region and tensor format`(name: String) throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      var numbers = SeededNumbers(seed: seed)
      let size = PixelSize(width: 1 + numbers.below(45), height: 1 + numbers.below(31))
      let frame = try FrameMaker.noise(name, size)
      let format = Self.tensorFormat(&numbers)
      var sampler = RegionSampler(format)
      let reference = ReferenceSampler(format: format)
      let box = Self.region(&numbers, size)
      let upright = try maximumDifference(sampler.tensor(frame, region: box), reference.sample(frame, region: box))
      #expect(upright <= 0.05, "seed \(seed): \(size), \(box), \(format)")
      var rotated = RotatedBox(box)
      rotated.angle = Double(1 + numbers.below(620)) / 100
      let rotatedDifference = try maximumDifference(
        sampler.tensor(frame, region: rotated), reference.sample(frame, region: rotated))
      #expect(rotatedDifference <= 0.05, "seed \(seed): \(size), \(rotated), \(format)")
    }
  }

  @Test(arguments: [TensorFormat.Filter.bilinear, .triangle], ["yuv420p", "yuv422p10le", "nv12", "rgb24", "gray16le"])
  func `a plain frame gives the same colour at every size and place`(filter: TensorFormat.Filter, name: String) throws {
    let frame = try FrameMaker.plain(name, PixelSize(width: 13, height: 7), [90, 120, 140])
    var first: [Float] = []
    for seed in 1...8 as ClosedRange<UInt64> {
      var numbers = SeededNumbers(seed: seed)
      let size = PixelSize(width: 1 + numbers.below(20), height: 1 + numbers.below(20))
      var sampler = RegionSampler(TensorFormat(size: size, filter: filter))
      let tensor = try sampler.tensor(frame, region: Self.region(&numbers, frame.size))
      if first.isEmpty { first = Array(tensor.prefix(3)) }
      for (index, value) in tensor.enumerated() { #expect(abs(value - first[index % 3]) < 0.01) }
    }
  }

  @Test func `layout and order only change where a value is stored`() throws {
    let frame = try FrameMaker.noise("yuv420p", PixelSize(width: 31, height: 22))
    let region = Box(x: 2.3, y: 1.1, width: 20.2, height: 17.9)
    let size = PixelSize(width: 9, height: 5)
    func tensor(_ order: TensorFormat.ChannelOrder, _ layout: TensorFormat.Layout) throws -> [Float] {
      var sampler = RegionSampler(TensorFormat(size: size, order: order, layout: layout))
      return try sampler.tensor(frame, region: region)
    }
    let pixels = try tensor(.rgb, .interleaved)
    let (planar, swapped) = (try tensor(.rgb, .planar), try tensor(.bgr, .interleaved))
    let both = try tensor(.bgr, .planar)
    for pixel in 0..<45 {
      for channel in 0..<3 {
        let value = pixels[pixel * 3 + channel]
        #expect(planar[channel * 45 + pixel] == value)
        #expect(swapped[pixel * 3 + 2 - channel] == value)
        #expect(both[(2 - channel) * 45 + pixel] == value)
      }
    }
  }

  @Test func `an array is filled like a span, and a failed call leaves the sampler usable`() throws {
    let frame = try FrameMaker.noise("yuv420p", PixelSize(width: 8, height: 6))
    var sampler = RegionSampler(TensorFormat(size: PixelSize(width: 3, height: 2), filter: .triangle))
    let region = Box(x: 1, y: 1, width: 5, height: 4)
    let expected = try sampler.tensor(frame, region: region)
    var values = [Float](repeating: .nan, count: 18)
    try sampler.sample(frame, region: RotatedBox(region), into: &values)
    #expect(values == expected)
    var short = [Float](repeating: 7, count: 17)
    #expect(throws: VStreamError.self) { try sampler.sample(frame, region: RotatedBox(region), into: &short) }
    #expect(short == [Float](repeating: 7, count: 17), "nothing is written on failure")
    try sampler.sample(frame, region: RotatedBox(region), into: &values)
    #expect(values == expected)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `an angle that is not finite is refused`(angle: Double) throws {
    let frame = try FrameMaker.noise("gray", PixelSize(width: 4, height: 4))
    var sampler = RegionSampler(TensorFormat(size: PixelSize(width: 2, height: 2)))
    let region = RotatedBox(center: Point(x: 2, y: 2), width: 4, height: 4, angle: angle)
    let error = #expect(throws: VStreamError.self) { try sampler.tensor(frame, region: region) }
    #expect(error?.code == .library)
  }

  private func maximumDifference(_ tensor: [Float], _ reference: [Double]) -> Double {
    zip(tensor, reference).map { $0.isFinite ? abs(Double($0) - $1) : .infinity }.max() ?? .infinity
  }
}
