/// What kind of thing an object is, as coarsely as ML Kit tells it.
public enum ObjectCategory: String, CaseIterable, Hashable, Sendable, Codable {
  case fashionGood = "fashion good"
  case food
  case homeGood = "home good"
  case place
  case plant
  /// None of these, or it cannot be told.
  case unknown
}

/// A category with how sure it is.
public struct CategoryLabel: Hashable, Sendable, Codable {
  public var category: ObjectCategory
  /// 0…1.
  public var score: Double

  public init(_ category: ObjectCategory, score: Double) {
    self.category = category
    self.score = score
  }
}
