public import VStreamScene
internal import VStreamSystem

/// The names of a detector's classes, in the order of its outputs.
public struct ClassList: Hashable, Sendable {
  public let names: [String]

  public init(_ names: [String]) { self.names = names }

  /// The 80 object classes of COCO 2017, in the order of their official identifiers.
  public static let coco = ClassList([
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant",
    "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard",
    "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket", "bottle",
    "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange", "broccoli",
    "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed", "dining table", "toilet",
    "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven", "toaster", "sink",
    "refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
  ])

  /// Numbers of the 91-entry COCO label map that no class of the 80 has. The map's number 0 is the background.
  private static let unusedCOCONumbers: Set = [12, 26, 29, 30, 45, 66, 68, 69, 71, 83]

  /// For each number of the 91-entry label map, the class's index among the 80; `nil` for the background and for
  /// numbers that were never used.
  public static let cocoLabelMap: [Int?] = {
    var next = 0
    return (0...90).map { number in
      guard number > 0, !unusedCOCONumbers.contains(number) else { return nil }
      defer { next += 1 }
      return next
    }
  }()

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
