/// Coded as an entry of `faces` in records: landmarks and contours by their names.
extension DetectedFace: Codable {
  private enum Key: String, CodingKey {
    case id, score, box, angles, landmarks, contours, smiling, leftEyeOpen, rightEyeOpen
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    self.init(
      id: try members.optionalInteger(.id), score: try members.number(.score),
      box: try members.decode(Box.self, forKey: .box))
    angles = try members.decodeIfPresent(HeadAngles.self, forKey: .angles)
    landmarks = try members.values(.landmarks) { FaceLandmark($0, at: $1) }
    contours = try members.values(.contours) { FaceContour($0, points: $1) }
    smiling = try members.optionalNumber(.smiling)
    leftEyeOpen = try members.optionalNumber(.leftEyeOpen)
    rightEyeOpen = try members.optionalNumber(.rightEyeOpen)
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encodeIfPresent(id, forKey: .id)
    try members.encode(score, forKey: .score)
    try members.encode(box, forKey: .box)
    try members.encodeIfPresent(angles, forKey: .angles)
    try members.encodeIfPresent(landmarks?.byName(\.kind, \.position), forKey: .landmarks)
    try members.encodeIfPresent(contours?.byName(\.kind, \.points), forKey: .contours)
    try members.encodeIfPresent(smiling, forKey: .smiling)
    try members.encodeIfPresent(leftEyeOpen, forKey: .leftEyeOpen)
    try members.encodeIfPresent(rightEyeOpen, forKey: .rightEyeOpen)
  }
}

extension HeadAngles: Codable {
  private enum Key: String, CodingKey {
    case x, y, z
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    self.init(x: try members.number(.x), y: try members.number(.y), z: try members.number(.z))
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encode(x, forKey: .x)
    try members.encode(y, forKey: .y)
    try members.encode(z, forKey: .z)
  }
}

/// The name of a kind as the key of its value.
private struct KindKey<Kind: RawRepresentable<String>>: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ kind: Kind) { stringValue = kind.rawValue }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer {
  /// The values by the names of their kinds, in the kinds' order; names that a later version adds are skipped.
  fileprivate func values<Kind: RawRepresentable<String> & CaseIterable, Value: Decodable, Element>(
    _ key: Key, _ make: (Kind, Value) -> Element
  ) throws -> [Element]? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    let members = try nestedContainer(keyedBy: KindKey<Kind>.self, forKey: key)
    return try Kind.allCases.compactMap { kind in
      try members.decodeIfPresent(Value.self, forKey: KindKey(kind)).map { make(kind, $0) }
    }
  }
}

extension Array {
  /// Values by the names of their kinds; of several of one kind the first.
  fileprivate func byName<Kind: RawRepresentable<String>, Value>(
    _ kind: (Element) -> Kind, _ value: (Element) -> Value
  ) -> [String: Value] {
    Dictionary(map { (kind($0).rawValue, value($0)) }, uniquingKeysWith: { first, _ in first })
  }
}
