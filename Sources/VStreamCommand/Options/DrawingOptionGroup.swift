internal import ArgumentParser
internal import VStreamCore
internal import VStreamOverlay
internal import VStreamPipeline

struct DrawingOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp(
      "What to draw: a list of boxes, labels, ids, landmarks, contours, skeleton, angles and zones, or none. (default: what "
        + "is detected, and zones and lines; none with --redact)", valueName: "list"),
    completion: .commaSeparated {
      ["boxes", "labels", "ids", "landmarks", "contours", "skeleton", "angles", "zones", "none"]
    })
  var draw: String?

  /// Whether `--draw` names the heads' angles.
  func drawsAngles() throws(VStreamError) -> Bool { try elements()?.contains(.angles) == true }

  /// The elements that `--draw` names; `nil` if it is not given.
  func elements() throws(VStreamError) -> Set<OverlayOptions.Element>? {
    guard let draw else { return nil }
    if draw == "none" { return [] }
    let names = OptionText.list(draw)
    if names.isEmpty { throw usageError("--draw", "''", "is empty", remedy: "use none to draw nothing") }
    var elements: Set<OverlayOptions.Element> = []
    for name in names {
      guard let element = OverlayOptions.Element(rawValue: name) else {
        throw usageError(
          "--draw", draw, "'\(name)' cannot be drawn",
          remedy: "use \(OverlayOptions.Element.allCases.map(\.rawValue).joined(separator: ", ")) or none")
      }
      elements.insert(element)
    }
    return elements
  }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    let isRedacted = run.command.redaction.redact != nil
    configuration.overlay =
      try elements().map { OverlayOptions(elements: $0) }
      ?? (isRedacted ? OverlayOptions(elements: []) : OverlayOptions())
  }
}
