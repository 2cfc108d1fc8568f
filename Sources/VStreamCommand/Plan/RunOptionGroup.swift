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
