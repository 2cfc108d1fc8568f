package import VStreamCore

/// A line of a subtitle script (Advanced SubStation Alpha).
package struct SubtitleLine: Hashable, Sendable {
  package var start: Time
  /// The end of its presentation, on the same timeline as `start`.
  package var end: Time
  /// The script's fields `Layer`, `Style` and `Text`.
  package var layer: Int
  package var style: String
  package var text: String

  package init(start: Time, end: Time, layer: Int, style: String, text: String) {
    self.start = start
    self.end = end
    self.layer = layer
    self.style = style
    self.text = text
  }

  /// The line of a script file, with its times moved back by some seconds; `nil` if it lasts less than the resolution of
  /// a script's times, which is 10 ms.
  ///
  /// Times are rounded down, so that at the time of each frame the lines of that frame are shown and no others.
  package func scriptLine(offsetBy shift: Double) -> String? {
    let (first, last) = (Self.hundredths(start, shift), Self.hundredths(end, shift))
    guard last > first else { return nil }
    return "Dialogue: \(layer),\(Self.clock(first)),\(Self.clock(last)),\(style),,0,0,0,,\(text)"
  }

  /// More than the rounding error of a time in hundredths of a second.
  private static let tolerance = 1e-6

  private static func hundredths(_ time: Time, _ shift: Double) -> Int {
    max(0, Int(clamping: ((time.seconds - shift) * 100 + tolerance).rounded(.down)))
  }

  /// `1:02:03.45`
  private static func clock(_ hundredths: Int) -> String {
    func two(_ number: Int) -> String { "\(number < 10 ? "0" : "")\(number)" }
    let seconds = hundredths / 100
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(two(hundredths % 100))"
  }

  /// The line as a Matroska packet contains it: its number in the script, and all fields but the times.
  func payload(number: Int) -> [UInt8] { Array("\(number),\(layer),\(style),,0,0,0,,\(text)".utf8) }
}
