internal import VStreamCore
internal import VStreamMedia

/// The positions of target samples in a component's plane, in fixed point with 24 fractional bits.
struct SampleGrid {
  static let bits = 24
  private static let one = Double(1 << bits)

  let target: PixelSize
  /// Size of the component's plane, in samples.
  let width: Int
  let height: Int
  /// The first target sample's centre, and the steps to the next sample in its row and in its column.
  let start: (x: Int, y: Int)
  let across: (x: Int, y: Int)
  let down: (x: Int, y: Int)

  init(_ component: PixelLayout.Component, frame: PixelSize, region: RotatedBox, target: PixelSize) {
    self.target = target
    width = (frame.width + (1 << component.shiftX) - 1) >> component.shiftX
    height = (frame.height + (1 << component.shiftY) - 1) >> component.shiftY
    let (stepX, stepY) = (1 / Double(target.width), 1 / Double(target.height))
    let spacing = (x: Double(1 << component.shiftX), y: Double(1 << component.shiftY))
    func position(_ column: Double, _ row: Double) -> (x: Double, y: Double) {
      let point = region.point(across: (column + 0.5) * stepX, down: (row + 0.5) * stepY)
      return (point.x / spacing.x - 0.5, point.y / spacing.y - 0.5)
    }
    let (first, right, below) = (position(0, 0), position(1, 0), position(0, 1))
    start = (Int(first.x * Self.one), Int(first.y * Self.one))
    across = (Int((right.x - first.x) * Self.one), Int((right.y - first.y) * Self.one))
    down = (Int((below.x - first.x) * Self.one), Int((below.y - first.y) * Self.one))
  }

  /// Whether the target's rows are parallel to the plane's.
  var isUpright: Bool { across.y == 0 && down.x == 0 }

  var hasTwoColumns: Bool { width > 1 }

  /// The columns of a target row whose four source samples all lie in the plane; contiguous, as a row is a straight line.
  ///
  /// - Parameters: the position of the row's first sample.
  func columnsInside(_ x: Int, _ y: Int) -> Range<Int> {
    func isInside(_ column: Int) -> Bool { contains(x &+ column &* across.x, y &+ column &* across.y) }
    guard let first = (0..<target.width).first(where: isInside),
      let last = (first..<target.width).last(where: isInside)
    else { return 0..<0 }
    return first..<(last + 1)
  }

  /// Whether all four samples around a position lie in the plane.
  private func contains(_ x: Int, _ y: Int) -> Bool {
    x >= 0 && y >= 0 && x >> Self.bits < width - 1 && y >> Self.bits < height - 1
  }

  @inline(__always)
  func clamped(_ index: Int, _ count: Int) -> Int { min(max(index, 0), count &- 1) }

  @inline(__always)
  static func fraction(_ position: Int) -> Float {
    Float(Int32(truncatingIfNeeded: position & ((1 << bits) - 1))) * (1 / Float(1 << bits))
  }

  /// The same, of eight positions.
  @inline(__always)
  static func fractions(_ positions: SIMD8<Int32>) -> SIMD8<Float> {
    SIMD8<Float>(positions & Int32((1 << bits) - 1)) * (1 / Float(1 << bits))
  }
}

/// The addresses of eight bytes.
typealias EightAddresses = (
  UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer,
  UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer
)

extension SampleGrid {
  /// The bytes at an offset from each address, and the bytes to their right.
  @inline(__always)
  static func pairs(_ addresses: EightAddresses, at offset: Int) -> (left: SIMD8<Float>, right: SIMD8<Float>) {
    @inline(__always)
    func pair(_ address: UnsafeRawPointer) -> UInt16 {
      UInt16(littleEndian: address.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    let pairs = SIMD8(
      pair(addresses.0), pair(addresses.1), pair(addresses.2), pair(addresses.3), pair(addresses.4),
      pair(addresses.5), pair(addresses.6), pair(addresses.7))
    return (floats(pairs & 0xFF), floats(pairs &>> 8))
  }

  @inline(__always)
  private static func floats(_ values: SIMD8<UInt16>) -> SIMD8<Float> {
    SIMD8<Float>(SIMD8<Int32>(truncatingIfNeeded: values))
  }
}
