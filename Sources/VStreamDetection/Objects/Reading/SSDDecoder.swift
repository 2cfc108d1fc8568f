package import VStreamCore
internal import VStreamInference

#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads the outputs of SSD MobileNetV2 as trained on COCO: box encodings relative to anchors, and class scores.
///
/// Sources: W. Liu et al., "SSD: Single Shot MultiBox Detector", 2016; the pipeline configuration
/// `ssd_mobilenet_v2_coco` of the TensorFlow detection model zoo (anchors, box coder, suppression).
package struct SSDDecoder: Sendable {
  /// A reference box in fractions of the input.
  struct Anchor: Hashable {
    let centerX: Float
    let centerY: Float
    let width: Float
    let height: Float
  }

  /// Objects with lower scores are not read.
  package let minimumScore: Float
  /// Boxes of a class that overlap more than this are of one object.
  package static let maximumIoU = 0.6
  /// The most objects that are kept.
  package static let limit = 100

  let anchors: [Anchor]

  /// - Parameter input: size of the network's input; the anchors are as large in its pixels as they were in training.
  package init(input: PixelSize = SSDDecoder.trainedInput, minimumScore: Double) {
    anchors = Self.makeAnchors(input)
    self.minimumScore = Float(minimumScore)
  }

  /// Size of the images that the network was trained with.
  package static let trainedInput = PixelSize(width: 300, height: 300)

  /// - Parameters:
  ///   - encodings: `[1, anchors, 4]`, of 1917 anchors for the input of training: offset of the centre (y, x) and logarithm of
  ///     the size (height, width) relative to the anchor, scaled by 10, 10, 5, 5.
  ///   - scores: `[1, anchors, 80]`: 0…1 per class of COCO.
  ///   - region: the part of the frame that the input shows, in pixels.
  ///   - frame: size of the frame; boxes are clipped to it, as in the network's training data.
  ///   - isWanted: whether a class is read.
  /// - Returns: objects without IDs, best first.
  package func decode(
    encodings: Span<Float>, scores: Span<Float>, region: Box, frame: PixelSize, isWanted: (Int) -> Bool = { _ in true }
  ) -> [DetectedObject] {
    let classes = ClassList.coco.names
    let count = classes.count
    guard encodings.count == anchors.count * 4, scores.count == anchors.count * count else { return [] }
    let minimum = minimumScore
    var candidates: [DetectedObject] = []
    candidates.reserveCapacity(Self.limit)
    for anchor in anchors.indices {
      let row = anchor * count
      // Most anchors have no high score: one vectorised pass over all classes finds out, within the bounds checked above.
      var isAnyHigh: UInt32 = 0
      var index = row
      while index < row &+ count {
        isAnyHigh |= scores[unchecked: index] >= minimum ? 1 : 0
        index &+= 1
      }
      guard isAnyHigh != 0 else { continue }
      for classIndex in classes.indices where scores[row + classIndex] >= minimumScore && isWanted(classIndex) {
        guard let box = box(of: anchor, encodings, in: region).clipped(to: frame) else { continue }
        candidates.append(
          DetectedObject(
            classIndex: classIndex, label: classes[classIndex], score: Double(scores[row + classIndex]), box: box))
      }
    }
    return nonMaximumSuppression(consume candidates, maximumIoU: Self.maximumIoU, limit: Self.limit)
  }

  private func box(of index: Int, _ encodings: Span<Float>, in region: Box) -> Box {
    let anchor = anchors[index]
    let centerY = encodings[index * 4] / 10 * anchor.height + anchor.centerY
    let centerX = encodings[index * 4 + 1] / 10 * anchor.width + anchor.centerX
    let height = expf(encodings[index * 4 + 2] / 5) * anchor.height
    let width = expf(encodings[index * 4 + 3] / 5) * anchor.width
    return Box(
      center: Point(x: region.x + Double(centerX) * region.width, y: region.y + Double(centerY) * region.height),
      width: Double(width) * region.width, height: Double(height) * region.height)
  }

  /// The anchors, map by map, row by row.
  private static func makeAnchors(_ input: PixelSize) -> [Anchor] {
    let across = Float(trainedInput.width) / Float(input.width)
    let down = Float(trainedInput.height) / Float(input.height)
    // Each of the network's steps halves its map: four before the first that is read.
    func halved(_ size: PixelSize) -> PixelSize {
      PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
    }
    var maps = [(0..<4).reduce(input) { size, _ in halved(size) }]
    for _ in 1..<6 { maps.append(halved(maps[maps.count - 1])) }
    let scales: [Float] = (0...5).map { 0.2 + (0.95 - 0.2) * Float($0) / 5 } + [1]
    return maps.indices.flatMap { map -> [Anchor] in
      let between = (scales[map] * scales[map + 1]).squareRoot()
      let lowest: [(Float, Float)] = [(0.1, 1), (scales[0], 2), (scales[0], 0.5)]
      let ratios: [Float] = [1, 2, 0.5, 3, 0.3333]
      let shapes: [(Float, Float)] = map == 0 ? lowest : ratios.map { (scales[map], $0) } + [(between, Float(1))]
      let (columns, rows) = (maps[map].width, maps[map].height)
      return (0..<columns * rows).flatMap { cell in
        let column = Float(cell % columns)
        let row = Float(cell / columns)
        return shapes.map { scale, ratio in
          Anchor(
            centerX: (column + 0.5) / Float(columns), centerY: (row + 0.5) / Float(rows),
            width: across * scale * ratio.squareRoot(), height: down * scale / ratio.squareRoot())
        }
      }
    }
  }
}
