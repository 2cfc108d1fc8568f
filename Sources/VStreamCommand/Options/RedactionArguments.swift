internal import ArgumentParser
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

struct RedactionOptionGroup: ParsableArguments {
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

  @Flag(
    help: ArgumentHelp(
      "Keep what is not redacted and may show the same: other video streams, covers, thumbnails, data, attachments."))
  var keepUnredacted = false

  @Flag(
    help: "After writing, look for what was redacted in the output; exit status 1 if something is found in the clear.")
  var verify = false

  @Option(help: ArgumentHelp("Write what was redacted and what --verify found, as JSON; verifies.", valueName: "file"))
  var receipt: String?

  /// Whether the output is looked at when it is written.
  var verifies: Bool { verify || receipt != nil }

  /// What is redacted if nothing is named.
  private static let faces = RedactionOptions.faces

  /// What is redacted, in lower case.
  var names: [String] { (redactWhat.map(split) ?? [Self.faces]).map { $0.lowercased() } }

  /// The kinds of things that are redacted; `nil` if nothing is.
  var kinds: Set<DetectionKind>? {
    redact == nil ? nil : Set(names.map { $0 == Self.faces ? .faces : .objects })
  }

  /// - Parameters:
  ///   - kinds: what is looked for.
  ///   - classes: the classes that are looked for; `nil` for all.
  ///   - known: the classes that the model knows; `nil` if they are not known before it is loaded.
  /// - Returns: `nil` if nothing is to be redacted.
  func options(
    kinds: Set<DetectionKind>, classes: [String]?, known: ClassList?
  ) throws(VStreamError) -> RedactionOptions? {
    guard let redact else {
      try requireUnused()
      return nil
    }
    guard let style = RedactionStyle(rawValue: redact) else {
      let known = RedactionStyle.allCases.map(\.rawValue)
      throw usageError("--redact", redact, "is not a way to redact", remedy: "use \(known.joined(separator: ", "))")
    }
    let labels = try labels(kinds: kinds, classes: classes, known: known)
    let seconds = try lookBack.map { seconds throws(VStreamError) in try SourceOptions.amount("--look-back", seconds) }
    var options = RedactionOptions(style, labels: labels, lookBackSeconds: seconds)
    options.omitsImages = !keepUnredacted
    options.recordsCovers = verifies
    return options
  }

  /// - Parameter destination: `nil` for `-o null`.
  /// - Throws: `VStreamError.usage` if the output is to be verified and cannot be read.
  func checkVerification(of destination: OutputDestination?, location: String) throws(VStreamError) {
    guard verifies else { return }
    let isFile = try !FileCheck.isSpecial(location)
    guard let destination, !destination.isLive, !destination.isPipe, isFile else {
      throw usageError(
        verify ? "--verify" : "--receipt", receipt ?? "", "'\(location)' cannot be read again", remedy: "write a file")
    }
  }

  /// What a receipt says of how things were redacted.
  var record: [(name: String, value: RecordHeader.OptionValue)] {
    var options: [(name: String, value: RecordHeader.OptionValue)] = [
      ("redact", .text(redact ?? "")), ("redactWhat", .list(redactWhat.map(split) ?? [Self.faces])),
    ]
    if let lookBack { options.append(("lookBack", .number(lookBack))) }
    options.append(("keepUnredacted", .flag(keepUnredacted)))
    return options
  }

  private func labels(
    kinds: Set<DetectionKind>, classes: [String]?, known: ClassList?
  ) throws(VStreamError) -> Set<String> {
    let names = names
    if names.isEmpty {
      throw usageError("--redact-what", "''", "names nothing", remedy: "name faces, or classes, for example person,car")
    }
    for name in names {
      let kind = name == Self.faces ? DetectionKind.faces : .objects
      if !kinds.contains(kind) {
        let found = kinds.isEmpty ? "none" : kinds.map(\.rawValue).sorted().joined(separator: ",")
        throw usageError(
          "--redact-what", name, "cannot be redacted with --detect \(found)",
          remedy: "leave --detect out, or add \(kind.rawValue) to it")
      }
      if kind == .faces { continue }
      if let known, !known.names.contains(where: { $0.lowercased() == name }) {
        throw usageError(
          "--redact-what", redactWhat ?? name, "'\(name)' is not a class that this model knows",
          remedy: "name faces, or classes, for example person,car")
      }
      if let classes, !classes.contains(where: { $0.lowercased() == name }) {
        throw usageError(
          "--redact-what", redactWhat ?? name, "\(name) is not looked for (--classes)", remedy: "add it to --classes")
      }
    }
    return Set(names)
  }

  /// - Throws: `VStreamError.usage` for an option that means nothing without `--redact`.
  private func requireUnused() throws(VStreamError) {
    let given = [
      ("--redact-what", redactWhat), ("--look-back", lookBack.map { "\($0)" }),
      ("--keep-unredacted", keepUnredacted ? "" : nil), ("--verify", verify ? "" : nil), ("--receipt", receipt),
    ]
    for case (let option, let value?) in given {
      throw usageError(option, value, "means nothing without --redact", remedy: "add, for example, --redact mosaic")
    }
  }
}
