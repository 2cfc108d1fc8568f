internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A box that a network reports, in the pixels of its input.
struct RawDetection: Hashable, Sendable {
  /// As the network numbers them.
  var classIndex: Int
  /// 0…1.
  var score: Float
  var box: Box
}

/// Collects the valid detections of an output.
struct RawDetectionList {
  let minimumScore: Float
  private(set) var detections: [RawDetection] = []

  /// Scores up to this are 1 but for rounding; higher ones are invalid.
  private static let maximumScore: Float = 1.001
  /// Class numbers from this on are invalid.
  private static let classNumberLimit = 1e6

  init(minimumScore: Float) { self.minimumScore = minimumScore }

  /// Ignores lower scores and boxes without an area.
  mutating func append(_ classIndex: Int, _ score: Float, _ box: Box) {
    guard score >= minimumScore, score <= Self.maximumScore, !box.isEmpty else { return }
    detections.append(RawDetection(classIndex: classIndex, score: min(1, score), box: box))
  }

  /// The same for a class that is given as a floating-point number.
  mutating func append(classNumber: Double, _ score: Float, _ box: Box) {
    guard classNumber.rounded() >= 0, classNumber < Self.classNumberLimit else { return }
    append(Int(classNumber.rounded()), score, box)
  }
}

/// The cells of a network's input at several strides: stride by stride, row by row.
struct CellGrid {
  struct Cell {
    /// Pixels of the input from one cell to the next.
    let stride: Int
    let column: Int
    let row: Int

    /// In pixels of the input.
    var center: Point {
      Point(x: (Double(column) + 0.5) * Double(stride), y: (Double(row) + 0.5) * Double(stride))
    }
  }

  static let three = [8, 16, 32]
  static let four = [8, 16, 32, 64]

  private let input: PixelSize
  private let strides: [Int]

  init(_ input: PixelSize, strides: [Int] = CellGrid.three) {
    self.input = input
    self.strides = strides
  }

  /// The number of cells at all strides.
  var count: Int { strides.reduce(0) { $0 + columns($1) * rows($1) } }

  func forEach(_ body: (Cell) -> Void) {
    for stride in strides {
      for row in 0..<rows(stride) {
        for column in 0..<columns(stride) { body(Cell(stride: stride, column: column, row: row)) }
      }
    }
  }

  private func columns(_ stride: Int) -> Int { (input.width + stride - 1) / stride }
  private func rows(_ stride: Int) -> Int { (input.height + stride - 1) / stride }
}

/// Boxes whose sides are given by their distances from a point, each as a distribution over 8 bins.
///
/// Source: X. Li et al., "Generalized Focal Loss", 2020.
enum DistanceDistribution {
  /// The bins of one distance.
  static let binCount = 8
  /// The values of one box: the distances to the left, top, right and bottom.
  static let valueCount = 4 * binCount

  /// - Parameters:
  ///   - values: `valueCount` logits.
  ///   - stride: pixels of one bin.
  static func box(around center: Point, _ values: ArraySlice<Float>, stride: Int) -> Box {
    let distances = (0..<4).map { side in
      mean(ofBins: values.dropFirst(binCount * side).prefix(binCount)) * Double(stride)
    }
    return Box(
      left: center.x - distances[0], top: center.y - distances[1], right: center.x + distances[2],
      bottom: center.y + distances[3])
  }

  /// The mean of a distribution that is given by logits.
  private static func mean(ofBins bins: ArraySlice<Float>) -> Double {
    let highest = bins.max() ?? 0
    let weights = bins.map { exp(Double($0 - highest)) }
    return weights.enumerated().map { Double($0.offset) * $0.element }.reduce(0, +) / weights.reduce(0, +)
  }
}
