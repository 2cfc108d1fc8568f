import Foundation
import VStreamCore
import VStreamMedia
import VStreamTracking

@testable import VStreamCommand
@testable import VStreamOverlay
@testable import VStreamPipeline
@testable import VStreamReporting
@testable import VStreamSystem

extension FuzzTarget {
  /// Zones and lines, one on each line of text; those of `--line` start with `|`.
  static let regionText = FuzzTarget(name: "region-text") { bytes in
    let texts = String(decoding: bytes, as: UTF8.self).unicodeScalars.split(separator: "\n").map { String($0) }
    let lines = texts.filter { $0.hasPrefix("|") }.map { String($0.dropFirst()) }
    let zones = texts.filter { !$0.hasPrefix("|") }
    guard let regions = try regions(zones: zones, lines: lines) else { return }
    try require(regions.zones.count == zones.count && regions.lines.count == lines.count, "regions are missing")
    for (text, region) in zip(zones + lines, regions.zones + regions.lines) { try requireMeaning(region, of: text) }
    let again = try Self.regions(zones: regions.zones.map(\.text), lines: regions.lines.map(\.text))
    try require(again == regions, "written and read again they are \(again.map { "\($0)" } ?? "rejected")")
    var painter = try OverlayPainter(OverlayOptions(), fontPath: LabelFont.path)
    for size in [PixelSize(width: 64, height: 48), PixelSize(width: 1, height: 1)] {
      try requireCounts(regions, size, &painter)
    }
  }

  /// Neither zones nor lines; the parser of arguments takes a thousand times as long as that of zones.
  private static let plain = try? CountingOptionGroup.parse([])

  private static func regions(zones: [String], lines: [String]) throws -> CountedRegions? {
    guard var group = plain else { throw Finding(description: "the group cannot be parsed") }
    (group.zone, group.line) = (zones, lines)
    return try accepted { try group.regions() }
  }

  /// What is accepted is in the documented form, and has its numbers.
  private static func requireMeaning(_ region: CountedRegions.Region, of text: String) throws {
    try require(!region.name.isEmpty && text.hasPrefix(region.name), "'\(text)' has the name '\(region.name)'")
    let points = text.drop { $0 != ":" }.dropFirst().split(separator: ";")
    try require(points.count == region.corners.count, "'\(text)' has \(region.corners.count) corners")
    for (point, corner) in zip(points, region.corners) {
      let values = point.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
      try require(values.count == 2, "'\(text)' has a point of \(values)")
      for (value, coordinate) in zip(values, [corner.x, corner.y]) {
        try require(isCoordinate(value), "'\(value)' is accepted as \(coordinate)")
        try require(abs(coordinate.value(of: 1)) < 1e6, "\(coordinate) is out of range")
      }
    }
  }

  /// Whether a text is a number, possibly in percent, with spaces at its ends.
  private static func isCoordinate(_ text: String) -> Bool {
    var digits = text[...]
    digits = digits.drop { $0 == " " }
    while digits.last == " " { digits.removeLast() }
    if digits.last == "%" { digits.removeLast() }
    while digits.last == " " { digits.removeLast() }
    return Double(digits) != nil
  }

  /// Objects that move across the frame are counted, drawn and recorded.
  private static func requireCounts(
    _ regions: CountedRegions, _ size: PixelSize, _ painter: inout OverlayPainter
  ) throws {
    var counter = regions.counter(in: size)
    for step in 0..<4 {
      let position = Double(step) * Double(size.height) / 3 - 1
      counter.update(
        [
          DetectedObject(
            id: 1, classIndex: 0, label: "person", score: 0.9, box: Box(x: position, y: position, width: 8, height: 2))
        ], at: Double(step))
    }
    var text = TextBuffer()
    JSONRecord.add(counter.counts, to: &text)
    let counts = try? JSONDecoder().decode(Counts.self, from: Data(text.bytes))
    try require(counts?.zones.map { Set($0.keys) } ?? [] == Set(regions.zones.map(\.name)), "zones of \(text.text)")
    try require(counts?.lines.map { Set($0.keys) } ?? [] == Set(regions.lines.map(\.name)), "lines of \(text.text)")
    var frame = try VideoFrame(blank: size)
    try painter.draw(
      FrameAnnotations(frame: 0, time: frame.time, source: .detected), regions: regions.marks(in: size, counter.counts),
      on: &frame)
  }

  /// The names in the line of records.
  private struct Counts: Decodable {
    struct Members: Decodable {}
    var zones: [String: Members]?
    var lines: [String: Members]?
  }
}

extension CountedRegions.Region {
  /// The text of an option that has this region.
  fileprivate var text: String { "\(name):" + corners.map { "\($0.x.text),\($0.y.text)" }.joined(separator: ";") }
}

extension CountedRegions.Coordinate {
  fileprivate var text: String {
    switch self {
    case .pixels(let pixels): "\(pixels)"
    case .fraction(let fraction):
      // The number that becomes this fraction when it is divided by 100.
      "\([fraction * 100, (fraction * 100).nextUp, (fraction * 100).nextDown].first { $0 / 100 == fraction } ?? 0)%"
    }
  }
}
