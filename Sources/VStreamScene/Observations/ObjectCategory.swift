/// ML Kit's coarse categories of objects.
public enum ObjectCategory: String, CaseIterable, Hashable, Sendable, Codable {
  case fashionGood = "fashion good"
  case food
  case homeGood = "home good"
  case place
  case plant
  /// None of the others, or uncertain.
  case unknown
}

/// A category with its score.
public struct CategoryLabel: Hashable, Sendable, Codable {
  /// The category.
  public var category: ObjectCategory
  /// 0…1.
  public var score: Double

  public init(_ category: ObjectCategory, score: Double) {
    self.category = category
    self.score = score
  }
}
