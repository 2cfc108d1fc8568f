/// Coded as an entry of `objects` in records, which have no class index.
extension DetectedObject: Codable {
  private enum Key: String, CodingKey {
    case id, label, detectedLabel, score, category, categoryScore, box
    case isPredicted = "predicted"
    case classIndex
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    self.init(
      id: try members.optionalInteger(.id),
      classIndex: try members.decodeIfPresent(Int.self, forKey: .classIndex) ?? 0,
      label: try members.decode(String.self, forKey: .label), score: try members.number(.score),
      box: try members.decode(Box.self, forKey: .box))
    detectedLabel = try members.decodeIfPresent(String.self, forKey: .detectedLabel)
    isPredicted = try members.decodeIfPresent(Bool.self, forKey: .isPredicted) ?? false
    let categoryScore = try members.optionalNumber(.categoryScore)
    // A category that a later version adds is unknown to this one.
    category = try members.decodeIfPresent(String.self, forKey: .category).map { name in
      CategoryLabel(ObjectCategory(rawValue: name) ?? .unknown, score: categoryScore ?? 0)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encodeIfPresent(id, forKey: .id)
    try members.encode(label, forKey: .label)
    try members.encodeIfPresent(detectedLabel, forKey: .detectedLabel)
    try members.encode(score, forKey: .score)
    try members.encodeIfPresent(category?.category, forKey: .category)
    try members.encodeIfPresent(category?.score, forKey: .categoryScore)
    try members.encode(box, forKey: .box)
    if isPredicted { try members.encode(true, forKey: .isPredicted) }
    try members.encode(classIndex, forKey: .classIndex)
  }
}
