public import VStreamScene
internal import VStreamSystem

/// The names of a detector's classes, in the order of its outputs.
public struct ClassList: Hashable, Sendable {
  public let names: [String]

  public init(_ names: [String]) { self.names = names }

  /// The 80 object classes of COCO 2017, in the order of their official identifiers.
  public static let coco = ClassList(COCOClasses.names)

  /// For each number of the 91-entry label map, the class's index among the 80; `nil` for the background and for
  /// numbers that were never used.
  public static let cocoLabelMap: [Int?] = (0...90).map { COCOClasses.identifiers.firstIndex(of: $0) }

  /// The indices of named classes, ignoring case; for a name of several classes, those of all.
  ///
  /// - Throws: `VStreamError.usage` for a name that is not in the list, with similar ones.
  public func indices(of wanted: [String]) throws(VStreamError) -> Set<Int> {
    var indices: Set<Int> = []
    let known = names.map { $0.lowercased() }
    for name in wanted {
      let name = name.lowercased()
      let matches = known.indices.filter { known[$0] == name }
      guard !matches.isEmpty else {
        let similar = SimilarNames.of(name, in: names)
        throw VStreamError.unknownValue(
          name, of: .classes, expected: "a class of this model", known: similar,
          remedy: similar.isEmpty
            ? "its classes are \(names.joined(separator: ", "))" : "did you mean \(similar.joined(separator: " or "))?")
      }
      indices.formUnion(matches)
    }
    return indices
  }
}
