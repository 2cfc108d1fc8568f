internal import VStreamScene
internal import VStreamSystem

/// A category of COCO's JSON. Its number depends on its kind and name only, so that files of different runs can be merged.
struct COCOCategory: Hashable {
  let id: Int
  let name: String
  let supercategory: String

  static let face = COCOCategory(id: 201, name: DetectedFace.name, supercategory: "person")
  static let pose = COCOCategory(id: 202, name: DetectedPose.name, supercategory: "person")

  private init(id: Int, name: String, supercategory: String) {
    self.id = id
    self.name = name
    self.supercategory = supercategory
  }

  /// The category of a class of objects: COCO's own for its 80 classes, whatever the case; others are numbered by a hash of
  /// their name, beyond COCO's numbers of things, stuff and panoptic categories.
  init(ofClass label: String) {
    if let known = Self.known[label.lowercased()] {
      self = known
    } else {
      self.init(id: Self.firstHashed + Self.hash(of: label), name: label, supercategory: "object")
    }
  }

  private static let firstHashed = 1000

  private static let known: [String: COCOCategory] = {
    let categories = zip(COCOClasses.names, COCOClasses.identifiers).map { name, id in
      COCOCategory(id: id, name: name, supercategory: supercategory(of: id))
    }
    return Dictionary(uniqueKeysWithValues: categories.map { ($0.name, $0) })
  }()

  /// The last identifier of each of COCO's groups of classes.
  private static let supercategories: [(last: Int, name: String)] = [
    (1, "person"), (9, "vehicle"), (15, "outdoor"), (25, "animal"), (33, "accessory"), (43, "sports"),
    (51, "kitchen"), (61, "food"), (70, "furniture"), (77, "electronic"), (82, "appliance"), (90, "indoor"),
  ]

  private static func supercategory(of id: Int) -> String {
    supercategories.first { id <= $0.last }?.name ?? "object"
  }

  /// 40 bits of FNV-1a's 64: of 1000 names, two have the same with a probability of 5 in 10 million.
  private static func hash(of name: String) -> Int {
    Int(name.stableHash >> 24)
  }
}
