/// A point is coded as a list: x, y.
extension Point: Codable {
  public init(from decoder: any Decoder) throws {
    let numbers = try decoder.numbers(2, "two")
    self.init(x: numbers[0], y: numbers[1])
  }

  public func encode(to encoder: any Encoder) throws { try [x, y].encode(to: encoder) }
}

/// A box is coded as a list: left, top, width, height.
extension Box: Codable {
  public init(from decoder: any Decoder) throws {
    let numbers = try decoder.numbers(4, "four")
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  public func encode(to encoder: any Encoder) throws { try [x, y, width, height].encode(to: encoder) }
}
