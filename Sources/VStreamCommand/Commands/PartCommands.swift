internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Plans the parts of a video, for several machines; decodes nothing.",
    usage: "vstream split INPUT -o PLAN.json [options]",
    discussion: """
      Parts are whole multiples of \(TimeGrid.files.seconds) s of stream time. 'vstream INPUT -o null --part PLAN.json:N \
      --record-detections --records FILE' detects in one, 'vstream join' joins the records of all.
      """)

  @Argument(
    help: ArgumentHelp("A video file, or a URL whose server sends ranges.", valueName: "input"), completion: .file())
  var input: String

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Where the plan goes: a file, or - for standard output.", valueName: "plan"), completion: .file()
  )
  var output: String

  @Option(
    help: ArgumentHelp(
      "Length of a part, rounded up to multiples of \(TimeGrid.files.seconds) s.", valueName: "seconds"))
  var partDuration = 60.0

  @Flag(help: "Read every part from the input's beginning, for damaged inputs and those whose frames change in size.")
  var fromStart = false

  @Flag(name: [.customShort("y"), .long], help: "Replace an existing file.")
  var overwrite = false

  func run() throws {
    guard partDuration > 0, partDuration < 1e9 else {
      throw usageError("--part-duration", "\(partDuration)", "is not a duration", remedy: "give more than 0 seconds")
    }
    let media = MediaInput(input)
    if output != "-" {
      try WrittenPaths.check([output], reading: [media.location])
      try FileCheck.requireCreatable(output, overwrite: overwrite)
    }
    let plan = try PartPlan(of: media, partSeconds: partDuration, fromStart: fromStart)
    try plan.write(to: output)
  }
}

struct JoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Joins the parts of a video: their records, tracked once, or their rendered frames.",
    usage: """
      vstream join PLAN.json --parts FOLDER --records FILE… [--paint] [options]
      vstream join PLAN.json --parts FOLDER -o OUTPUT [options]
      """,
    discussion: """
      FOLDER has part-0000.jsonl, part-0001.jsonl and so on, one for each part of the plan. Give the options of the run: \
      those of detection as for the parts, and --events, --zone, --line, --max-objects. With -o OUTPUT, the rendered parts \
      in FOLDER, video-0000.packets and so on, are joined to a video instead; with --encode changed the video is painted \
      by paint-0000.jsonl and so on, and no part is rendered.
      """)

  @Argument(help: ArgumentHelp("The plan that vstream split made.", valueName: "plan"), completion: .file())
  var plan: String

  @Option(help: ArgumentHelp("The folder with the records of the parts.", valueName: "folder"), completion: .directory)
  var parts: String

  @Flag(help: "Write what is to be painted on the frames of each part into the folder, as paint-0000.jsonl and so on.")
  var paint = false

  @Option(
    help: ArgumentHelp("The video, if it is not where the plan was made.", valueName: "file"), completion: .file())
  var input: String?

  @OptionGroup(title: "Output") var output: OutputOptionGroup
  @OptionGroup(title: "Source") var source: SourceOptionGroup
  @OptionGroup(title: "Parts") var part: PartOptionGroup
  @OptionGroup(title: "Detection") var detection: DetectionOptionGroup
  @OptionGroup(title: "Objects") var objects: ObjectOptionGroup
  @OptionGroup(title: "Faces") var faces: FaceOptionGroup
  @OptionGroup(title: "Poses") var poses: PoseOptionGroup
  @OptionGroup(title: "Tracking") var tracking: TrackingOptionGroup
  @OptionGroup(title: "Counting") var counting: CountingOptionGroup
  @OptionGroup(title: "Drawing") var drawing: DrawingOptionGroup
  @OptionGroup(title: "Drawing") var overlayTrack: OverlayTrackOptionGroup
  @OptionGroup(title: "Redaction") var redaction: RedactionOptionGroup
  @OptionGroup(title: "Records") var records: RecordOptionGroup
  @OptionGroup(title: "Records") var crops: FaceCropOptionGroup
  @OptionGroup(title: "Several inputs") var batch: BatchOptionGroup
  @OptionGroup(title: "Running") var running: RunningOptionGroup

  func run() throws {
    let plan = try PartPlan(path: self.plan)
    let location = input ?? plan.location
    try plan.input.require(MediaInput(location), plan: self.plan)
    var command = AnnotateCommand()
    command.inputs = [location]
    (command.output, command.source, command.part, command.detection) = (output, source, part, detection)
    (command.objects, command.faces, command.poses, command.tracking) = (objects, faces, poses, tracking)
    (command.counting, command.drawing, command.overlayTrack, command.redaction) = (
      counting, drawing, overlayTrack, redaction
    )
    (command.records, command.crops, command.batch, command.running) = (records, crops, batch, running)
    command.output.name = command.output.name ?? "null"
    for rule in PartOptionGroup.joinRules { try rule.check(command) }
    if command.output.isNull {
      try joinRecords(command, plan)
    } else {
      try joinVideo(command, plan)
    }
  }

  private func paths(_ plan: PartPlan, _ file: PartOptionGroup.File) -> [String] {
    plan.parts.map { "\(parts)/\(file.name(of: $0.number))" }
  }

  private func joinRecords(_ command: AnnotateCommand, _ plan: PartPlan) throws {
    guard paint || !records.records.isEmpty else {
      throw VStreamError(
        .usage, "no records are given (--records)", remedy: "give --records FILE.jsonl, --paint, or -o OUTPUT")
    }
    var run = try RunPlan(command)
    let (read, written) = (paths(plan, .records), command.fileNames(for: [.writtenText]))
    for path in read where written.contains(where: { PathIdentity.isSameLocation(path, $0) }) {
      throw usageError("--records", path, "holds the records of a part", remedy: "give it another name")
    }
    run.configuration.run = .joinRecords(
      read, paint: paint ? JoinedPaint(of: plan.input, parts: plan.parts, paths: paths(plan, .paint)) : nil)
    try command.annotate(run)
  }

  private func joinVideo(_ command: AnnotateCommand, _ plan: PartPlan) throws {
    for option in [RecordOptionGroup.anyRecords, PartOptionGroup.paintFlag(paint)] {
      if let value = option.value(in: command) {
        throw usageError(option.name, value, "is written without -o", remedy: "join the records first, then the video")
      }
    }
    for (option, problem) in PartOptionGroup.unjoined {
      if let value = option.value(in: command) {
        throw usageError(option.name, value, problem, remedy: "omit it, or process the whole input in one run")
      }
    }
    var run = try RunPlan(command)
    run.configuration.detectors = []
    run.configuration.run =
      run.configuration.output?.copiesUnchangedGroups == true
      ? .paint(JoinedPaint(of: plan.input, parts: plan.parts, paths: paths(plan, .paint)))
      : .joinVideo(JoinedPackets(of: plan.input, paths: paths(plan, .packets)))
    try command.annotate(run)
  }
}
