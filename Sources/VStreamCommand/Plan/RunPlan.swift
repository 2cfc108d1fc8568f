internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// A command line as a pipeline's values, and the files written after the run.
struct RunPlan {
  var configuration: PipelineConfiguration
  /// The detectors that verify the output; empty if it is not verified.
  private(set) var verifyingDetectors: [DetectorSpec] = []
  /// The options' values as recorded in the receipt.
  private let receiptOptions: [RecordedOption]
  private let statisticsPath: String?
  private let receiptPath: String?
  /// Whether the output's reader may block a write without limit.
  var writesToPipe: Bool { configuration.output?.destination.isPipe == true }

  /// - Parameter last: the run before with the same options, whose models are used again.
  /// - Throws: `VStreamError` for options that are invalid, and for files and models that cannot be used.
  init(_ command: AnnotateCommand, after last: RunPlan? = nil) throws(VStreamError) {
    let run = try RunContext(command)
    configuration = PipelineConfiguration(
      input: run.input, fontPath: LabelFont.path, threads: run.threads ?? PipelineConfiguration.processorCount)
    configuration.isFirstOfProcess = last == nil
    configuration.overwritesFiles = command.output.overwrite
    for group in command.groups { try group.apply(to: &configuration, run) }
    if let path = command.records.fromRecords {
      configuration.run = .replay(try ReplayPlan.options(path, run))
    } else if command.part.fromPaint != nil {
      configuration.detectors = []
    } else if let last {
      (configuration.detectors, configuration.models) = (last.configuration.detectors, last.configuration.models)
    } else {
      configuration.detectors = try Self.detectors(run)
    }
    try command.records.checkFormats(for: configuration.kinds)
    if let last {
      verifyingDetectors = last.verifyingDetectors
    } else {
      verifyingDetectors = try Self.verifyingDetectors(run)
    }
    var recorded: [RecordedOption] = []
    for group in command.groups { recorded += try group.recorded(run) }
    configuration.recordOptions = recorded.filter { !$0.isForReceipt }.map { ($0.name, $0.value) }
    receiptOptions = Self.receiptOptions(recorded, fromRecords: command.records.fromRecords)
    statisticsPath = command.records.stats
    receiptPath = command.redaction.receipt
    try WrittenFiles(run, folder: configuration.savedFaces).check()
    try command.output.apply(to: &configuration, run)
    configuration.output?.outdatedFiles = [receiptPath].compactMap(\.self)
    try command.redaction.checkVerification(run)
  }

  private static func detectors(_ run: RunContext) throws(VStreamError) -> [DetectorSpec] {
    try run.command.detectorGroups.filter { run.kinds.contains(type(of: $0).kind) }.map { group throws(VStreamError) in
      try group.detector(for: run.purpose(of: type(of: group).kind), run)
    }
  }

  private static func verifyingDetectors(_ run: RunContext) throws(VStreamError) -> [DetectorSpec] {
    guard run.command.redaction.verifies, let redacted = run.command.redaction.kinds else { return [] }
    return try run.command.detectorGroups.filter { redacted.contains(type(of: $0).kind) }.map {
      group throws(VStreamError) in try group.detector(for: .verification, run)
    }
  }

  /// Of a replay the receipt names the records, which state themselves how they were made.
  private static func receiptOptions(_ recorded: [RecordedOption], fromRecords path: String?) -> [RecordedOption] {
    guard let path else { return recorded }
    return [RecordedOption("fromRecords", .text(MediaInput(path).fileName))] + recorded.filter(\.isForReceipt)
  }

  /// Writes the receipt of redaction and verification, if requested.
  func writeReceipt(_ check: RedactionCheck, of result: PipelineResult) throws(VStreamError) {
    guard let receiptPath, let destination = configuration.output?.destination else { return }
    let location = destination.location
    let isFile = !destination.rules.isSegmented && FileCheck.isReadable(location)
    let hash = isFile ? try FileHash.sha256(of: location) : nil
    let receipt = RedactionReceipt(
      inputName: configuration.input.fileName, outputName: MediaInput(location).fileName,
      outputHash: hash,
      options: receiptOptions.map { ($0.name, $0.value) }, framesRedacted: result.framesRedacted ?? 0, check: check,
      unverified: result.unredacted, omitted: result.omitted, keptText: result.keptText, searches: searches,
      notSearched: notSearched, models: modelFiles, groups: result.groups?.parts)
    try write(receipt.json, to: receiptPath)
  }

  private var searches: [String] {
    let redacted = Set((configuration.redaction?.labels ?? []).map(DetectionKind.init(redactionName:)))
    let redacting = configuration.detectors.filter { redacted.contains($0.kind) }
    return redacting.flatMap(\.searches).map { "redaction: \($0)" }
      + verifyingDetectors.flatMap(\.searches).map { "verification: \($0)" }
  }

  private var notSearched: [String] {
    let between =
      configuration.detectEvery == .every(1) ? [] : ["by the redaction: frames between those of --detect-every"]
    return verifyingDetectors.flatMap(\.omissions) + between + ["audio and text"]
  }

  /// Whether there is a receipt of the output as it is, of a run with the same options, that found nothing visible in it.
  var hasCleanReceipt: Bool {
    guard let receiptPath, let location = configuration.output?.destination.location,
      let bytes = try? ReadableFile.bytes(of: receiptPath), let earlier = RedactionReceipt.Contents(json: bytes),
      earlier.isClean, let hash = try? FileHash.sha256(of: location), hash == earlier.outputHash
    else { return false }
    return earlier.options == RedactionReceipt.text(of: receiptOptions.map { ($0.name, $0.value) })
  }

  /// The files of the models that redacted and verified, as they were when these were loaded.
  private var modelFiles: [RedactionReceipt.ModelFile] {
    configuration.models.checkedFiles.map { .init(name: $0.name, hash: $0.sha256, isKnown: $0.isKnown) }
  }

  func writeStatistics(_ statistics: Statistics) throws(VStreamError) {
    if let statisticsPath { try write(statistics.json, to: statisticsPath) }
  }

  private func write(_ json: String, to path: String) throws(VStreamError) {
    let file = try TextFile(creating: path, overwrite: configuration.overwritesFiles)
    try file.write(line: json)
    try file.close()
  }
}
