internal import ArgumentParser
internal import VStreamCore
internal import VStreamPipeline
internal import VStreamReporting

/// Options of one subject, which check themselves, set the configuration and name the recorded ones.
///
/// A new option is declared in its group, and used in `apply` (or `detector`). `RunPlan` runs all groups of
/// `AnnotateCommand.groups`, so that no other file has to be edited for a new option.
protocol RunOptionGroup: ParsableArguments {
  /// Exclusions and requirements; checked before anything is applied.
  static var rules: [OptionRule] { get }
  /// The options that name files.
  static var files: [FileOption] { get }

  /// Sets the configuration, or throws for values that are invalid.
  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError)

  /// The options' values as recorded in the header and the receipt, in their order.
  func recorded(_ run: RunContext) throws(VStreamError) -> [RecordedOption]
}

extension RunOptionGroup {
  static var rules: [OptionRule] { [] }
  static var files: [FileOption] { [] }
  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {}
  func recorded(_ run: RunContext) throws(VStreamError) -> [RecordedOption] { [] }
}

protocol DetectorOptionGroup: RunOptionGroup {
  static var kind: DetectionKind { get }
  func detector(for purpose: DetectionPurpose, _ run: RunContext) throws(VStreamError) -> DetectorSpec
}

extension DetectorOptionGroup {
  /// The options have no effect unless the kind is detected.
  static func detectionRules(_ options: [GivenOption]) -> [OptionRule] {
    let detected = GivenOption("--detect \(kind)") { command in
      (try? command.detection.kinds(redacting: command.redaction.kinds))?.contains(kind) == false ? nil : ""
    }
    return options.map { .requires($0, detected, "\(kind) are not detected", remedy: "add \(kind) to --detect") }
  }
}

/// A value that the records' header states, or only the receipt of a redaction.
struct RecordedOption: Sendable {
  let name: String
  let value: RecordHeader.OptionValue
  let isForReceipt: Bool

  init(_ name: String, _ value: RecordHeader.OptionValue, isForReceipt: Bool = false) {
    self.name = name
    self.value = value
    self.isForReceipt = isForReceipt
  }
}

/// An option, and whether a command line has it.
struct GivenOption: Sendable {
  let name: String
  private let given: @Sendable (AnnotateCommand) -> String?

  /// - Parameter given: the option's value, empty for a flag; `nil` if it is not given.
  init(_ name: String, _ given: @escaping @Sendable (AnnotateCommand) -> String?) {
    self.name = name
    self.given = given
  }

  init(_ name: String, _ path: any KeyPath<AnnotateCommand, String?> & Sendable) {
    self.init(name) { $0[keyPath: path] }
  }

  init(_ name: String, _ path: any KeyPath<AnnotateCommand, Bool> & Sendable) {
    self.init(name) { $0[keyPath: path] ? "" : nil }
  }

  /// The option's value, empty for a flag; `nil` if it is not given.
  func value(in command: AnnotateCommand) -> String? { given(command) }
}

/// One option excludes or requires another.
struct OptionRule: Sendable {
  enum Relation: Sendable {
    case excludes
    case requires
  }

  let option: GivenOption
  let relation: Relation
  let other: GivenOption
  private let problem: String
  private let remedy: String

  /// `option` and `other` cannot be combined.
  static func excludes(_ option: GivenOption, _ other: GivenOption, _ problem: String, remedy: String) -> OptionRule {
    OptionRule(option: option, relation: .excludes, other: other, problem: problem, remedy: remedy)
  }

  /// `option` has no effect without `other`.
  static func requires(_ option: GivenOption, _ other: GivenOption, _ problem: String, remedy: String) -> OptionRule {
    OptionRule(option: option, relation: .requires, other: other, problem: problem, remedy: remedy)
  }

  /// - Throws: `VStreamError.usage` if a command line breaks the rule.
  func check(_ command: AnnotateCommand) throws(VStreamError) {
    guard let value = option.value(in: command) else { return }
    let hasOther = other.value(in: command) != nil
    if hasOther == (relation == .excludes) { throw usageError(option.name, value, problem, remedy: remedy) }
  }
}

/// An option that names a file or folder.
///
/// Batches give each input files of its own by these options; a run checks by them that it overwrites nothing that it reads.
struct FileOption {
  enum Use {
    case read
    /// Records, statistics or a receipt.
    case writtenText
    case writtenVideo
    case writtenFolder
  }

  let name: String
  let use: Use
  private let read: (AnnotateCommand) -> [String]
  private let change: (inout AnnotateCommand, (String) -> String) -> Void

  init(_ name: String, _ path: WritableKeyPath<AnnotateCommand, String?>, use: Use = .writtenText) {
    self.name = name
    self.use = use
    read = { [$0[keyPath: path]].compactMap(\.self) }
    change = { command, renamed in command[keyPath: path] = command[keyPath: path].map(renamed) }
  }

  init(_ name: String, _ path: WritableKeyPath<AnnotateCommand, [String]>) {
    self.name = name
    use = .writtenText
    read = { $0[keyPath: path] }
    change = { command, renamed in command[keyPath: path] = command[keyPath: path].map(renamed) }
  }

  /// The names that a command line gives.
  func names(in command: AnnotateCommand) -> [String] { read(command) }

  /// Replaces each name by what `renamed` makes of it.
  func rename(in command: inout AnnotateCommand, _ renamed: (String) -> String) { change(&command, renamed) }
}
