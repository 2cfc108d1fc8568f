/// Keeps for each face ID what belongs to the highest score so far, until the ID ends.
///
/// Holds as many values as there are IDs that have not ended.
public struct BestFaces<Value> {
  private var best: [Int: (score: Double, value: Value)] = [:]

  public init() {}

  /// How many IDs have a value.
  public var count: Int { best.count }

  /// Whether a value of this score would be kept. Of equal scores the first stays; what is not a number is never kept.
  public func wants(_ score: Double, for id: Int) -> Bool { score > best[id]?.score ?? -.infinity }

  /// Keeps a value, if it is better than what there is.
  public mutating func offer(_ value: Value, score: Double, for id: Int) {
    if wants(score, for: id) { best[id] = (score, value) }
  }

  /// Ends IDs.
  ///
  /// - Returns: their values by rising ID; none for an ID that has none.
  public mutating func end(_ ids: [Int]) -> [(id: Int, value: Value)] {
    Set(ids).sorted().compactMap { id in best.removeValue(forKey: id).map { (id, $0.value) } }
  }

  /// Ends all IDs.
  ///
  /// - Returns: their values by rising ID.
  public mutating func endAll() -> [(id: Int, value: Value)] { end(Array(best.keys)) }
}
