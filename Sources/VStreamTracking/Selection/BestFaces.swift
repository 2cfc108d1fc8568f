/// Keeps the value with the highest score for each face ID until the ID ends.
///
/// Holds at most one value per ID that has not ended.
public struct BestFaces<Value> {
  private var best: [Int: (score: Double, value: Value)] = [:]

  public init() {}

  /// The number of IDs with a value.
  public var count: Int { best.count }

  /// Whether a value of this score would replace the current one. Of equal scores the first one stays; NaN is never kept.
  public func accepts(_ score: Double, for id: Int) -> Bool { score > best[id]?.score ?? -.infinity }

  /// Keeps a value if its score is higher than that of the current one.
  public mutating func offer(_ value: Value, score: Double, for id: Int) {
    if accepts(score, for: id) { best[id] = (score, value) }
  }

  /// Ends IDs.
  ///
  /// - Returns: their values by ascending ID, for the IDs that have one.
  public mutating func end(_ ids: [Int]) -> [(id: Int, value: Value)] {
    Set(ids).sorted().compactMap { id in best.removeValue(forKey: id).map { (id, $0.value) } }
  }

  /// Ends all IDs.
  ///
  /// - Returns: their values by ascending ID.
  public mutating func endAll() -> [(id: Int, value: Value)] { end(Array(best.keys)) }
}
