public import VStreamScene

/// Keeps the most prominent of what was found: what is large, in the middle, and surely what it is said to be.
///
/// Who was kept before stays unless another is clearly more prominent, so that two alike do not take turns.
public struct ProminentObjects: Hashable, Sendable {
  /// At most so many are kept of a frame.
  public let limit: Int
  /// IDs of what was kept last.
  private var kept: Set<Int> = []

  /// By how much another has to be more prominent to take the place of one that was kept before.
  private static let loyalty = 1.25
  /// What is in a corner of the frame counts so much less than what is in its middle.
  private static let cornerLoss = 0.5

  /// - Parameter limit: 1 or more.
  public init(limit: Int) { self.limit = max(1, limit) }

  /// The most prominent objects of a frame, in the order in which they were given.
  ///
  /// - Parameter frame: its size.
  public mutating func choose(_ objects: [DetectedObject], in frame: PixelSize) -> [DetectedObject] {
    guard objects.count > limit else {
      kept = Set(objects.compactMap(\.id))
      return objects
    }
    let weights = objects.map { object in
      let isKnown = object.id.map(kept.contains) ?? false
      return Self.prominence(of: object, in: frame) * (isKnown ? Self.loyalty : 1)
    }
    // Of equals the first.
    let order = objects.indices.sorted { (-weights[$0], $0) < (-weights[$1], $1) }
    let chosen = order.prefix(limit).sorted().map { objects[$0] }
    kept = Set(chosen.compactMap(\.id))
    return chosen
  }

  /// How much of the frame's side an object takes, times its score, less the further it is from the middle; 0…1.
  static func prominence(of object: DetectedObject, in frame: PixelSize) -> Double {
    guard let box = object.box.clipped(to: frame) else { return 0 }
    let (width, height) = (Double(max(1, frame.width)), Double(max(1, frame.height)))
    let share = (box.area / (width * height)).squareRoot()
    let (x, y) = (box.center.x / width * 2 - 1, box.center.y / height * 2 - 1)
    let distance = ((x * x + y * y) / 2).squareRoot()
    return share * object.score * (1 - cornerLoss * distance)
  }

}
