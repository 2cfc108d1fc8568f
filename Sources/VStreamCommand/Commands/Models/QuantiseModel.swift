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
      The ranges of values are measured on every fifth frame of the videos, the models compared on others. The videos should \
      show what the model is for; a hundred frames suffice. The convolutions that compute the results stay in floats. Needs a \
      checkout of vstream, whose scripts/bootstrap installs OpenVINO's tools.
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
    if ModelCatalogue.objectModel(named: model) == nil, !FileCheck.isReadable(model) {
      throw usageError("MODEL", model, "there is no such file", remedy: "give the path of an object model")
    }
    let source = try ModelCatalogue.objectModelPath(model)
    let target = output ?? "\(Path.withoutEnding(source))-int8.xml"
    guard target.hasSuffix(".xml") else {
      throw usageError("-o", target, "does not end in .xml", remedy: "quantised models are of OpenVINO's form")
    }
    let files = [target, "\(Path.withoutEnding(target)).bin", DetectorDescription.path(beside: target)]
    for file in files { try FileCheck.requireCreatable(file, overwrite: overwrite) }
    let original = try ObjectModel(path: source)
    let folder = PartFile.path(for: target)
    try Folder.create(folder)
    defer { Folder.remove(folder) }
    let count = try measure(original, to: "\(folder)/inputs")
    try quantise(source, to: "\(folder)/\(Path.name(of: target))", original, inputs: "\(folder)/inputs")
    for file in files.prefix(2) {
      let code = PartFile.move("\(folder)/\(Path.name(of: file))", to: file, overwrite: overwrite)
      guard code == 0 else { throw VStreamError(.cannotCreateOutput, "'\(file)' cannot be written", subject: file) }
    }
    if let description = try Installation.contents(DetectorDescription.path(beside: source)) {
      try PartFile.write(description, for: files[2])
      try PartFile.commit(files[2], overwrite: overwrite)
    }
    Terminal.printResult("\(target): 8 bits, measured on \(count) frames")
    try compare(original, with: ObjectModel(path: target), score: ModelCatalogue.score(ofObjectModel: model))
  }

  /// Writes the network's inputs for the measured frames.
  ///
  /// - Returns: the number of frames.
  private func measure(_ original: ObjectModel, to path: String) throws -> Int {
    var stage = try ObjectDetectionStage(original)
    let file = try TextFile(creating: path, overwrite: true)
    let count = try frames(at: 0) { frame in
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
  private func frames(at first: Int, _ use: (VideoFrame) throws -> Void) throws -> Int {
    var count = 0
    for video in videos {
      var (index, used) = (0, 0)
      try DecodedFrames.read(MediaInput(video)) { (frame) throws(VStreamError) in
        defer { index += 1 }
        guard index % Rule.interval == first else { return true }
        do { try use(frame) } catch { throw VStreamError(any: error) }
        used += 1
        return used < Rule.frames
      }
      count += used
    }
    return count
  }

  private func quantise(_ source: String, to target: String, _ original: ObjectModel, inputs: String) throws {
    let deps = Installation.dependencyFolder
    let tools = deps.map { "\($0)/../tools" }
    guard let deps, let tools, FileCheck.isReadable("\(tools)/vstream_tools/models/quantise.py") else {
      throw VStreamError(
        .missingDependency, "OpenVINO's tools are not installed with the program",
        remedy: "run this command in a checkout of vstream, after scripts/bootstrap")
    }
    let log = "\(inputs).log"
    let status = try ChildProcess.run(
      "\(deps)/venv/bin/python3",
      [
        "-P", "-m", "vstream_tools", "models/quantise", source, target, "--inputs", inputs, "--input",
        "\(original.imageInput)",
      ], environment: ["PYTHONPATH=\(tools)"], log: log)
    guard status == 0 else {
      let lines = try String(decoding: ReadableFile.bytes(of: log), as: UTF8.self).split(separator: "\n")
      throw VStreamError(
        .unreadableInput, "'\(source)' cannot be quantised: \(lines.last ?? "it ended with status \(status)")",
        subject: source, remedy: "use it as it is, or export it as ONNX with a fixed input")
    }
  }

  private func compare(_ original: ObjectModel, with quantised: ObjectModel, score: Double) throws {
    let options = ObjectDetectionOptions(minimumScore: score)
    var stages = try [original, quantised].map { try ObjectDetectionStage($0, options: options) }
    var agreement = DetectionAgreement()
    var durations: [[Duration]] = [[], []]
    let count = try frames(at: 2) { frame in
      let found = try stages.indices.map { index in
        let timer = PassTimer()
        let objects = try stages[index].objects(in: frame, timer: timer)
        durations[index].append(timer.duration)
        return objects
      }
      agreement.add(found[1], to: found[0])
    }
    guard count > 0 else { return }
    let text = { (value: Double, digits: Int) in value.formatted(.decimals(digits)) }
    let milliseconds = durations.map { times in times.sorted()[times.count / 2] / .milliseconds(1) }
    let percent = { (value: Double?) in value.map { "\(text($0 * 100, 1)) %" } ?? "none" }
    printFacts([
      ("compared", "on \(count) other frames, objects of a score of at least \(score)"),
      ("before", "\(agreement.expected) objects, \(text(milliseconds[0], 1)) ms a pass"),
      ("after", "\(agreement.found) objects, \(text(milliseconds[1], 1)) ms a pass"),
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
