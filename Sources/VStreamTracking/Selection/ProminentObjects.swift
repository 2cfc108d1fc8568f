package import VStreamCore

/// Selects the most prominent objects: large, central, and with a high score.
///
/// An object that was selected before stays unless another is clearly more prominent, so that two similar objects do not
/// alternate.
package struct ProminentObjects: Hashable, Sendable {
  /// The maximum number of objects per frame.
  package let limit: Int
  /// IDs of the last selection.
  private var selected: Set<Int> = []

  /// How much more prominent an object must be to replace a selected one, as a factor.
  private static let hysteresis = 1.25
  /// The loss of prominence from the frame's centre to a corner, as a fraction.
  private static let cornerLoss = 0.5

  /// - Parameter limit: 1 or more.
  package init(limit: Int) { self.limit = max(1, limit) }

  /// The most prominent objects of a frame, in the order of the input.
  ///
  /// - Parameter frame: its size.
  package mutating func select(_ objects: [DetectedObject], in frame: PixelSize) -> [DetectedObject] {
    guard objects.count > limit else {
      selected = Set(objects.compactMap(\.id))
      return objects
    }
    let weights = objects.map { object in
      let isKnown = object.id.map(selected.contains) ?? false
      return Self.prominence(of: object, in: frame) * (isKnown ? Self.hysteresis : 1)
    }
    // Of equal objects the first one.
    let order = objects.indices.sorted { (-weights[$0], $0) < (-weights[$1], $1) }
    let selection = order.prefix(limit).sorted().map { objects[$0] }
    selected = Set(selection.compactMap(\.id))
    return selection
  }

  /// The square root of the fraction of the frame that an object fills, times its score, reduced by its distance from the
  /// centre; 0…1.
  static func prominence(of object: DetectedObject, in frame: PixelSize) -> Double {
    guard let box = object.box.clipped(to: frame) else { return 0 }
    let (width, height) = (Double(max(1, frame.width)), Double(max(1, frame.height)))
    let extent = (box.area / (width * height)).squareRoot()
    let (x, y) = (box.center.x / width * 2 - 1, box.center.y / height * 2 - 1)
    let distance = ((x * x + y * y) / 2).squareRoot()
    return extent * object.score * (1 - cornerLoss * distance)
  }
}

/// Keeps the value with the highest score for each face ID until the ID ends.
///
/// Holds at most one value per ID that has not ended.
package struct BestFaces<Value> {
  private var best: [Int: (score: Double, value: Value)] = [:]

  package init() {}

  /// The number of IDs with a value.
  package var count: Int { best.count }

  /// Whether a value of this score would replace the current one. Of equal scores the first one stays; NaN is never kept.
  package func accepts(_ score: Double, for id: Int) -> Bool { score > best[id]?.score ?? -.infinity }

  /// Keeps a value if its score is higher than the current one's.
  package mutating func offer(_ value: Value, score: Double, for id: Int) {
    if accepts(score, for: id) { best[id] = (score, value) }
  }

  /// Ends IDs.
  ///
  /// - Returns: their values by ascending ID, for the IDs that have one.
  package mutating func end(_ ids: [Int]) -> [(id: Int, value: Value)] {
    Set(ids).sorted().compactMap { id in best.removeValue(forKey: id).map { (id, $0.value) } }
  }

  /// Ends all IDs.
  ///
  /// - Returns: their values by ascending ID.
  package mutating func endAll() -> [(id: Int, value: Value)] { end(Array(best.keys)) }
}
