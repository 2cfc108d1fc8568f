internal import VStreamScene
internal import VStreamSystem

extension DetectedObject: RecordedObservation {
  var recordedCategory: CategoryLabel? { category }

  func addMembers(_ precision: JSONRecord.Precision, to json: inout TextBuffer) {
    json.add("label", label)
    if let detectedLabel { json.add("detectedLabel", detectedLabel) }
    precision.addScore("score", score, to: &json)
    if let category = category {
      json.add("category", category.category.rawValue)
      precision.addScore("categoryScore", category.score, to: &json)
    }
    precision.add("box", box, to: &json)
  }
}
