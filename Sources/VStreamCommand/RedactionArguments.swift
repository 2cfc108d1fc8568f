internal import ArgumentParser
internal import VStreamDetection
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamScene

struct RedactionArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Make what --redact-what names unrecognisable for good: mosaic, blur or fill.", valueName: "style"))
  var redact: String?

  @Option(
    help: ArgumentHelp(
      "What to redact: faces, or classes, for example person,car. (default: faces)", valueName: "list"))
  var redactWhat: String?

  @Option(
    help: ArgumentHelp(
      "Redact things also so many seconds before they were first found; frames wait as long. (default: 0.5; 0 when live)",
      valueName: "seconds"))
  var lookBack: Double?

  /// What is redacted if nothing is named.
  private static let faces = "faces"

  /// - Parameters:
  ///   - kinds: what is looked for.
  ///   - classes: the classes that are looked for; `nil` for all.
  /// - Returns: `nil` if nothing is to be redacted.
  func options(kinds: Set<String>, classes: [String]?) throws(VStreamError) -> RedactionOptions? {
    guard let redact else {
      try requireUnused()
      return nil
    }
    guard let style = RedactionStyle(rawValue: redact) else {
      let known = RedactionStyle.allCases.map(\.rawValue)
      throw usageError("--redact", redact, "is not a way to redact", remedy: "use \(known.joined(separator: ", "))")
    }
    if kinds.isEmpty {
      throw usageError(
        "--redact", redact, "cannot be done with --detect none", remedy: "leave --detect out, or name what to look for")
    }
    let labels = try labels(kinds: kinds, classes: classes)
    let seconds = try lookBack.map { seconds throws(VStreamError) in try SourceOptions.amount("--look-back", seconds) }
    return RedactionOptions(style, labels: labels, lookBackSeconds: seconds)
  }

  private func labels(kinds: Set<String>, classes: [String]?) throws(VStreamError) -> Set<String> {
    let names = (redactWhat.map(split) ?? [Self.faces]).map { $0.lowercased() }
    if names.isEmpty {
      throw usageError("--redact-what", "''", "names nothing", remedy: "name classes, for example person,car")
    }
    let looked = (classes ?? ClassList.coco.names).map { $0.lowercased() }
    for name in names where !looked.contains(name) {
      if name == Self.faces {
        throw usageError(
          "--redact-what", name, "faces cannot be detected yet", remedy: "name classes, for example person,car")
      }
      guard ClassList.coco.names.contains(name) else {
        throw usageError(
          "--redact-what", redactWhat ?? name, "'\(name)' is not a class that this model knows",
          remedy: "name classes, for example person,car")
      }
      throw usageError(
        "--redact-what", redactWhat ?? name, "\(name) is not looked for (--classes)", remedy: "add it to --classes")
    }
    return Set(names)
  }

  /// - Throws: `VStreamError.usage` for an option that means nothing without `--redact`.
  private func requireUnused() throws(VStreamError) {
    let given = [("--redact-what", redactWhat), ("--look-back", lookBack.map { "\($0)" })]
    for case (let option, let value?) in given {
      throw usageError(option, value, "means nothing without --redact", remedy: "add, for example, --redact mosaic")
    }
  }
}
