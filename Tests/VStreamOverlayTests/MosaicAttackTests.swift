import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamOverlay

/// The attack on a mosaic under which a face moves slowly: each frame shows the means of other places of the face, and least
/// squares over all of them give a picture of it.
struct MosaicAttackTests {
  private static let side = 96
  private static let frames = 75
  /// Pixels a frame.
  private static let speed = Point(x: 0.58, y: 0.66)
  private static let start = Point(x: 24, y: 24)
  private static let frameSize = PixelSize(width: 200, height: 200)
  private static let background = 90.0

  /// The face, 0…255, row by row.
  private static func face() throws -> [Double] {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-i", Checkout.root.appending(path: ".deps/footage/astronaut.png").path, "-vf",
      "crop=100:110:175:72,scale=\(side):\(side),format=gray", "-f", "rawvideo", folder.file("face.gray"),
    ])
    return try Data(contentsOf: URL(filePath: folder.file("face.gray"))).map(Double.init)
  }

  /// The face's top left corner on a frame.
  private static func corner(_ frame: Int) -> Point {
    Point(x: start.x + speed.x * Double(frame), y: start.y + speed.y * Double(frame))
  }

  /// The frame with the face, moved by fractions of a pixel.
  private static func frame(_ index: Int, _ face: [Double]) throws -> VideoFrame {
    let corner = corner(index)
    let (left, top) = (Int(corner.x), Int(corner.y))
    let (partX, partY) = (corner.x - Double(left), corner.y - Double(top))
    func value(_ column: Int, _ row: Int) -> Double {
      (0..<side).contains(column) && (0..<side).contains(row) ? face[row * side + column] : background
    }
    let format = try #require(PixelFormat(name: "gray"))
    return try VideoFrame(format: format, size: frameSize) { _, x, y in
      let (column, row) = (x - left, y - top)
      let upper = value(column, row) * (1 - partX) + value(column - 1, row) * partX
      let lower = value(column, row - 1) * (1 - partX) + value(column - 1, row - 1) * partX
      return Int((upper * (1 - partY) + lower * partY).rounded())
    }
  }

  /// What the attacker reconstructs from the output, who knows how the face moves, and sees the cells.
  private static func reconstruction(isTracked: Bool, _ face: [Double]) throws -> [Double] {
    var numbers = SeededNumbers(seed: 9)
    var painter = RedactionPainter(.mosaic)
    var outputs: [Output] = []
    for index in 0..<frames {
      let corner = corner(index)
      // As a detector sees it, to within a pixel.
      let box = Box(
        x: corner.x + Double(numbers.below(3)) - 1, y: corner.y + Double(numbers.below(3)) - 1, width: Double(side),
        height: Double(side))
      var redacted = try frame(index, face)
      try painter.redact(
        [RedactedEllipse(Ellipse(around: box), extent: Double(side), id: isTracked ? 1 : nil)], in: &redacted)
      outputs.append(
        Output(
          values: samples(redacted).map(\.value), left: Int(corner.x.rounded()), top: Int(corner.y.rounded())))
    }
    var estimate = [Double](repeating: 128, count: side * side)
    for _ in 0..<8 {
      for output in outputs { output.project(onto: &estimate) }
    }
    return estimate
  }

  /// A redacted frame, and where the face is in it.
  private struct Output {
    let values: [Int]
    let left: Int
    let top: Int
    private let phase: (x: Int, y: Int)
    private static let cell = 24

    init(values: [Int], left: Int, top: Int) {
      (self.values, self.left, self.top) = (values, left, top)
      let width = frameSize.width
      // Most neighbours differ at the cells' edges.
      func phase(_ step: Int, from first: Int) -> Int {
        let differences = (0..<Self.cell).map { offset in
          stride(from: first + offset, to: first + side, by: Self.cell).reduce(0) { sum, along in
            sum
              + (0..<side).reduce(0) { line, across in
                let place = step == 1 ? (top + across) * width + along : along * width + left + across
                return line + abs(values[place] - values[place - step])
              }
          }
        }
        let most = differences.indices.max { differences[$0] < differences[$1] } ?? 0
        return (first + most) % Self.cell
      }
      self.phase = (phase(1, from: left), phase(width, from: top))
    }

    /// Corrects the estimate so that its means over the cells are those of the frame.
    func project(onto estimate: inout [Double]) {
      func cells(_ phase: Int, from first: Int) -> [Range<Int>] {
        let start = first - (first - phase + Self.cell) % Self.cell
        return stride(from: start, to: first + side, by: Self.cell).map {
          max($0 - first, 0)..<min($0 - first + Self.cell, side)
        }
      }
      for row in cells(phase.y, from: top) {
        for column in cells(phase.x, from: left) where row.count * column.count > Self.cell * Self.cell * 3 / 10 {
          let place =
            (top + row.lowerBound + row.count / 2) * frameSize.width + left + column.lowerBound + column.count / 2
          // The rest of the cell is background.
          let (all, count) = (Double(Self.cell * Self.cell), Double(row.count * column.count))
          let shown = (Double(values[place]) * all - background * (all - count)) / count
          var sum = 0.0
          for y in row { for x in column { sum += estimate[y * side + x] } }
          let correction = 0.5 * (shown - sum / count)
          for y in row { for x in column { estimate[y * side + x] += correction } }
        }
      }
    }
  }

  private static func correlation(_ one: [Double], _ other: [Double]) -> Double {
    func centred(_ values: [Double]) -> [Double] {
      let middle = (12..<side - 12).flatMap { y in (12..<side - 12).map { values[y * side + $0] } }
      let mean = middle.reduce(0, +) / Double(middle.count)
      return middle.map { $0 - mean }
    }
    let (a, b) = (centred(one), centred(other))
    func product(_ x: [Double], _ y: [Double]) -> Double { zip(x, y).reduce(0) { $0 + $1.0 * $1.1 } }
    return product(a, b) / (product(a, a) * product(b, b)).squareRoot()
  }

  @Test func `many frames of a face that moves slowly show no more than one`() throws {
    let face = try Self.face()
    let fixed = Self.correlation(try Self.reconstruction(isTracked: false, face), face)
    let moving = Self.correlation(try Self.reconstruction(isTracked: true, face), face)
    #expect(fixed > 0.65, "the attack succeeds where the cells are those of the frame: \(fixed)")
    #expect(moving < 0.45, "\(moving)")
  }
}
