/// Coded as an entry of `poses` in records.
extension DetectedPose: Codable {
  private enum Key: String, CodingKey {
    case id, score, box, landmarks
  }

  /// A landmark; of a kind that a later version adds, none.
  private struct Landmark: Decodable {
    let landmark: PoseLandmark?

    init(from decoder: any Decoder) throws {
      let name = try decoder.container(keyedBy: PoseLandmark.Key.self).decode(String.self, forKey: .type)
      landmark = PoseLandmark.Kind(rawValue: name) == nil ? nil : try PoseLandmark(from: decoder)
    }
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    self.init(
      id: try members.optionalInteger(.id), score: try members.number(.score),
      box: try members.decode(Box.self, forKey: .box),
      landmarks: try members.decode([Landmark].self, forKey: .landmarks).compactMap(\.landmark))
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encodeIfPresent(id, forKey: .id)
    try members.encode(score, forKey: .score)
    try members.encode(box, forKey: .box)
    try members.encode(landmarks, forKey: .landmarks)
  }
}

/// Coded as in records: its kind is the member `type`.
extension PoseLandmark: Codable {
  fileprivate enum Key: String, CodingKey {
    case type, x, y, z, inFrameLikelihood
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    self.init(
      try members.decode(Kind.self, forKey: .type), at: Point(x: try members.number(.x), y: try members.number(.y)),
      z: try members.number(.z), inFrameLikelihood: try members.number(.inFrameLikelihood))
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encode(kind, forKey: .type)
    try members.encode(position.x, forKey: .x)
    try members.encode(position.y, forKey: .y)
    try members.encode(z, forKey: .z)
    try members.encode(inFrameLikelihood, forKey: .inFrameLikelihood)
  }
}
