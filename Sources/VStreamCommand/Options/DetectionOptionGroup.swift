internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamPipeline
internal import VStreamReporting

/// The detected kinds, and the frames.
struct DetectionOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp(
      "What to detect of \(DetectionKind.allCases.map(\.rawValue).joined(separator: ",")), or none. (default: objects,faces; with --redact what is redacted)",
      valueName: "list"), completion: .commaSeparated { ["objects", "faces", "poses", "none"] })
  var detect: String?

  @Option(
    help: ArgumentHelp(
      "stream tracks objects from frame to frame; single-image processes each frame by itself, without IDs. "
        + "(default: stream; single-image for photos)", valueName: "mode"),
    completion: .list(["stream", "single-image"]))
  var mode: String?

  @Option(
    help: ArgumentHelp(
      "Run the detector on the whole of every N-th frame; the tracker predicts the others. auto, for live inputs: as often "
        + "as the processor allows. (default: see --accuracy; of faces and poses, every frame)", valueName: "n|auto"),
    completion: .list(["auto"]))
  var detectEvery: String?

  @Option(
    help: ArgumentHelp("OpenVINO device: CPU, GPU, NPU or AUTO.", valueName: "device"),
    completion: .list(["CPU", "GPU", "NPU", "AUTO"]))
  var device = "CPU"

  static let detectEvery = GivenOption("--detect-every", \.detection.detectEvery)

  static var rules: [OptionRule] {
    [
      .excludes(
        GivenOption("--detect-every") { $0.detection.detectEvery == "1" ? nil : $0.detection.detectEvery },
        RecordOptionGroup.fromRecords, "no detector runs with --from-records", remedy: "omit --detect-every")
    ]
  }

  /// The detected kinds, given or by default.
  ///
  /// - Parameter redacted: the redacted kinds; `nil` for none.
  func kinds(redacting redacted: Set<DetectionKind>?) throws(VStreamError) -> Set<DetectionKind> {
    guard let detect else { return redacted ?? [.objects, .faces] }
    let names = OptionText.list(detect)
    let remedy = "use \(DetectionKind.allCases.map(\.rawValue).joined(separator: ", ")) or none"
    if names.isEmpty { throw usageError("--detect", "''", "is empty", remedy: remedy) }
    if names == ["none"] { return [] }
    var kinds: Set<DetectionKind> = []
    for name in names {
      guard let kind = DetectionKind(rawValue: name) else {
        throw Self.cannotDetect(name, in: detect, remedy: remedy)
      }
      kinds.insert(kind)
    }
    return kinds
  }

  /// The error of a name that is not a kind: the kind that was probably meant, or the option for a class.
  private static func cannotDetect(_ name: String, in list: String, remedy: String) -> VStreamError {
    if name == "none" { return usageError("--detect", list, "none cannot be combined with others", remedy: remedy) }
    let hint =
      ClassList.coco.names.contains(name) && Misspelling.suggestion(for: name, in: kindNames) == nil
      ? "for objects of that class use --classes \(name);" : Misspelling.suggestion(for: name, in: kindNames)
    return usageError(
      "--detect", list, "'\(name)' cannot be detected", remedy: hint.map { "\($0) \(remedy)" } ?? remedy)
  }

  private static let kindNames = DetectionKind.allCases.map(\.rawValue) + ["none"]

  /// The device by OpenVINO's name.
  func deviceName() throws(VStreamError) -> String {
    let known = ["CPU", "GPU", "NPU", "AUTO"]
    guard known.contains(device.uppercased()) else {
      throw usageError("--device", device, "is not a device", remedy: "use \(known.joined(separator: ", "))")
    }
    return device.uppercased()
  }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    configuration.mode = try mode.map { (text) throws(VStreamError) in
      try OptionText.value("--mode", text, "is not a mode")
    }
    configuration.detectEvery = try interval()
  }

  private func interval() throws(VStreamError) -> DetectionInterval {
    guard let detectEvery else { return .every(1) }
    if detectEvery == "auto" { return .auto }
    guard let number = Int(detectEvery), number >= 1 else {
      throw usageError("--detect-every", detectEvery, "is not a number of frames", remedy: "give 1 or more, or auto")
    }
    return .every(number)
  }

  func recorded(_ run: RunContext) -> [RecordedOption] {
    var options = [RecordedOption("detect", .list(run.kinds.map(\.rawValue).sorted()))]
    if run.kinds.isEmpty { return options }
    if let mode { options.append(RecordedOption("mode", .text(mode))) }
    options.append(RecordedOption("detectEvery", .text(detectEvery ?? run.replayedRecords?.detectEvery ?? "1")))
    return options
  }
}
