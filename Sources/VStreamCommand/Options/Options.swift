internal import ArgumentParser
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamTracking

/// A failure of an option: which, its value, and what would be right.
func usageError(_ option: String, _ value: String, _ problem: String, remedy: String) -> VStreamError {
  VStreamError(.usage, "\(value.isEmpty ? option : "\(option) \(value)"): \(problem)", remedy: "\(remedy)")
}

struct SourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The input's format by FFmpeg's name, when it is not to be recognised.", valueName: "name"))
  var inputFormat: String?

  @Option(help: ArgumentHelp("An option of FFmpeg's for the input; may be repeated.", valueName: "key=value"))
  var inputOption: [String] = []

  @Option(help: ArgumentHelp("Leave out this much of the beginning: seconds, or 1:23:45.6.", valueName: "time"))
  var start: String?

  @Option(help: ArgumentHelp("Take this much: seconds, or 1:23:45.6.", valueName: "time"))
  var duration: String?

  @Flag(help: "Read a file at its own pace and treat it as live.")
  var realtime = false

  @Option(
    help: ArgumentHelp(
      "Seconds that opening the input, and each read, may take. (default: 10 for URLs and devices)",
      valueName: "seconds"))
  var timeout: Double?

  @Option(
    help: ArgumentHelp(
      "Seconds for which a lost stream or camera is tried anew; 0 for not at all.", valueName: "seconds"))
  var reconnect = 0.0

  @Option(
    help: ArgumentHelp(
      "What becomes of frames that the detector is too slow for: drop has them leave in time with predicted tracks, "
        + "wait looks at every frame. (default: drop when live and nothing is redacted)", valueName: "drop|wait"))
  var late: String?

  @Option(
    help: ArgumentHelp(
      "Seconds that a frame may be held for its own detection, with --late drop.", valueName: "seconds"))
  var hold = 0.05

  @Flag(help: "Let damage in the input that could be worked around be an error (65).")
  var strict = false

  /// - Returns: seconds; `nil` if the option is not given.
  static func seconds(_ option: String, _ text: String?) throws(VStreamError) -> Double? {
    guard let text else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard (1...3).contains(parts.count), parts.allSatisfy({ $0.map { $0 >= 0 && $0 < 1e9 } ?? false }) else {
      throw usageError(option, text, "is not a time", remedy: "give seconds, for example 12.5, or 1:23:45.6")
    }
    return parts.reduce(0) { $0 * 60 + ($1 ?? 0) }
  }

  /// - Returns: seconds, 0 or more.
  static func amount(_ option: String, _ seconds: Double) throws(VStreamError) -> Double {
    guard seconds >= 0, seconds < 1e9 else {
      throw usageError(option, "\(seconds)", "is not a time", remedy: "give 0 seconds or more")
    }
    return seconds
  }

  func latePolicy() throws(VStreamError) -> LatePolicy? {
    guard let late else { return nil }
    guard let known = LatePolicy(rawValue: late) else {
      throw usageError("--late", late, "is neither drop nor wait", remedy: "use drop or wait")
    }
    return known
  }

  func input(_ location: String) throws(VStreamError) -> MediaInput {
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw usageError("--timeout", "\(timeout)", "is not a time", remedy: "give more than 0 seconds")
    }
    return MediaInput(
      location, format: inputFormat, options: try keysAndValues("--input-option", inputOption), timeout: timeout)
  }
}

struct FindOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What to look for of objects,faces,poses, or none. (default: objects,faces; with --redact what is redacted)",
      valueName: "list"))
  var detect: String?

  @Option(
    help: ArgumentHelp(
      "stream tracks objects from frame to frame; single-image takes each for itself, without IDs. "
        + "(default: stream; single-image for photos)", valueName: "mode"))
  var mode: String?

  @Option(
    help: ArgumentHelp(
      "Look at every N-th frame; the tracker predicts those between. With auto, for live inputs, as often as there is "
        + "time for.", valueName: "n|auto"))
  var detectEvery = "1"

  @Option(help: ArgumentHelp("OpenVINO's device: CPU, GPU, NPU or AUTO.", valueName: "device"))
  var device = "CPU"

  @Option(
    help: ArgumentHelp("The object model: a name ('vstream models' lists them) or a file.", valueName: "name|path"))
  var objectModel = ModelCatalogue.standardObjectModel.name

  @Option(help: ArgumentHelp("Only these classes, for example person,car.", valueName: "list"))
  var classes: String?

  @Option(
    help: ArgumentHelp(
      "Report so many objects of a frame at most: the most prominent, by size, place and score. (default: all)",
      valueName: "n"))
  var maxObjects: Int?

  @Flag(help: "Record what kind of thing each object is: fashion good, food, home good, place, plant or unknown.")
  var categories = false

  @Flag(help: "Look at parts of each frame as well as the whole, for small objects; up to seven times the work.")
  var accurate = false

  @Option(
    help: ArgumentHelp("The score that starts a track; detections down to 0.1 may continue one.", valueName: "score"))
  var minScore = 0.5

  /// - Parameter redacted: what is redacted; `nil` if nothing is.
  func kinds(redacting redacted: Set<DetectionKind>?) throws(VStreamError) -> Set<DetectionKind> {
    guard let detect else { return redacted ?? [.objects, .faces] }
    let names = split(detect)
    let remedy = "use \(DetectionKind.allCases.map(\.rawValue).joined(separator: ", ")) or none"
    if names.isEmpty { throw usageError("--detect", "''", "names nothing", remedy: remedy) }
    if names == ["none"] { return [] }
    var kinds: Set<DetectionKind> = []
    for name in names {
      guard let kind = DetectionKind(rawValue: name) else {
        let problem = name == "none" ? "none stands alone" : "'\(name)' is not something that can be detected"
        throw usageError("--detect", detect, problem, remedy: remedy)
      }
      kinds.insert(kind)
    }
    return kinds
  }

  func detectionMode() throws(VStreamError) -> DetectionMode? {
    guard let mode else { return nil }
    guard let known = DetectionMode(rawValue: mode) else {
      throw usageError("--mode", mode, "is not a mode", remedy: "use stream or single-image")
    }
    return known
  }

  func interval() throws(VStreamError) -> DetectionInterval {
    if detectEvery == "auto" { return .auto }
    guard let number = Int(detectEvery), number >= 1 else {
      throw usageError("--detect-every", detectEvery, "is not a number of frames", remedy: "give 1 or more, or auto")
    }
    return .every(number)
  }

  func score() throws(VStreamError) -> Double { try Self.checked(minScore: minScore) }

  static func checked(minScore: Double) throws(VStreamError) -> Double {
    guard minScore > 0, minScore <= 1 else {
      throw usageError("--min-score", "\(minScore)", "is not a score", remedy: "give more than 0, at most 1")
    }
    return minScore
  }

  func maximumObjects() throws(VStreamError) -> Int? {
    guard let maxObjects else { return nil }
    guard maxObjects >= 1 else {
      throw usageError("--max-objects", "\(maxObjects)", "is not a number of objects", remedy: "give 1 or more")
    }
    return maxObjects
  }

  func classNames() throws(VStreamError) -> [String]? {
    guard let names = classes.map(split) else { return nil }
    if names.isEmpty { throw usageError("--classes", "''", "names no class", remedy: "leave it out for all classes") }
    return names
  }

  func deviceName() throws(VStreamError) -> String {
    let known = ["CPU", "GPU", "NPU", "AUTO"]
    guard known.contains(device.uppercased()) else {
      throw usageError("--device", device, "is not a device", remedy: "give \(known.joined(separator: ", "))")
    }
    return device.uppercased()
  }
}

/// What faces are looked for for.
enum FaceUse: Hashable {
  case showing
  /// None may be missed; that may be checked.
  case redacting(isVerified: Bool)
  /// What is left of them after that is sought.
  case verifying
}

struct FaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "fast sees faces near the camera; accurate also small ones, at as many looks as --min-face-size takes. "
        + "(default: fast; accurate when faces are redacted)", valueName: "fast|accurate"))
  var faceMode: String?

  @Flag(help: "Find ten points of each face: eyes, ears, cheeks, nose, mouth.")
  var faceLandmarks = false

  @Flag(help: "Find fifteen lines of each face, of 133 points.")
  var faceContours = false

  @Flag(help: "Tell whether each face smiles and has its eyes open.")
  var faceClassification = false

  @Option(
    help: ArgumentHelp(
      "Width of the smallest face that is sought, as a fraction of the frame's. (default: 0.1; 0.01 when faces are "
        + "redacted)", valueName: "fraction"))
  var minFaceSize: Double?

  @Option(
    help: ArgumentHelp(
      "Seconds in which all of a video is searched for new faces once; faces that are known are looked at on every frame. "
        + "0 has all of every frame searched. (default: 0.2; 0 with --verify and --receipt)", valueName: "seconds"))
  var faceSearch: Double?

  /// - Parameter needsAngles: whether angles are asked for; they also come with all that a mesh is made for.
  func detector(for use: FaceUse, needsAngles: Bool) throws(VStreamError) -> FaceDetectorOptions {
    var options = FaceDetectorOptions()
    if case .redacting(let isVerified) = use {
      if isVerified { options.searchInterval = 0 }
      // What may be a face is told to the tracker, which covers it where it continues one.
      options.minimumScore = Self.redactedScore
    }
    if use != .showing {
      options.performanceMode = .accurate
      options.minFaceSize = Self.redactedFaceSize
    }
    // What the run was told to look for is not to limit what is found to be left.
    if use == .verifying {
      options.angleMode = .none
      options.searchInterval = 0
      return options
    }
    if let faceSearch { options.searchInterval = try SourceOptions.amount("--face-search", faceSearch) }
    if let faceMode {
      guard let performance = FaceDetectorOptions.PerformanceMode(rawValue: faceMode) else {
        throw usageError("--face-mode", faceMode, "is not a mode", remedy: "use fast or accurate")
      }
      options.performanceMode = performance
    }
    if let minFaceSize {
      guard minFaceSize > 0, minFaceSize <= 1 else {
        throw usageError(
          "--min-face-size", "\(minFaceSize)", "is not a fraction", remedy: "give more than 0, at most 1")
      }
      options.minFaceSize = minFaceSize
    }
    options.landmarkMode = faceLandmarks ? .all : .none
    options.contourMode = faceContours ? .all : .none
    options.classificationMode = faceClassification ? .all : .none
    options.angleMode = .none
    if needsAngles || options.needsMesh { options.angleMode = .all }
    return options
  }

  private static let redactedScore = 0.3
  /// 20 pixels in a frame of 1920.
  private static let redactedFaceSize = 0.0104
}

struct PoseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "base looks once at each person; accurate twice, and looks for people on every frame.",
      valueName: "base|accurate"))
  var poseMode = PoseDetectorOptions.PerformanceMode.base.rawValue

  @Option(help: ArgumentHelp("How many people's poses are found at once, at most.", valueName: "n"))
  var maxPoses = 1

  func detector() throws(VStreamError) -> PoseDetectorOptions {
    var options = PoseDetectorOptions()
    guard let mode = PoseDetectorOptions.PerformanceMode(rawValue: poseMode) else {
      throw usageError("--pose-mode", poseMode, "is not a mode", remedy: "use base or accurate")
    }
    guard maxPoses >= 1 else {
      throw usageError("--max-poses", "\(maxPoses)", "is not a number of people", remedy: "give 1 or more")
    }
    options.performanceMode = mode
    options.maxPoses = maxPoses
    return options
  }
}

struct TrackingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Seconds that an object may go unseen and keep its ID.", valueName: "seconds"))
  var lostAfter = 1.0

  @Option(help: ArgumentHelp("The matched detection from which on an object has an ID.", valueName: "n"))
  var confirmAfter = 2

  @Option(
    help: ArgumentHelp("Least overlap of an object's expected (grown) box with its detection.", valueName: "iou"))
  var minIou = 0.2

  func tracker(minimumScore: Double) throws(VStreamError) -> TrackerOptions {
    guard lostAfter >= 0, lostAfter.isFinite else {
      throw usageError("--lost-after", "\(lostAfter)", "is not a time", remedy: "give 0 seconds or more")
    }
    guard confirmAfter >= 1 else {
      throw usageError("--confirm-after", "\(confirmAfter)", "is not a number of detections", remedy: "give 1 or more")
    }
    guard minIou > 0, minIou < 1 else {
      throw usageError("--min-iou", "\(minIou)", "is not an overlap", remedy: "give more than 0 and less than 1")
    }
    return TrackerOptions(
      minimumScore: minimumScore, lostAfter: lostAfter, confirmAfter: confirmAfter, minimumIoU: minIou)
  }
}

struct DrawingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What to draw of boxes,labels,ids,landmarks,contours,skeleton,angles,zones, or none. (default: what is found, and "
        + "zones and lines; none with --redact)",
      valueName: "list"))
  var draw: String?

  /// Whether the heads' angles are named among what is to be drawn.
  func drawsAngles() throws(VStreamError) -> Bool {
    guard draw != nil else { return false }
    return try overlay(isRedacted: false).elements.contains(.angles)
  }

  func overlay(isRedacted: Bool) throws(VStreamError) -> OverlayOptions {
    guard let draw else { return isRedacted ? OverlayOptions(elements: []) : OverlayOptions() }
    if draw == "none" { return OverlayOptions(elements: []) }
    if split(draw).isEmpty { throw usageError("--draw", "''", "names nothing", remedy: "use none to draw nothing") }
    var elements: Set<OverlayOptions.Element> = []
    for name in split(draw) {
      guard let element = OverlayOptions.Element(rawValue: name) else {
        throw usageError(
          "--draw", draw, "'\(name)' cannot be drawn",
          remedy: "use \(OverlayOptions.Element.allCases.map(\.rawValue).joined(separator: ", ")) or none")
      }
      elements.insert(element)
    }
    return OverlayOptions(elements: elements)
  }
}

struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Where the video goes: a file, a URL, - for standard output, or null.", valueName: "output"))
  var name: String?

  /// The name of a run's output.
  var output: String { name ?? "" }

  @Option(help: ArgumentHelp("The output's format by FFmpeg's name.", valueName: "name"))
  var outputFormat: String?

  @Option(help: ArgumentHelp("An option of FFmpeg's for the output's format; may be repeated.", valueName: "key=value"))
  var outputOption: [String] = []

  @Option(
    help: ArgumentHelp(
      "The video encoder by FFmpeg's name. (default: libx264, or what the output holds)", valueName: "name"))
  var codec: String?

  @Option(help: ArgumentHelp("The encoder's preset. (default: veryfast)", valueName: "name"))
  var preset: String?

  @Option(help: ArgumentHelp("The encoder's constant rate factor, lower is better. (default: 20)", valueName: "number"))
  var crf: Double?

  @Option(help: ArgumentHelp("Bits per second instead of a constant quality, for example 2M.", valueName: "rate"))
  var bitrate: String?

  @Option(help: ArgumentHelp("The pixel format to code in. (default: the input's)", valueName: "name"))
  var pixelFormat: String?

  @Option(help: ArgumentHelp("What happens to sound: copy or none.", valueName: "copy|none"))
  var audio = "copy"

  @Flag(name: [.customShort("y"), .long], help: "Replace files that exist.")
  var overwrite = false

  func destination() throws(VStreamError) -> OutputDestination {
    try OutputDestination(
      output, format: outputFormat, options: try keysAndValues("--output-option", outputOption), overwrite: overwrite)
  }

  func encoder(for destination: OutputDestination?, threads: Int?) throws(VStreamError) -> EncoderSettings {
    var format: PixelFormat?
    if let pixelFormat {
      format = PixelFormat(name: pixelFormat)
      if format == nil {
        throw usageError(
          "--pixel-format", pixelFormat, "is not a pixel format that FFmpeg knows",
          remedy: "'ffmpeg -pix_fmts' lists them; yuv420p plays everywhere")
      }
    }
    return EncoderSettings(
      codec: codec ?? destination?.defaultEncoder ?? EncoderSettings().codec, preset: preset, crf: crf,
      bitRate: try bitRate(), pixelFormat: format, threads: threads ?? 0)
  }

  private func bitRate() throws(VStreamError) -> Int? {
    guard let bitrate else { return nil }
    let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9]
    let factor = bitrate.last.flatMap { factors[$0] }
    let digits = factor == nil ? bitrate : String(bitrate.dropLast())
    guard let number = Double(digits), number * (factor ?? 1) >= 1, number * (factor ?? 1) <= 1e10 else {
      throw usageError("--bitrate", bitrate, "is not a bit rate", remedy: "write, for example, 800k or 2M")
    }
    return Int(number * (factor ?? 1))
  }

  func copiesAudio() throws(VStreamError) -> Bool {
    guard audio == "copy" || audio == "none" else {
      throw usageError("--audio", audio, "is neither copy nor none", remedy: "use copy or none")
    }
    return audio == "copy"
  }
}

struct RecordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write records of each frame; the ending of the file name selects the format: \(RecordFormat.list). "
        + "May be repeated.", valueName: "file"))
  var records: [String] = []

  @Flag(help: "Record what happens to tracks as well: enter, confirm, lost, recovered, exit.")
  var events = false

  @Flag(help: "Record what the detector itself finds as well, for --from-records to track it anew.")
  var recordDetections = false

  @Option(
    help: ArgumentHelp(
      "Take what was found from earlier records (.jsonl) instead of looking for it.", valueName: "file"))
  var fromRecords: String?

  @Option(help: ArgumentHelp("Write the run's figures as JSON.", valueName: "file"))
  var stats: String?

  /// - Throws: `VStreamError.usage` for what would be recorded nowhere.
  func check() throws(VStreamError) {
    let formats = try records.map { path throws(VStreamError) in try RecordFormat(path: path) }
    try checkFormats(formats, hold: .events, of: "--events", isSet: events)
    try checkFormats(formats, hold: .detections, of: "--record-detections", isSet: recordDetections)
  }

  private func checkFormats(
    _ formats: [RecordFormat], hold contents: RecordFormat.Contents, of option: String, isSet: Bool
  ) throws(VStreamError) {
    guard isSet, !formats.contains(where: { $0.contents.contains(contents) }) else { return }
    let endings = RecordFormat.all.filter { $0.contents.contains(contents) }.flatMap(\.fileNameEndings)
    throw VStreamError(
      .usage, "\(option): there are no records to hold them",
      remedy: "add --records FILE\(endings.joined(separator: " or FILE"))")
  }
}

struct RunningOptions: ParsableArguments {
  enum Progress: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never
  }

  enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case error
    case warning
    case info
    case debug
  }

  @Option(help: ArgumentHelp("How many threads to use. (default: as many as there are cores)", valueName: "n"))
  var threads: Int?

  @Option(help: ArgumentHelp("Show how far it is; auto means on a terminal.", valueName: "when"))
  var progress = Progress.auto

  @Option(help: ArgumentHelp("Every so many seconds, say how it goes as a line of JSON.", valueName: "seconds"))
  var statsEvery: Double?

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @Flag(help: "Say more: the stages' times and FFmpeg's messages.")
  var verbose = false

  @Option(help: ArgumentHelp("How much to say.", valueName: "level"))
  var logLevel: LogLevel?

  /// `--quiet` and `--verbose` are short for levels.
  var level: LogLevel { logLevel ?? (quiet ? .error : verbose ? .info : .warning) }

  func threadCount() throws(VStreamError) -> Int? {
    guard let threads else { return nil }
    guard threads >= 1, threads <= 1024 else {
      throw usageError("--threads", "\(threads)", "is not a number of threads", remedy: "give 1 or more")
    }
    return threads
  }
}

/// FFmpeg's options as they are given: `KEY=VALUE`, one at a time.
private func keysAndValues(_ name: String, _ options: [String]) throws(VStreamError) -> [(key: String, value: String)] {
  var result: [(key: String, value: String)] = []
  for option in options {
    guard let equals = option.firstIndex(of: "="), equals != option.startIndex else {
      throw usageError(name, option, "is not KEY=VALUE", remedy: "write, for example, framerate=30")
    }
    result.append((String(option[..<equals]), String(option[option.index(after: equals)...])))
  }
  return result
}

/// `a, b,c` as a list.
func split(_ list: String) -> [String] {
  list.split(separator: ",").map { word in
    String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
