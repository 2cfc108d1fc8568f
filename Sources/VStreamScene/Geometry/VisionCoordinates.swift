// Apple's Vision has its origin in the lower left corner, with y upwards, in fractions of the image's sides.

extension Point {
  /// This position in Vision's coordinates: 0…1 from the lower left corner of an image of `size`.
  public func normalized(in size: PixelSize) -> Point {
    Point(x: x / Double(size.width), y: 1 - y / Double(size.height))
  }

  /// The position of a point in Vision's coordinates, in pixels of an image of `size`.
  public init(normalized point: Point, in size: PixelSize) {
    self.init(x: point.x * Double(size.width), y: (1 - point.y) * Double(size.height))
  }
}

extension Box {
  /// This box in Vision's coordinates: its origin is the lower left corner, in fractions of an image of `size`.
  public func normalized(in size: PixelSize) -> Box {
    let corner = Point(x: x, y: bottom).normalized(in: size)
    return Box(x: corner.x, y: corner.y, width: width / Double(size.width), height: height / Double(size.height))
  }

  /// The box given in Vision's coordinates, in pixels of an image of `size`.
  public init(normalized box: Box, in size: PixelSize) {
    let corner = Point(normalized: Point(x: box.x, y: box.bottom), in: size)
    self.init(
      x: corner.x, y: corner.y, width: box.width * Double(size.width), height: box.height * Double(size.height))
  }
}
