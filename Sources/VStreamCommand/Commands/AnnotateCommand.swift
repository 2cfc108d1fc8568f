internal import ArgumentParser
internal import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

struct AnnotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "annotate",
    abstract: "Finds and tracks what is in a video, draws it, and writes the video anew.",
    usage: """
      vstream INPUT -o OUTPUT [options]
      vstream INPUT… --output-dir FOLDER [options]
      vstream track DETECTIONS.txt -o TRACKS.txt --fps F
                                the tracker alone, from MOTChallenge to MOTChallenge
      vstream bench INPUT       how fast that goes, stage by stage; 'bench --help' says more
      vstream models            the models: where they are, whose, and whether they are there;
                                'models describe', 'check' and 'get' say more, check and fetch them
      vstream --version         vstream's, FFmpeg's and OpenVINO's versions
      """,
    discussion: """
      vstream input.mp4 -o annotated.mp4                     boxes, labels and IDs on what is found
      vstream input.mp4 -o null --records found.jsonl        what is found, as text; no video
      vstream input.mp4 -o people.mkv --classes person       only people
      vstream input.mp4 -o safe.mp4 --redact mosaic --redact-what person
                                                             people made unrecognisable
      vstream input.mp4 -o faces.mp4 --detect faces --face-contours
                                                             only faces, with their lines
      vstream input.mp4 -o poses.mp4 --detect poses --max-poses 4
                                                             skeletons of up to four people
      """)

  @Argument(help: ArgumentHelp("Video files, URLs, or - for standard input.", valueName: "input"))
  var inputs: [String] = []

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "What to find") var find: FindOptions
  @OptionGroup(title: "Faces") var faces: FaceOptions
  @OptionGroup(title: "Poses") var poses: PoseOptions
  @OptionGroup(title: "Tracking") var tracking: TrackingOptions
  @OptionGroup(title: "Counting") var counting: CountOptions
  @OptionGroup(title: "Drawing") var drawing: DrawingOptions
  @OptionGroup(title: "Drawing") var overlayTrack: OverlayTrackOptions
  @OptionGroup(title: "Redaction") var redaction: RedactionOptionGroup
  @OptionGroup(title: "Records") var records: RecordOptions
  @OptionGroup(title: "Records") var crops: FaceCropOptions
  @OptionGroup(title: "Several inputs") var batch: BatchOptions
  @OptionGroup(title: "Running") var running: RunningOptions

  /// The input of a run.
  var input: String { inputs.first ?? "" }

  func run() throws {
    if let batch = try Batch(self) { return try batch.run() }
    guard output.name != nil else {
      throw VStreamError(
        .usage, "nothing says where the output goes (--output)",
        remedy: "give -o FILE, or -o null for none; 'vstream --help' lists the options")
    }
    try annotate(RunPlan(self))
  }

  /// One run.
  ///
  /// - Parameter place: goes before the line that shows how far it is.
  func annotate(_ plan: RunPlan, place: String = "") throws {
    let console = try Console(running, place: place)
    plan.removeReceipt()
    let pipeline = Pipeline(plan.configuration)
    let signals = StopSignals { pipeline.stop() }
    defer { signals.end() }
    let result: PipelineResult
    do {
      result = try pipeline.run { progress in
        console.show(progress)
        guard progress.isSinkStuck, plan.writesToPipe else { return }
        console.clear()
        Terminal.printLine("vstream: stopped, while '\(output.output)' took nothing")
        _exit(ExitStatus.interrupted)
      }
    } catch {
      console.clear()
      // What was done by then is worth knowing; the error itself goes before one of writing this.
      if let statistics = pipeline.statistics, statistics.counts.framesOut > 0 { try? plan.writeStatistics(statistics) }
      throw error
    }
    console.clear()
    try plan.writeStatistics(result.statistics)
    if result.wasClosedByReader { return }
    console.conclude(result, output: output.output)
    let damaged = result.statistics.counts.corruptPackets
    if source.strict, damaged > 0 {
      throw VStreamError(
        .unreadableInput, "'\(input)' is damaged: \(damaged) packets (--strict)",
        remedy: "what could be decoded is written")
    }
    if result.wasStopped { throw ExitCode(ExitStatus.interrupted) }
    if redaction.verifies { try verify(plan, result, console) }
  }

  /// Looks for what was redacted in what was written.
  private func verify(_ plan: RunPlan, _ result: PipelineResult, _ console: Console) throws {
    guard let destination = plan.configuration.output?.destination,
      let verification = RedactionVerifier(
        of: plan.configuration, detectors: plan.verifyingDetectors, location: destination.location,
        covers: result.covers)
    else { return }
    let signals = StopSignals { verification.stop() }
    defer { signals.end() }
    let check = try verification.run { console.show($0) }
    console.clear()
    guard let check else { throw ExitCode(ExitStatus.interrupted) }
    try plan.writeReceipt(check, framesRedacted: result.framesRedacted ?? 0)
    console.conclude(check, output: output.output)
    if !check.residuals.isEmpty { throw ExitCode(ExitStatus.found) }
  }
}

/// The command line as the values that a pipeline takes.
struct RunPlan {
  var configuration: PipelineConfiguration
  private let statisticsPath: String?
  private let receiptPath: String?
  /// What looks at the output, if it is verified.
  private(set) var verifyingDetectors: [DetectorFactory] = []
  private let redactionRecord: [(name: String, value: RecordHeader.OptionValue)]
  /// Whether whoever takes the output may keep a write waiting for ever.
  var writesToPipe: Bool { configuration.output?.destination.isPipe == true }

  /// - Parameter last: the run before with the same options, whose models are used again.
  init(_ command: AnnotateCommand, after last: RunPlan? = nil) throws {
    let threads = try command.running.threadCount()
    let input = try command.source.input(command.input)
    let kinds = try command.find.kinds(redacting: command.redaction.kinds)
    configuration = PipelineConfiguration(
      input: input, fontPath: LabelFont.path, threads: threads ?? PipelineConfiguration.processorCount)
    configuration.start = try SourceOptions.seconds("--start", command.source.start)
    configuration.duration = try SourceOptions.seconds("--duration", command.source.duration)
    configuration.isRealtime = command.source.realtime
    configuration.late = try command.source.latePolicy()
    configuration.hold = try SourceOptions.amount("--hold", command.source.hold)
    configuration.reconnectSeconds = try SourceOptions.amount("--reconnect", command.source.reconnect)
    configuration.mode = try command.find.detectionMode()
    configuration.detectEvery = try command.find.interval()
    configuration.savedFaces = try command.crops.folder(
      kinds: kinds, isReplay: command.records.fromRecords != nil, redaction: command.redaction,
      overwrite: command.output.overwrite)
    let isKnownModel = ModelCatalogue.all.contains { $0.name == command.find.objectModel }
    configuration.redaction = try command.redaction.options(
      kinds: kinds, classes: command.find.classNames(), known: isKnownModel ? .coco : nil)
    try command.overlayTrack.check(command, isDetecting: !kinds.isEmpty)
    configuration.overlay =
      try command.overlayTrack.isWanted
      ? command.overlayTrack.elements(command.drawing)
      : command.drawing.overlay(isRedacted: configuration.redaction != nil)
    configuration.maximumObjects = try command.find.maximumObjects()
    configuration.categories = try Self.categories(command.find, kinds)
    configuration.tracker = try command.tracking.tracker(minimumScore: command.find.score())
    configuration.isFirstOfProcess = last == nil
    let isRedactingFaces = configuration.redaction?.labels.contains(RedactionOptions.faces) == true
    if let last, command.records.fromRecords == nil {
      configuration.detectors = last.configuration.detectors
    } else if let path = command.records.fromRecords {
      configuration.replay = try Self.replay(path, command, kinds)
    } else {
      if kinds.contains(.objects) {
        let labels = configuration.redaction?.labels.subtracting([RedactionOptions.faces]) ?? []
        configuration.detectors.append(try Self.objectDetector(command.find, redacting: labels))
      }
      if kinds.contains(.faces) {
        configuration.detectors.append(
          try Self.faceDetector(
            command, isRedactingFaces ? .redacting(isVerified: command.redaction.verifies) : .showing,
            isRecorded: !command.records.records.isEmpty || command.crops.saveFaces != nil))
      }
      if kinds.contains(.poses) {
        configuration.detectors.append(try Self.poseDetector(command))
      }
    }
    configuration.recordOptions = try Self.recordOptions(command, kinds: kinds)
    configuration.records = command.records.records
    configuration.recordsEvents = command.records.events
    configuration.counted = try command.counting.regions()
    configuration.recordsDetections = command.records.recordDetections
    statisticsPath = command.records.stats
    receiptPath = command.redaction.receipt
    redactionRecord = command.redaction.record
    if let last {
      verifyingDetectors = last.verifyingDetectors
    } else if command.redaction.verifies {
      let redacted = command.redaction.kinds ?? []
      if redacted.contains(.objects) { verifyingDetectors.append(try Self.objectDetector(command.find, redacting: [])) }
      if redacted.contains(.faces) {
        verifyingDetectors.append(
          try Self.faceDetector(command, .verifying, isRecorded: false))
      }
    }
    try checkFiles(command)
    configuration.output = try Self.output(command, threads: threads)
    try command.redaction.checkVerification(
      of: configuration.output?.destination, location: command.output.output)
  }

  /// - Parameter redacting: classes that the model has to know.
  private static func objectDetector(
    _ find: FindOptions, redacting labels: Set<String>
  ) throws(VStreamError) -> DetectorFactory {
    let names = try find.classNames()
    if let names, ModelCatalogue.all.contains(where: { $0.name == find.objectModel }) {
      _ = try ClassList.coco.indices(of: names)
    }
    return .objects(
      model: try modelPath(find.objectModel), classes: names, requiring: labels.sorted(),
      minimumScore: try find.score(), isTiled: find.accurate, device: try find.deviceName())
  }

  /// Makes what tells categories; `nil` if they are not asked for.
  private static func categories(
    _ find: FindOptions, _ kinds: Set<DetectionKind>
  ) throws(VStreamError) -> (@Sendable () throws -> CategoryClassifier)? {
    guard find.categories else { return nil }
    guard kinds.contains(.objects) else {
      throw VStreamError(.usage, "--categories: no objects are looked for", remedy: "add objects to --detect")
    }
    let device = try find.deviceName()
    // What is missing is said before anything is written.
    _ = try ModelCatalogue.efficientNetLite3.requirePath()
    return { try CategoryClassifier(CategoryModel(device: device)) }
  }

  private static func writtenTexts(_ command: AnnotateCommand) -> [String] {
    command.records.records + [command.records.stats, command.redaction.receipt].compactMap(\.self)
  }

  private static func writtenVideo(_ command: AnnotateCommand) -> [String] {
    let output = command.output.output
    return output == "null" || output == "-" ? [] : [MediaInput(output).location]
  }

  private static func replay(
    _ path: String, _ command: AnnotateCommand, _ kinds: Set<DetectionKind>
  ) throws(VStreamError) -> ReplayOptions {
    for written in writtenTexts(command) + writtenVideo(command) where PathIdentity.isSameLocation(path, written) {
      throw VStreamError(
        .usage, "'\(written)' is what is read (--from-records) and would be lost", remedy: "give it another name")
    }
    var options = ReplayOptions(path: path, classes: try command.find.classNames().map { Set($0) })
    let recorded = try options.recordedKinds()
    options.kinds = kinds.intersection(recorded)
    guard !options.kinds.isEmpty else {
      throw VStreamError(
        .usage,
        "--from-records: '\(path)' holds \(recorded.map(\.rawValue).sorted().joined(separator: ", ")), and "
          + "\(kinds.isEmpty ? "nothing" : kinds.map(\.rawValue).sorted().joined(separator: ", ")) is wanted",
        remedy: "leave --detect out")
    }
    if let missing = command.redaction.kinds?.subtracting(options.kinds).first {
      throw VStreamError(
        .usage, "--redact: '\(path)' holds no \(missing.rawValue)",
        remedy: "record it with --detect \(missing.rawValue)")
    }
    options.requiresEveryFrame = command.redaction.redact != nil
    let redacted = options.requiresEveryFrame ? Set(command.redaction.names).subtracting([RedactionOptions.faces]) : []
    if let classes = try options.open().classes,
      let missing = redacted.subtracting(classes.map { $0.lowercased() }).min()
    {
      throw VStreamError(
        .usage, "--redact: '\(path)' was recorded for \(classes.sorted().joined(separator: ", ")) alone",
        remedy: "record it without --classes, or with \(missing)")
    }
    for (name, isSet) in [
      ("--accurate", command.find.accurate), ("--detect-every", command.find.detectEvery != "1"),
      ("--object-model", command.find.objectModel != ModelCatalogue.standardObjectModel.name),
    ] where isSet {
      throw VStreamError(.usage, "\(name) with --from-records: no detector runs", remedy: "leave \(name) out")
    }
    let needed = [
      ("--events", command.records.events), ("--record-detections", command.records.recordDetections),
      ("--redact", command.redaction.redact != nil),
    ]
    guard let name = needed.first(where: { $0.1 })?.0, try !options.open().hasDetections else { return options }
    throw VStreamError(
      .usage, "\(name): '\(path)' holds tracks, and not the detections that they were made of",
      remedy: "record it with --record-detections")
  }

  /// - Parameter isRecorded: whether records say which way heads are turned.
  private static func faceDetector(
    _ command: AnnotateCommand, _ use: FaceUse, isRecorded: Bool
  ) throws(VStreamError) -> DetectorFactory {
    let drawsAngles = try command.drawing.drawsAngles()
    let options = try command.faces.detector(for: use, needsAngles: isRecorded || drawsAngles)
    return .faces(options, device: try command.find.deviceName())
  }

  private static func poseDetector(
    _ command: AnnotateCommand
  ) throws(VStreamError) -> DetectorFactory {
    let options = try command.poses.detector()
    let device = try command.find.deviceName()
    return .poses(options, device: device)
  }

  /// The file of a model that is named in the catalogue, or is a file itself.
  private static func modelPath(_ name: String) throws(VStreamError) -> String {
    if let path = try ModelCatalogue.locateObjectModel(name) { return path }
    let names = ModelCatalogue.objectModels.map(\.name).joined(separator: ", ")
    if name.contains("/") || name.contains(".") {
      throw VStreamError(
        .missingDependency, "there is no model file '\(name)' (--object-model)", remedy: "models by name: \(names)")
    }
    throw usageError("--object-model", name, "is neither a known model nor a file", remedy: "known: \(names)")
  }

  private static func output(_ command: AnnotateCommand, threads: Int?) throws -> PipelineOutput? {
    let destination = command.output.output == "null" ? nil : try command.output.destination()
    let encoder = try command.output.encoder(for: destination, threads: threads)
    let codec = try VideoCodec(encoder: encoder.codec)
    try codec.check(encoder)
    let isCopied = command.overlayTrack.isWanted
    if !isCopied { try destination?.requireHolds(codec) }
    let copiesAudio = try command.output.copiesAudio()
    return destination.map { destination in
      var destination = destination
      destination.timeout = command.source.timeout
      var output = PipelineOutput(
        destination: destination, codec: codec, encoder: encoder, copiesAudio: copiesAudio)
      output.hasOverlayTrack = isCopied
      return output
    }
  }

  /// That no file is written over unasked, or read and written at once.
  private func checkFiles(_ command: AnnotateCommand) throws {
    let texts = try Self.writtenTexts(command) + [command.overlayTrack.scriptPath(command)].compactMap(\.self)
    let written = texts + Self.writtenVideo(command)
    let input = MediaInput(command.input)
    for (index, path) in written.enumerated() {
      if PathIdentity.isSameLocation(input.location, path) {
        throw VStreamError(
          .usage, "'\(path)' is the input itself and would be lost", remedy: "give the output another name")
      }
      if [".part", ".final.part"].contains(where: { PathIdentity.isSameLocation(input.location, path + $0) }) {
        throw VStreamError(
          .usage, "'\(path)' is first written as '\(path).part', which is the input", remedy: "rename the input")
      }
      if written[..<index].contains(where: { PathIdentity.isSameLocation($0, path) }) {
        throw VStreamError(.usage, "'\(path)' is named for two outputs", remedy: "give each a name of its own")
      }
    }
    if command.output.output != "null" {
      let destination = try command.output.destination()
      for path in try command.source.input(command.input).files() where destination.writes(to: path) {
        throw VStreamError(
          .usage, "'\(path)' is a picture of the input and would be lost",
          remedy: "write to another folder, or under another name")
      }
    }
    if let folder = configuration.savedFaces { try check(folder, command, written: written) }
    try command.records.check()
    try input.requireExists(format: command.source.inputFormat)
    if let replay = configuration.replay { _ = try replay.open() }
    for path in texts {
      if try !FileCheck.isSpecial(path) { try FileCheck.requireCreatable(path, overwrite: command.output.overwrite) }
    }
    try configuration.savedFaces?.requireCreatable()
  }

  /// That no saved face is written over what is read, or over another output.
  private func check(_ folder: ImageFolder, _ command: AnnotateCommand, written: [String]) throws {
    let remedy = "save the faces in another folder"
    let read = try command.source.input(command.input).files() + [MediaInput(command.input).location]
    if let path = read.first(where: folder.mayWrite(to:)) {
      throw VStreamError(
        .usage, "'\(path)' is read, and --save-faces \(folder.path) might write it over", remedy: "\(remedy)")
    }
    let destination = command.output.output == "null" ? nil : try command.output.destination()
    let isShared = destination?.writes(to: folder.imagePath(1)) == true
    if let path = isShared ? command.output.output : written.first(where: folder.mayWrite(to:)) {
      throw VStreamError(
        .usage, "'\(path)' might be written by --save-faces \(folder.path) as well", remedy: "\(remedy)")
    }
  }

  private static func recordOptions(
    _ command: AnnotateCommand, kinds: Set<DetectionKind>
  ) throws(VStreamError) -> [(name: String, value: RecordHeader.OptionValue)] {
    typealias Option = (name: String, value: RecordHeader.OptionValue)
    var options: [Option] = [("detect", .list(kinds.map(\.rawValue).sorted()))]
    guard !kinds.isEmpty else { return options }
    let find = command.find
    if let mode = find.mode { options.append(("mode", .text(mode))) }
    options.append(("detectEvery", .text(find.detectEvery)))
    if kinds.contains(.objects) {
      options.append(("objectModel", .text(MediaInput(find.objectModel).fileName)))
      if find.categories { options.append(("categories", .flag(true))) }
      if find.accurate { options.append(("accurate", .flag(true))) }
      if let most = find.maxObjects { options.append(("maxObjects", .integer(most))) }
      if let classes = try find.classNames() { options.append(("classes", .list(classes))) }
      options.append(("minScore", .number(find.minScore)))
    }
    if kinds.contains(.faces) {
      let isRedacting = command.redaction.kinds?.contains(.faces) == true
      let use = isRedacting ? FaceUse.redacting(isVerified: command.redaction.verifies) : .showing
      options += faceOptions(try command.faces.detector(for: use, needsAngles: true))
      if let search = command.faces.faceSearch { options.append(("faceSearch", .number(search))) }
    }
    if kinds.contains(.poses) {
      let poses = try command.poses.detector()
      options.append(("poseMode", .text(poses.performanceMode.rawValue)))
      options.append(("maxPoses", .integer(poses.maxPoses)))
    }
    options.append(("lostAfter", .number(command.tracking.lostAfter)))
    options.append(("confirmAfter", .integer(command.tracking.confirmAfter)))
    options.append(("minIoU", .number(command.tracking.minIou)))
    if command.records.events { options.append(("events", .flag(true))) }
    if command.records.recordDetections { options.append(("recordDetections", .flag(true))) }
    return options
  }

  private static func faceOptions(
    _ options: FaceDetectorOptions
  ) -> [(name: String, value: RecordHeader.OptionValue)] {
    let wanted = [
      ("landmarks", options.landmarkMode), ("contours", options.contourMode),
      ("classification", options.classificationMode),
    ]
    return [
      ("faceMode", .text(options.performanceMode.rawValue)),
      ("faceParts", .list(wanted.filter { $0.1 == .all }.map(\.0))), ("minFaceSize", .number(options.minFaceSize)),
    ]
  }

  /// Removes the receipt of an earlier run, which says nothing of what is written now.
  func removeReceipt() {
    if let receiptPath { PartFile.remove(receiptPath) }
  }

  /// What a receipt says of the run. Records tell themselves how they were made, so of a replay only their name is told.
  private var receiptOptions: [(name: String, value: RecordHeader.OptionValue)] {
    var options = redactionRecord
    if let replay = configuration.replay {
      options.insert(("fromRecords", .text(MediaInput(replay.path).fileName)), at: 0)
    } else {
      options = configuration.recordOptions + options
    }
    if let start = configuration.start { options.append(("start", .number(start))) }
    if let duration = configuration.duration { options.append(("duration", .number(duration))) }
    return options
  }

  /// Writes what was redacted and what a check found, if that was asked for.
  func writeReceipt(_ check: ResidualReport, framesRedacted: Int) throws(VStreamError) {
    guard let receiptPath, let destination = configuration.output?.destination else { return }
    let location = destination.location
    let isFile = !destination.rules.isSegmented && FileCheck.isReadable(location)
    let receipt = RedactionReceipt(
      inputName: configuration.input.fileName, outputName: MediaInput(location).fileName,
      outputHash: isFile ? try FileHash.sha256(of: location) : nil,
      options: receiptOptions, framesRedacted: framesRedacted, check: check)
    let file = try TextFile(creating: receiptPath)
    try file.write(line: receipt.json)
    try file.close()
  }

  func writeStatistics(_ statistics: Statistics) throws(VStreamError) {
    guard let statisticsPath else { return }
    let file = try TextFile(creating: statisticsPath)
    try file.write(line: statistics.json)
    try file.close()
  }
}
