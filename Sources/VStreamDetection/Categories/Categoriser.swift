public import VStreamScene

/// Gives objects categories: once for each track, and again when it has grown.
///
/// One owner at a time.
public struct TrackCategories: Sendable {
  private struct Known {
    var label: CategoryLabel
    /// The object's class, and how large it was.
    var className: String
    var area: Double
  }

  private var known: [Int: Known] = [:]

  /// What has grown by so much is looked at again: there is more to be seen of it.
  private static let growth = 2.0

  public init() {}

  /// The objects of a frame with their categories.
  ///
  /// - Parameters:
  ///   - isSeen: whether they were found in this very frame; of others what is known is repeated.
  ///   - look: what is seen in a part of the frame, for objects whose class says nothing.
  /// - Throws: what `look` throws.
  public mutating func categorise(
    _ objects: [DetectedObject], isSeen: Bool, look: (Box) throws -> CategoryLabel
  ) rethrows -> [DetectedObject] {
    var categorised = objects
    for index in objects.indices { categorised[index].category = try label(of: objects[index], isSeen, look) }
    return categorised
  }

  private mutating func label(
    of object: DetectedObject, _ isSeen: Bool, _ look: (Box) throws -> CategoryLabel
  ) rethrows -> CategoryLabel {
    // A class says more than a look, and costs nothing.
    if let byClass = CategoryClassifier.category(of: object) { return byClass }
    let before = object.id.flatMap { known[$0] }
    if let before, before.className == object.label, object.box.area < Self.growth * before.area || !isSeen {
      return before.label
    }
    guard isSeen else { return before?.label ?? CategoryLabel(.unknown, score: 0) }
    let label = try look(object.box)
    if let id = object.id { known[id] = Known(label: label, className: object.label, area: object.box.area) }
    return label
  }

  /// Forgets things that will not come back.
  public mutating func forget(_ ids: [Int]) { for id in ids { known[id] = nil } }
}
