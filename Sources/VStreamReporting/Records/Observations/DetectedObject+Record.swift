internal import VStreamScene
internal import VStreamSystem

extension DetectedObject: RecordedObservation {
  struct Members: Decodable {
    var id: Int?
    var label: String
    var score: Double
    var box: [Double]
    var category: String?
    var categoryScore: Double?
  }

  /// An object whose class has no index yet: records have the names of classes only.
  init(_ members: Members) throws(DamagedRecord) {
    self.init(
      id: members.id, classIndex: 0, label: members.label, score: try Double(recorded: members.score, "score"),
      box: try Box(recorded: members.box))
    let categoryScore = try Double.optional(recorded: members.categoryScore, "categoryScore")
    // A category that a later version adds is unknown to this one.
    category = members.category.map { name in
      CategoryLabel(ObjectCategory(rawValue: name) ?? .unknown, score: categoryScore ?? 0)
    }
  }

  var recordedCategory: CategoryLabel? { category }

  func addMembers(_ precision: JSONRecord.Precision, to json: inout TextBuffer) {
    json.add("label", label)
    precision.addScore("score", score, to: &json)
    if let category = category {
      json.add("category", category.category.rawValue)
      precision.addScore("categoryScore", category.score, to: &json)
    }
    precision.add("box", box, to: &json)
  }
}
