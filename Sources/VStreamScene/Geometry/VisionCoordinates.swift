/// Apple's Vision and Core Image count from the lower left corner, y upwards; Vision in fractions of the image's sides.
extension Point {
  /// This place as Vision gives it: 0…1 from the lower left corner of an image of `size`.
  public func normalized(in size: PixelSize) -> Point {
    Point(x: x / Double(size.width), y: 1 - y / Double(size.height))
  }

  /// A place that Vision gave, in pixels of an image of `size` from its top left corner.
  public init(normalized point: Point, in size: PixelSize) {
    self.init(x: point.x * Double(size.width), y: (1 - point.y) * Double(size.height))
  }
}

extension Box {
  /// This box as Vision gives it: its corner is the lower left one, in fractions of an image of `size`.
  public func normalized(in size: PixelSize) -> Box {
    let corner = Point(x: x, y: bottom).normalized(in: size)
    return Box(x: corner.x, y: corner.y, width: width / Double(size.width), height: height / Double(size.height))
  }

  /// A box that Vision gave, in pixels of an image of `size` from its top left corner.
  public init(normalized box: Box, in size: PixelSize) {
    let corner = Point(normalized: Point(x: box.x, y: box.bottom), in: size)
    self.init(
      x: corner.x, y: corner.y, width: box.width * Double(size.width), height: box.height * Double(size.height))
  }
}
