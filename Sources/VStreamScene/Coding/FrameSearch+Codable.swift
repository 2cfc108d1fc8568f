/// A region is coded as a list: left, top, width, height, scale.
extension FrameSearch.Region: Codable {
  public init(from decoder: any Decoder) throws {
    let numbers = try decoder.numbers(5, "five")
    guard numbers[4] > 0 else { throw DecodingError.invalid(decoder.codingPath, "has a scale that is not above 0") }
    self.init(box: Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]), scale: numbers[4])
  }

  public func encode(to encoder: any Encoder) throws {
    try [box.x, box.y, box.width, box.height, scale].encode(to: encoder)
  }
}
