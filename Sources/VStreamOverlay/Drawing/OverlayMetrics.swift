internal import VStreamScene

/// The sizes of lines and labels in pixels, proportional to the frame's size.
struct OverlayMetrics {
  let frame: PixelSize
  let lineWidth: Double
  let fontSize: Int
  /// The distance between a label's text and the edge of its background.
  let padding: Int
  let labelHeight: Int
  /// The distance from the top of a label's background to the baseline of its text.
  let baseline: Int

  init(_ frame: PixelSize) {
    self.frame = frame
    let extent = Double(min(frame.width, frame.height))
    lineWidth = max(1.5, extent / 280)
    fontSize = max(10, Int((extent / 42).rounded()))
    padding = max(2, fontSize / 4)
    labelHeight = fontSize + fontSize / 4 + 2
    baseline = fontSize + 1
  }

  /// The background of a label: above its box, else below it, else inside; always in the frame, and if possible without
  /// overlapping another label.
  func background(labelOfWidth width: Int, at box: Box, avoiding others: [Box]) -> Box {
    let above = box.y - lineWidth / 2 - Double(labelHeight)
    let below = box.bottom + lineWidth / 2
    let inside = box.y + lineWidth / 2
    let lowest = Double(frame.height - labelHeight)
    let x = max(0, min(box.x - lineWidth / 2, Double(frame.width - width))).rounded()
    func label(_ y: Double) -> Box {
      Box(x: x, y: max(0, min(y, lowest)).rounded(), width: Double(width), height: Double(labelHeight))
    }
    func fits(_ y: Double) -> Bool { y >= 0 && y <= lowest }
    func isFree(_ y: Double) -> Bool { fits(y) && !others.contains { $0.intersection(label(y)) != nil } }
    let candidates: InlineArray<3, Double> = [above, below, inside]
    for index in candidates.indices where isFree(candidates[index]) { return label(candidates[index]) }
    for index in candidates.indices where fits(candidates[index]) { return label(candidates[index]) }
    return label(inside)
  }
}
