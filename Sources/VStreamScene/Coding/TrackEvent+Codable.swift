/// Coded as a line of records of the type `event`, which has no class index.
extension TrackEvent: Codable {
  private enum Key: String, CodingKey {
    case type, id, classIndex, label
    case kind = "event"
    case time = "pts"
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    self.init(
      kind: try members.decode(Kind.self, forKey: .kind), id: try members.decode(Int.self, forKey: .id),
      classIndex: try members.decodeIfPresent(Int.self, forKey: .classIndex) ?? 0,
      label: try members.decode(String.self, forKey: .label), time: try members.number(.time))
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encode("event", forKey: .type)
    try members.encode(kind, forKey: .kind)
    try members.encode(id, forKey: .id)
    try members.encode(classIndex, forKey: .classIndex)
    try members.encode(label, forKey: .label)
    try members.encode(time, forKey: .time)
  }
}
