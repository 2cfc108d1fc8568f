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
