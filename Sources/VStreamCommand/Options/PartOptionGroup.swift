internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamSystem

/// One part of a video that several machines process.
struct PartOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp(
      "Detect in one part of the input, of a plan that vstream split made; parts are numbered from 0.",
      valueName: "plan.json:n"))
  var part: String?

  @Option(
    help: ArgumentHelp(
      "With --part: paint what vstream join --paint decided, instead of detecting; -o names the output of all parts.",
      valueName: "file"), completion: .file())
  var fromPaint: String?

  @Option(
    help: ArgumentHelp("With --from-paint: the file for the packets of the encoded part.", valueName: "file"),
    completion: .file())
  var packets: String?

  static let fromPaint = GivenOption("--from-paint", \.part.fromPaint)
  static let packets = GivenOption("--packets", \.part.packets)
  static let part = GivenOption("--part", \.part.part)

  /// Options that depend on frames of other parts, or on the whole.
  private static let whole: [(option: GivenOption, problem: String)] = [
    (GivenOption("--start", \.source.start), "parts are of the whole input"),
    (GivenOption("--duration", \.source.duration), "parts are of the whole input"),
    (GivenOption("--realtime", \.source.realtime), "parts are of files"),
    (GivenOption("--categories", \.objects.categories), "categories are detected along whole tracks"),
    (GivenOption("--save-faces", \.crops.saveFaces), "faces are selected along whole tracks"),
    (RecordOptionGroup.fromRecords, "no detector runs with it"),
    (GivenOption("--fps", \.output.fps), "frames would be repeated and omitted across parts"),
  ]

  static var rules: [OptionRule] {
    whole.map { .excludes(part, $0.option, "cannot be combined with \($0.option.name): \($0.problem)", remedy: remedy) }
      + [
        .requires(
          part, GivenOption("-o null or --from-paint") { $0.output.isNull || $0.part.fromPaint != nil ? "" : nil },
          "a part is detected or rendered, not both at once", remedy: "give -o null, or --from-paint FILE"),
        .requires(
          part,
          GivenOption("--record-detections or --from-paint") {
            $0.records.recordDetections || $0.part.fromPaint != nil ? "" : nil
          }, "is of no use without recorded detections", remedy: "add --record-detections and --records FILE.jsonl"),
        .requires(fromPaint, part, "is for one part", remedy: "add --part PLAN.json:N"),
        .requires(fromPaint, packets, "has no file for the encoded part", remedy: "add --packets FILE"),
        .requires(packets, fromPaint, "is for rendered parts", remedy: "add --from-paint FILE"),
      ]
      + unpainted.map {
        .excludes(fromPaint, $0.option, "cannot be combined with \($0.option.name): \($0.problem)", remedy: "omit it")
      }
  }

  /// Options that rendering has no use for.
  private static let unpainted: [(option: GivenOption, problem: String)] = [
    (RecordOptionGroup.anyRecords, "nothing is detected"),
    (GivenOption("-o null") { $0.output.isNull ? "" : nil }, "-o names the output of all parts"),
    (GivenOption("--overlay-track") { $0.overlayTrack.overlayTrack }, "the video would be copied"),
    (OutputOptionGroup.encodeChanged, "vstream join -o takes it, and needs no rendered parts"),
    (GivenOption("--verify") { $0.redaction.verify ? "" : nil }, "the output of all parts is verified by itself"),
    (GivenOption("--receipt") { $0.redaction.receipt }, "the output of all parts is verified by itself"),
  ]

  /// The exclusions of `vstream join`.
  static var joinRules: [OptionRule] {
    let always = GivenOption("join") { _ in "" }
    return
      (whole + [
        (part, "parts are processed by themselves"), (fromPaint, "parts are rendered by themselves"),
        (packets, "parts are rendered by themselves"),
      ]).map {
        .excludes($0.option, always, "cannot be combined with join: \($0.problem)", remedy: remedy)
      }
  }

  /// Options that a video of rendered parts cannot have.
  static var unjoined: [(option: GivenOption, problem: String)] {
    unpainted.filter { ["--overlay-track", "--verify", "--receipt"].contains($0.option.name) }.map {
      ($0.option, "cannot be combined with join: \($0.problem)")
    }
  }

  /// `--paint` of `vstream join`.
  static func paintFlag(_ isGiven: Bool) -> GivenOption { GivenOption("--paint") { _ in isGiven ? "" : nil } }

  private static let remedy = "omit it, or process the whole input in one run"

  /// The files of a part, by their names' beginnings and endings.
  enum File: String {
    case records = "part-.jsonl"
    case paint = "paint-.jsonl"
    case packets = "video-.packets"

    /// `part-0003.jsonl`.
    func name(of number: Int) -> String {
      let digits = String(number)
      return rawValue.replacing("-", with: "-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
    }
  }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    guard let part else { return }
    guard let colon = part.lastIndex(of: ":"), let number = Int(part[part.index(after: colon)...]) else {
      throw usageError("--part", part, "is not a plan and a number", remedy: "give, for example, plan.json:3")
    }
    let path = String(part[..<colon])
    let plan = try PartPlan(path: path)
    let inputPart = try plan.part(number, plan: path)
    configuration.run = .part(inputPart)
    try plan.input.require(run.input, plan: path)
    guard let fromPaint, let packets else { return }
    if !run.command.output.overwrite { try FileCheck.requireCreatable(packets, overwrite: false) }
    configuration.run = .render(inputPart, PartRendering(of: plan.input, paint: fromPaint, packets: packets))
  }
}
