internal import VStreamCore

/// The sizes of a network's input with which frames are searched, and what passes with them cost.
struct SearchInputs: Hashable, Sendable {
  /// That of the model's file, for whole frames and for parts: a pass with it is the unit of cost.
  let own: PixelSize
  /// A smaller one for parts; `nil` if the network has none.
  let small: PixelSize?

  /// For parts, the smallest first.
  var crops: [PixelSize] { (small.map { [$0] } ?? []) + [own] }

  /// The part of a pass's cost that does not depend on the input's size: measured with SSD MobileNetV2 in 8 bits, whose passes
  /// take 0.31, 0.63 and 1 of the time of 300 × 300 with inputs of 128 × 128, 224 × 224 and 300 × 300.
  private static let fixedCost = 0.16

  /// The cost of a pass in passes with the model's own size: a constant, so that plans do not depend on clocks.
  func cost(of input: PixelSize) -> Double {
    let area = Double(input.width * input.height) / Double(own.width * own.height)
    return Self.fixedCost + (1 - Self.fixedCost) * area
  }

  /// The size with which a planned region of a frame is searched.
  func size(for region: FrameSearch.Region, in search: FrameSearch) -> PixelSize {
    guard let small, !search.isWhole(region.box) else { return own }
    return FrameSearch.Region(region.box, input: small).scale == region.scale ? small : own
  }
}
