internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamSystem

/// Makes an object model whose convolutions compute with 8-bit integers, and compares it with the original.
struct QuantiseModel: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quantise",
    abstract: "Make a model of 8 bits from one of floats, and compare what both detect.",
    usage: "vstream models quantise MODEL --with VIDEO… [-o MODEL.xml] [options]",
    discussion: """
      The ranges of values are measured on every fifth frame of the videos, a hundred of each at most, and the models compared \
      on others. The videos should show the intended scenes. The last convolutions stay in floats. Needs a checkout of vstream, \
      whose scripts/bootstrap installs OpenVINO's tools, and, while it runs, disk space for the measured inputs: 2 MB a frame \
      for an input of 416 × 416.
      """)

  @Argument(
    help: ArgumentHelp("The model's file: ONNX, OpenVINO IR or TFLite.", valueName: "model"), completion: .models)
  var model: String

  @Option(
    name: .customLong("with"), parsing: .upToNextOption,
    help: ArgumentHelp("Videos to measure and to compare with.", valueName: "videos"), completion: .file())
  var videos: [String]

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp("The new model's file. (default: MODEL-int8.xml beside the model)", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(name: [.customShort("y"), .long], help: "Replace an existing model.")
  var overwrite = false

  private enum Rule {
    /// Of so many frames, one is measured and one compared.
    static let interval = 5
    /// The most frames of a video for each.
    static let frames = 100
  }

  func run() throws {
    let interrupt = Interrupt()
    let signals = StopSignals { interrupt.trigger() }
    defer { signals.end() }
    do {
      try run(interrupt)
    } catch {
      if interrupt.wasTriggered { throw ExitCode(ExitStatus.interrupted) }
      throw error
    }
  }

  private func run(_ interrupt: Interrupt) throws {
    if ModelCatalogue.objectModel(named: model) == nil, !FileCheck.isReadable(model) {
      throw usageError("MODEL", model, "there is no such file", remedy: "give the path of an object model")
    }
    if videos.contains("-") {
      throw usageError("--with", "-", "the videos are read twice", remedy: "give files")
    }
    let source = Self.withFolder(try ModelCatalogue.objectModelPath(model))
    let target = Self.withFolder(output ?? "\(Path.withoutEnding(source))-int8.xml")
    guard target.hasSuffix(".xml") else {
      throw usageError("-o", target, "does not end in .xml", remedy: "quantised models are of OpenVINO's form")
    }
    let files = try writtenFiles(of: target, from: source)
    let original = try ObjectModel(path: source)
    let score = try ModelCatalogue.score(ofObjectModel: model)
    let folder = try Folder.temporary(beside: target)
    defer { Folder.remove(folder) }
    let count = try measure(original, to: "\(folder)/inputs", interrupt)
    try quantise(source, to: "\(folder)/\(Path.name(of: target))", original, inputs: "\(folder)/inputs", interrupt)
    // The weights first: a network without them cannot be loaded.
    for file in files.reversed() {
      try PartFile.commit(
        "\(folder)/\(Path.name(of: file))", to: file, overwrite: overwrite,
        remedy: "check the free space and the permissions")
    }
    try writeDescription(of: target, from: source)
    Terminal.printResult("\(target): 8 bits, measured on \(count.counted("frame"))")
    try compare(original, with: ObjectModel(path: target), score: score, interrupt)
  }

  /// A path that no program takes for an option.
  private static func withFolder(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }

  /// The network and its weights.
  private func writtenFiles(of target: String, from source: String) throws(VStreamError) -> [String] {
    let files = [target, "\(Path.withoutEnding(target)).bin"]
    let description = DetectorDescription.path(beside: target)
    if PathIdentity.isSameLocation(source, target)
      || PathIdentity.isSameLocation("\(Path.withoutEnding(source)).bin", files[1])
    {
      throw usageError("-o", target, "is the model that is quantised", remedy: "name another file")
    }
    for file in files { try FileCheck.requireCreatable(file, overwrite: overwrite) }
    if !PathIdentity.isSameLocation(DetectorDescription.path(beside: source), description) {
      try FileCheck.requireCreatable(description, overwrite: overwrite)
    }
    return files
  }

  /// Describes the new model as the original is described, whose score may be known by its name alone.
  private func writeDescription(of target: String, from source: String) throws(VStreamError) {
    let (from, to) = (DetectorDescription.path(beside: source), DetectorDescription.path(beside: target))
    if PathIdentity.isSameLocation(from, to) { return }
    let known = ModelCatalogue.objectModel(named: model)?.score.map { Array(#"{"score": \#($0)}"#.utf8) }
    guard let description = try Installation.contents(from) ?? known else { return PartFile.remove(to) }
    try PartFile.write(description, for: to)
    try PartFile.commit(to, overwrite: overwrite)
  }

  /// Writes the network's inputs for the measured frames.
  ///
  /// - Returns: the number of frames.
  private func measure(_ original: ObjectModel, to path: String, _ interrupt: Interrupt) throws -> Int {
    let input = original.model.inputs[original.imageInput]
    guard input.element == .float32 else {
      throw VStreamError(
        .unreadableInput,
        "'\(original.model.path)' takes \(input.label), and only models of 32-bit floats are quantised",
        subject: original.model.path, remedy: "use it as it is, or export it with 32-bit floats")
    }
    var stage = try ObjectDetectionStage(original)
    let file = try TextFile(creating: path, overwrite: true)
    let count = try frames(at: 0, interrupt) { frame in
      _ = try stage.detect(in: frame, timer: UntimedSteps())
      try file.write(stage.lastInput().withUnsafeBytes { Array($0) })
    }
    try file.close()
    guard count > 0 else {
      throw usageError("--with", videos.joined(separator: " "), "has no frames", remedy: "give a video")
    }
    return count
  }

  /// Calls `use` for every fifth frame of each video, from `first` on.
  ///
  /// - Returns: how often.
  private func frames(at first: Int, _ interrupt: Interrupt, _ use: (VideoFrame) throws -> Void) throws -> Int {
    var count = 0
    for video in videos {
      var (index, used) = (0, 0)
      try DecodedFrames.read(MediaInput(video), interrupt: interrupt) { (frame) throws(VStreamError) in
        defer { index += 1 }
        if interrupt.wasTriggered { throw VStreamError(.inputOutput, "interrupted") }
        guard index % Rule.interval == first else { return true }
        do { try use(frame) } catch { throw VStreamError(any: error) }
        used += 1
        return used < Rule.frames
      }
      count += used
    }
    return count
  }

  private func quantise(
    _ source: String, to target: String, _ original: ObjectModel, inputs: String, _ interrupt: Interrupt
  ) throws {
    let deps = Installation.dependencyFolder
    let tools = deps.map { "\($0)/../tools" }
    guard let deps, let tools, FileCheck.isReadable("\(tools)/vstream_tools/models/quantise.py") else {
      throw VStreamError(
        .missingDependency, "OpenVINO's tools are not installed with the program",
        remedy: "run this command in a checkout of vstream, after scripts/bootstrap")
    }
    let log = "\(inputs).log"
    let shapes = original.model.inputs.map { $0.shape.map(String.init).joined(separator: ",") }.joined(separator: ";")
    let status = try ChildProcess.run(
      "\(deps)/venv/bin/python3",
      [
        "-P", "-m", "vstream_tools", "models/quantise", source, target, "--inputs", inputs, "--input",
        "\(original.imageInput)", "--shapes", shapes,
      ], environment: ["PYTHONPATH=\(tools)"], log: log, isInterrupted: { interrupt.wasTriggered })
    guard status == 0 else {
      let lines = try String(decoding: ReadableFile.bytes(of: log), as: UTF8.self).split(separator: "\n")
      guard let reason = lines.last(where: { $0.hasPrefix("quantise: ") }) else {
        throw VStreamError(
          .missingDependency, "OpenVINO's tools ended with status \(status): \(lines.last ?? "without a message")",
          remedy: "run scripts/bootstrap again")
      }
      throw VStreamError(
        .unreadableInput, "the model cannot be quantised: \(reason.dropFirst("quantise: ".count))", subject: source,
        remedy: "use it as it is")
    }
  }

  private func compare(
    _ original: ObjectModel, with quantised: ObjectModel, score: Double, _ interrupt: Interrupt
  ) throws {
    let options = ObjectDetectionOptions(minimumScore: score)
    var stages = try [original, quantised].map { try ObjectDetectionStage($0, options: options) }
    var agreement = DetectionAgreement()
    var durations: [[Duration]] = [[], []]
    let count = try frames(at: 2, interrupt) { frame in
      let found = try stages.indices.map { index in
        let timer = PassTimer()
        let objects = try stages[index].objects(in: frame, timer: timer)
        durations[index].append(timer.duration)
        return objects
      }
      agreement.add(found[1], to: found[0])
    }
    guard count > 0 else {
      return printFacts([("compared", "on no frames, as the videos have fewer than three")])
    }
    let text = { (value: Double, digits: Int) in value.formatted(.decimals(digits)) }
    let milliseconds = durations.map { times in times.sorted()[times.count / 2] / .milliseconds(1) }
    let percent = { (value: Double?) in value.map { "\(text($0 * 100, 1)) %" } ?? "none" }
    printFacts([
      ("compared", "on \(count) other frame\(count == 1 ? "" : "s"), objects of a score of at least \(score)"),
      ("before", "\(agreement.expected.counted("object")), \(text(milliseconds[0], 1)) ms a pass"),
      ("after", "\(agreement.found.counted("object")), \(text(milliseconds[1], 1)) ms a pass"),
      ("same", "\(percent(agreement.recall)) of those before, \(percent(agreement.precision)) of those after"),
      ("boxes", agreement.meanIoU.map { "mean IoU of the same objects \(text($0, 3))" } ?? "none"),
    ])
  }
}

/// The time of one pass of a network.
private final class PassTimer: StepTimer {
  private(set) var duration = Duration.zero

  func sampling<R>(_ body: () throws -> R) rethrows -> R { try body() }

  func inferring<R>(_ body: () throws -> R) rethrows -> R {
    let start = ContinuousClock.now
    defer { duration += ContinuousClock.now - start }
    return try body()
  }
}
