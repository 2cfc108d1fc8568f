package import VStreamCore
internal import VStreamSystem

/// The names of a detector's classes, in the order of its outputs.
package struct ClassList: Hashable, Sendable {
  package let names: [String]

  package init(_ names: [String]) { self.names = names }

  /// The 80 object classes of COCO 2017, in the order of their official identifiers.
  package static let coco = ClassList(COCOClasses.names)

  /// For each number of the 91-entry label map, the class's index among the 80; `nil` for the background and for
  /// numbers that were never used.
  package static let cocoLabelMap: [Int?] = (0...90).map { COCOClasses.identifiers.firstIndex(of: $0) }

  /// The indices of named classes, ignoring case; for a name of several classes, those of all.
  ///
  /// - Throws: `VStreamError.usage` for a name that is not in the list, with similar ones.
  package func indices(of wanted: [String]) throws(VStreamError) -> Set<Int> {
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

/// The classes of a detector: their names, and how the network's numbers map to them.
struct ObjectClasses {
  let labels: ClassList
  /// For each number of the network, an index into `labels`; `nil` where it stands for none.
  let labelIndices: [Int?]

  /// - Parameter count: the number of classes by the outputs' shapes; `nil` where they do not determine it.
  /// - Throws: `VStreamError.missingDependency` if names are missing, or more or fewer than there are classes.
  init(
    _ description: DetectorDescription, _ layout: any OutputLayout, count: Int?, _ fault: ObjectModelFault
  ) throws(VStreamError) {
    let first = description.firstClass ?? layout.firstClass
    switch description.labels {
    case .names(let names):
      let named = count.map { (layout.hasNoObjectClass(classCount: $0) ? $0 - 1 : $0) - first }
      if let named, named != names.count {
        throw fault.error(
          "it has \(named) classes, and \(names.count) labels are named", "name as many in \(fault.descriptionPath)")
      }
      self.init(ClassList(names), from: first)
    case .list("coco"): self.init(.coco, from: first)
    case .list: self.init(cocoLabelMap: ())
    case nil where layout.usesCOCOLabelMap(classCount: count): self.init(cocoLabelMap: ())
    case nil where count == ClassList.coco.names.count: self.init(.coco, from: 0)
    case nil:
      guard let count else {
        throw fault.error(
          "the outputs do not determine its classes",
          "name them in \(fault.descriptionPath): "
            + #"{"labels":"coco"}, "coco-91", or a list like ["cat","dog"]"#)
      }
      self.init(ClassList((0..<count).map { "class \($0)" }), from: 0)
    }
  }

  private init(_ labels: ClassList, from first: Int) {
    self.labels = labels
    labelIndices = [Int?](repeating: nil, count: first) + labels.names.indices.map { $0 }
  }

  private init(cocoLabelMap: Void) {
    labels = .coco
    labelIndices = ClassList.cocoLabelMap
  }
}
