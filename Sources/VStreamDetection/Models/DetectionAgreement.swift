package import VStreamCore

/// How far a detector finds the objects that another one finds.
package struct DetectionAgreement: Hashable, Sendable {
  /// Objects of the one, of the other, and of both.
  package private(set) var expected = 0
  package private(set) var found = 0
  package private(set) var common = 0
  private var sumOfIoUs = 0.0

  package init() {}

  /// The fraction of the one's objects that the other finds; `nil` if there are none.
  package var recall: Double? { expected == 0 ? nil : Double(common) / Double(expected) }
  /// The fraction of the other's objects that are the one's; `nil` if there are none.
  package var precision: Double? { found == 0 ? nil : Double(common) / Double(found) }
  /// Of the boxes of common objects; `nil` if there are none.
  package var meanIoU: Double? { common == 0 ? nil : sumOfIoUs / Double(common) }

  /// Adds the objects of one frame. Objects of the same class are the same if their boxes overlap by half (IoU), the largest
  /// overlaps first.
  package mutating func add(_ others: [DetectedObject], to objects: [DetectedObject]) {
    expected += objects.count
    found += others.count
    let pairs = objects.indices.flatMap { one in
      others.indices.compactMap { other -> (one: Int, other: Int, iou: Double)? in
        guard objects[one].classIndex == others[other].classIndex else { return nil }
        let iou = objects[one].box.iou(others[other].box)
        return iou >= 0.5 ? (one, other, iou) : nil
      }
    }
    var (ones, seen): (Set<Int>, Set<Int>) = ([], [])
    for pair in pairs.sorted(by: { $0.iou > $1.iou }) where !ones.contains(pair.one) && !seen.contains(pair.other) {
      ones.insert(pair.one)
      seen.insert(pair.other)
      common += 1
      sumOfIoUs += pair.iou
    }
  }
}
