/// Coded as a line of records of the type `frame`, with the time base besides, which records state once in their header.
///
/// Without a time base, the time is that of `pts` in microseconds.
extension FrameAnnotations: Codable {
  private enum Key: String, CodingKey {
    case type, frame, pts, ticks, timeBase, source
  }

  private static let lineType = "frame"

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    let type = try members.decodeIfPresent(String.self, forKey: .type) ?? Self.lineType
    guard type == Self.lineType else {
      throw DecodingError.invalid(members.codingPath + [Key.type], "is \(type), not \(Self.lineType)")
    }
    let time: Time
    if let text = try members.decodeIfPresent(String.self, forKey: .timeBase) {
      guard let base = Rational(fraction: text) else {
        throw DecodingError.invalid(members.codingPath + [Key.timeBase], "is not a fraction such as 1/25")
      }
      time = Time(ticks: try members.decode(Int64.self, forKey: .ticks), base: base)
    } else {
      time = Time(ticks: Int64((try members.number(.pts) * 1e6).rounded()), base: .microseconds)
    }
    self.init(
      frame: try members.decode(Int.self, forKey: .frame), time: time,
      source: try members.decode(AnnotationSource.self, forKey: .source), found: try Observations(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encode(Self.lineType, forKey: .type)
    try members.encode(frame, forKey: .frame)
    try members.encode(time.seconds, forKey: .pts)
    try members.encode(time.ticks, forKey: .ticks)
    try members.encode(time.base.description, forKey: .timeBase)
    try members.encode(source, forKey: .source)
    try found.encode(to: encoder)
  }
}
