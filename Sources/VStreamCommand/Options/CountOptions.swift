internal import ArgumentParser
internal import VStreamPipeline
internal import VStreamScene

struct CountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Count what is in a part of the picture: its corners in pixels, or in per cent as 25%,80%; may be repeated.",
      valueName: "name:x,y;x,y;x,y…"))
  var zone: [String] = []

  @Option(
    help: ArgumentHelp(
      "Count what crosses a line, to its right and to its left for who looks along it; may be repeated.",
      valueName: "name:x,y;x,y"))
  var line: [String] = []

  /// - Throws: `VStreamError.usage` for what is no zone or line, or for a name that is given twice.
  func regions() throws(VStreamError) -> CountedRegions {
    var regions = CountedRegions()
    for text in zone {
      let (name, corners) = try Self.parse("--zone", text, example: "door:10%,20%;40%,20%;40%,90%;10%,90%")
      guard corners.count >= 3 else {
        throw usageError("--zone", text, "has \(corners.count) corners", remedy: "give three or more")
      }
      regions.zones.append(CountedRegions.Region(name: name, corners: corners))
    }
    for text in line {
      let (name, ends) = try Self.parse("--line", text, example: "gate:0%,50%;100%,50%")
      guard ends.count == 2, ends[0] != ends[1] else {
        throw usageError("--line", text, "is not a line", remedy: "give its two ends, for example gate:0%,50%;100%,50%")
      }
      regions.lines.append(CountedRegions.Region(name: name, corners: ends))
    }
    for (option, names) in [("--zone", regions.zones.map(\.name)), ("--line", regions.lines.map(\.name))] {
      for (index, name) in names.enumerated() where names[..<index].contains(name) {
        throw usageError(option, name, "is named twice", remedy: "give each a name of its own")
      }
    }
    return regions
  }

  private static func parse(
    _ option: String, _ text: String, example: String
  ) throws(VStreamError) -> (name: String, corners: [CountedRegions.Corner]) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw usageError(option, text, "has no name", remedy: "write, for example, \(example)")
    }
    var corners: [CountedRegions.Corner] = []
    for pair in parts[1].split(separator: ";") {
      let numbers = pair.split(separator: ",", omittingEmptySubsequences: false).map { coordinate($0) }
      guard numbers.count == 2, let x = numbers[0], let y = numbers[1] else {
        throw usageError(option, text, "'\(pair)' is not a point", remedy: "write, for example, \(example)")
      }
      corners.append(CountedRegions.Corner(x: x, y: y))
    }
    return (String(parts[0]), corners)
  }

  private static func coordinate(_ text: Substring) -> CountedRegions.Coordinate? {
    let isShare = text.hasSuffix("%")
    let digits = text.drop { $0 == " " }.prefix { $0 != "%" && $0 != " " }
    guard let number = Double(digits), abs(number) < 1e6 else { return nil }
    return isShare ? .share(number / 100) : .pixels(number)
  }
}
