package import VStreamCore

/// Remembers the categories of tracks, so that the category network runs once for each track, and again when it has grown.
///
/// One owner at a time.
package struct TrackCategoryCache: Sendable {
  private struct Entry {
    var label: CategoryLabel
    /// Class and box area of the object when it was classified.
    var className: String
    var area: Double
  }

  private var entries: [Int: Entry] = [:]

  /// An object is classified again when its area has grown by this factor: it then shows more detail.
  private static let growth = 2.0

  package init() {}

  /// The objects of a frame with their categories.
  ///
  /// - Parameters:
  ///   - isDetected: whether the objects were detected on this frame; predicted ones keep their categories.
  ///   - classify: infers the category of a region of the frame, for objects whose class does not determine it.
  /// - Throws: what `classify` throws.
  package mutating func categorise(
    _ objects: [DetectedObject], isDetected: Bool, classify: (Box) throws -> CategoryLabel
  ) rethrows -> [DetectedObject] {
    var categorised = objects
    for index in objects.indices { categorised[index].category = try label(of: objects[index], isDetected, classify) }
    return categorised
  }

  private mutating func label(
    of object: DetectedObject, _ isDetected: Bool, _ classify: (Box) throws -> CategoryLabel
  ) rethrows -> CategoryLabel {
    // A class is more reliable than an inference, and costs nothing.
    if let byClass = CategoryClassifier.category(of: object) { return byClass }
    let entry = object.id.flatMap { entries[$0] }
    if let entry, entry.className == object.label, object.box.area < Self.growth * entry.area || !isDetected {
      return entry.label
    }
    guard isDetected else { return entry?.label ?? CategoryLabel(.unknown, score: 0) }
    let label = try classify(object.box)
    if let id = object.id { entries[id] = Entry(label: label, className: object.label, area: object.box.area) }
    return label
  }

  /// Removes tracks that have ended.
  package mutating func forget(_ ids: [Int]) { for id in ids { entries[id] = nil } }
}
