/// Names that somebody may have meant.
public enum SimilarNames {
  /// The names that are like another one, ignoring case: that contain it or are contained in it, or differ in a letter or two.
  public static func of(_ name: String, in names: [String]) -> [String] {
    let name = name.lowercased()
    let maximumDistance = name.count < 5 ? 1 : 2
    return names.filter { other in
      let known = other.lowercased()
      return (name.count > 2 && known.contains(name)) || name.contains(known)
        || editDistance(known, name) <= maximumDistance
    }
  }

  /// The number of letters to substitute, insert or delete that turns one word into the other (Levenshtein).
  private static func editDistance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var distances = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var diagonal = distances[0]
      distances[0] = row + 1
      for (column, otherLetter) in other.enumerated() {
        let change = diagonal + (letter == otherLetter ? 0 : 1)
        diagonal = distances[column + 1]
        distances[column + 1] = min(change, distances[column] + 1, diagonal + 1)
      }
    }
    return distances[other.count]
  }
}
