import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

/// The shots of drawn scenes and of real footage.
struct ShotDetectorTests {
  /// A wide picture of rectangles of random size and brightness.
  private struct Scenery {
    static let size = PixelSize(width: 480, height: 270)
    private static let width = 1440
    private var pixels: [Float]

    init(seed: UInt64) {
      var numbers = SeededNumbers(seed: seed)
      pixels = [Float](repeating: 120, count: Self.width * Self.size.height)
      for _ in 0..<900 {
        let (x, y) = (numbers.below(Self.width), numbers.below(Self.size.height))
        let (width, height, level) = (4 + numbers.below(60), 4 + numbers.below(50), Float(20 + numbers.below(200)))
        for row in y..<min(Self.size.height, y + height) {
          for column in x..<min(Self.width, x + width) { pixels[row * Self.width + column] = level }
        }
      }
    }

    /// The view of a camera that is panned to the right by some pixels.
    func view(at x: Int = 0) -> [Float] {
      (0..<Self.size.height).flatMap { row in pixels[row * Self.width + x..<row * Self.width + x + Self.size.width] }
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// The shots of the frames from the eleventh on; ten are of one view.
    let shots: [Int]
    let frames: @Sendable (UInt64) -> [[Float]]
    var testDescription: String { name }
  }

  private static func scaled(_ view: [Float], by gain: Float, plus level: Float = 0) -> [Float] {
    view.map { min(255, $0 * gain + level) }
  }

  /// A view with another in front of a part of it, from a column on.
  private static func covered(_ view: [Float], by other: [Float], from column: Int) -> [Float] {
    let width = Scenery.size.width
    return view.indices.map { index in
      let x = index % width - column
      return (0..<width).contains(x) ? other[index - column] : view[index]
    }
  }

  static let rows = [
    Row(name: "nothing moves", shots: [0, 0, 0]) { seed in
      [[Float]](repeating: Scenery(seed: seed).view(), count: 3)
    },
    Row(name: "a cut", shots: [1, 1, 1]) { seed in
      [[Float]](repeating: Scenery(seed: seed + 100).view(), count: 3)
    },
    Row(name: "a cut to white", shots: [1, 1, 1]) { _ in
      [[Float]](repeating: [Float](repeating: 255, count: Scenery.size.width * Scenery.size.height), count: 3)
    },
    Row(name: "three shots", shots: [1, 1, 2, 2]) { seed in
      [100, 100, 200, 200].map { Scenery(seed: seed + $0).view() }
    },
    Row(name: "each frame is another", shots: [Int](repeating: 1, count: 10)) { seed in
      (0..<10).map { Scenery(seed: seed + 100 * (1 + UInt64($0))).view() }
    },
    Row(name: "a flash", shots: [1, 1, 0, 0]) { seed in
      let view = Scenery(seed: seed).view()
      return [scaled(view, by: 0, plus: 255), scaled(view, by: 0, plus: 255), view, view]
    },
    Row(name: "a flash in which something is still seen", shots: [0, 0]) { seed in
      let view = Scenery(seed: seed).view()
      return [scaled(view, by: 0.5, plus: 120), view]
    },
    Row(name: "the exposure is halved", shots: [0, 0]) { seed in
      [[Float]](repeating: scaled(Scenery(seed: seed).view(), by: 0.5), count: 2)
    },
    Row(name: "a fade to black and back", shots: [Int](repeating: 0, count: 17)) { seed in
      (-8...8).map { scaled(Scenery(seed: seed).view(), by: Float(abs($0)) / 8) }
    },
    Row(name: "a pan", shots: [0, 0, 0, 0, 0]) { seed in (1...5).map { Scenery(seed: seed).view(at: 20 * $0) } },
    Row(name: "a fast pan", shots: [0, 0, 0, 0, 0]) { seed in (1...5).map { Scenery(seed: seed).view(at: 70 * $0) } },
    Row(name: "something passes in front of the camera", shots: [Int](repeating: 0, count: 19)) { seed in
      let (view, other) = (Scenery(seed: seed).view(), Scenery(seed: seed + 100).view())
      return (-9...9).map { covered(view, by: other, from: 48 * $0) }
    },
    Row(name: "half of the picture is damaged for two frames", shots: [0, 0, 0]) { seed in
      let view = Scenery(seed: seed).view()
      let grey = view.indices.map { $0 / 8 % 2 == 0 && $0 / Scenery.size.width % 16 < 8 ? 128 : view[$0] }
      return [grey, grey, view]
    },
  ]

  @Test(arguments: rows, [UInt64(1), 2, 3])
  func `frames belong to the shots that a viewer sees`(row: Row, seed: UInt64) throws {
    var detector = ShotDetector()
    let before = [[Float]](repeating: Scenery(seed: seed).view(), count: 10)
    let shots = try (before + row.frames(seed)).enumerated().map { index, pixels in
      try detector.next(Self.frame(pixels, index, seed: seed))
    }
    #expect(shots == [Int](repeating: 0, count: 10) + row.shots)
  }

  /// A frame with noise, 25 a second.
  private static func frame(_ pixels: [Float], _ index: Int, seed: UInt64) throws -> VideoFrame {
    var numbers = SeededNumbers(seed: seed &* 1000 &+ UInt64(index))
    let time = Time(ticks: Int64(40 * index), base: .milliseconds)
    var frame = try VideoFrame(format: try #require(PixelFormat(name: "gray")), size: Scenery.size, time: time)
    try frame.withMutablePlanes { planes in
      guard let base = planes.bases[0] else { return }
      for y in 0..<Scenery.size.height {
        for x in 0..<Scenery.size.width {
          let level = pixels[y * Scenery.size.width + x] + Float(numbers.below(5)) - 2
          base.storeBytes(of: UInt8(max(0, min(255, level))), toByteOffset: y * planes.strides[0] + x, as: UInt8.self)
        }
      }
    }
    return frame
  }

  @Test func `after a restart nothing is compared with what was before`() throws {
    var detector = ShotDetector()
    for index in 0..<10 { #expect(try detector.next(Self.frame(Scenery(seed: 1).view(), index, seed: 1)) == 0) }
    detector.restart()
    #expect(try detector.next(Self.frame(Scenery(seed: 2).view(), 10, seed: 1)) == 0)
    #expect(try detector.next(Self.frame(Scenery(seed: 3).view(), 11, seed: 1)) == 1)
  }

  struct Clip: CustomTestStringConvertible, Sendable {
    let name: String
    let frameCount: Int
    /// The numbers of the frames that begin a shot, as viewed.
    let cuts: [Int]
    /// One frame of this many is examined.
    let step: Int
    var testDescription: String { "\(name), every \(step)" }
  }

  static let clips = [1, 3].flatMap { step in
    [
      Clip(name: "bikes.mp4", frameCount: 250, cuts: [30, 76, 137, 187, 242], step: step),
      Clip(name: "animation.avi", frameCount: 270, cuts: [1, 98, 154, 200], step: step),
      Clip(name: "street.avi", frameCount: 300, cuts: [], step: step),
      Clip(name: "face.mp4", frameCount: 120, cuts: [], step: step),
      Clip(name: "face-panning.mp4", frameCount: 150, cuts: [], step: step),
      Clip(name: "shapes-exits.mp4", frameCount: 200, cuts: [], step: step),
    ]
  }

  @Test(arguments: clips)
  func `the shots of real footage begin where it is cut`(clip: Clip) throws {
    var detector = ShotDetector()
    var begun: [Int] = []
    let numbers = Array(stride(from: 0, to: clip.frameCount, by: clip.step))
    var shot = 0
    for (number, frame) in zip(numbers, try SampleFrames.read(clip.name, at: numbers)) {
      let next = try detector.next(frame)
      if next != shot { begun.append(number) }
      shot = next
    }
    #expect(begun == clip.cuts.map { ($0 + clip.step - 1) / clip.step * clip.step })
  }
}
