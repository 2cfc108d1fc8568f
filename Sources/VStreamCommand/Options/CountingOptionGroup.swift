internal import ArgumentParser
internal import VStreamCore
internal import VStreamPipeline

struct CountingOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp(
      "Count the objects in a polygon: its corners in pixels, or in percent as 25%,80%; may be repeated.",
      valueName: "name:x,y;x,y;x,y…"))
  var zone: [String] = []

  @Option(
    help: ArgumentHelp(
      "Count the objects that cross a line, to its right and to its left as seen from its first end; may be repeated.",
      valueName: "name:x,y;x,y"))
  var line: [String] = []

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    configuration.counted = try regions()
  }

  func regions() throws(VStreamError) -> CountedRegions {
    var regions = CountedRegions()
    for text in zone {
      let region = try Self.parse("--zone", text, example: "door:10%,20%;40%,20%;40%,90%;10%,90%")
      guard region.corners.count >= 3 else {
        throw usageError("--zone", text, "has \(region.corners.count) corners", remedy: "give three or more")
      }
      regions.zones.append(region)
    }
    for text in line {
      let example = "gate:0%,50%;100%,50%"
      let region = try Self.parse("--line", text, example: example)
      guard region.corners.count == 2, region.corners[0] != region.corners[1] else {
        throw usageError("--line", text, "is not a line", remedy: "give its two ends, for example \(example)")
      }
      regions.lines.append(region)
    }
    try CountedRegions.check(zones: regions.zones, lines: regions.lines)
    return regions
  }

  /// Parses `NAME:X,Y;X,Y…`.
  private static func parse(
    _ option: String, _ text: String, example: String
  ) throws(VStreamError) -> CountedRegions.Region {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw usageError(option, text, "has no name", remedy: "write, for example, \(example)")
    }
    var corners: [CountedRegions.Corner] = []
    for pair in parts[1].split(separator: ";") {
      guard let corner = CountedRegions.Corner(pair) else {
        throw usageError(option, text, "'\(pair)' is not a point", remedy: "write, for example, \(example)")
      }
      corners.append(corner)
    }
    return CountedRegions.Region(name: String(parts[0]), corners: corners)
  }
}
