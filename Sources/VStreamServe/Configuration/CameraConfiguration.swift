internal import VStreamCore
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamSystem

/// The settings of one camera.
struct CameraConfiguration: Hashable, Sendable {
  /// A file's path, a URL or a device, as the command takes it.
  var source = ""
  /// A smaller copy of the source, used for detection; `nil`: the source itself.
  var detectSource: String?
  var inputFormat: String?
  var inputOptions: [InputOption] = []
  /// Seconds that opening the source, and each read, may take.
  var timeout = MediaInput.standardTimeout
  var detect: Set<DetectionKind> = [.objects]
  /// `nil` for all of the model's.
  var classes: [String]?
  /// A name or a path; `nil` for the default model.
  var objectModel: String?
  /// `nil` for the model's.
  var minScore: Double?
  var maxObjects: Int?
  /// Runs of the object network in a second of the camera's stream, on average.
  var passesPerSecond = 5.0
  /// Whether only key frames are decoded where nothing moves.
  var idles = true
  /// How much of the detectors' time the camera gets beside others, where there is not enough for all.
  var weight = 1.0
  var lostAfter = 1.0
  var confirmAfter = 2
  var counted = CountedRegions()
  /// Polygons that are black in every output, and for the detectors.
  var masks: [[CountedRegions.Corner]] = []
  /// `nil`: nothing is redacted.
  var redact: RedactionStyle?
  /// Faces, or classes.
  var redactWhat = ["faces"]
  /// The path of a record file in JSON lines, with `{date}` and `{camera}`; `nil` for none.
  var records: String?
  var record = RecordingSettings()

  /// An option of FFmpeg's demuxer or protocol.
  struct InputOption: Hashable, Sendable {
    var key: String
    var value: String
  }

  /// Whether its packets show hidden pixels.
  var hidesPixels: Bool { redact != nil || !masks.isEmpty }

  /// The decoded input.
  var input: MediaInput { mediaInput(detectSource ?? source) }

  /// The input shown without being decoded; `nil` where that is `input`, or may not be shown.
  var shownInput: MediaInput? { detectSource == nil || hidesPixels ? nil : mediaInput(source) }

  private func mediaInput(_ location: String) -> MediaInput {
    MediaInput(location, format: inputFormat, options: inputOptions.map { ($0.key, $0.value) }, timeout: timeout)
  }
}

/// The keys of a camera's settings, which have the names of the command's options.
///
/// To add a setting, add its key here and describe it in `docs/serve.md`.
enum CameraKeys {
  typealias Setter = @Sendable (ConfigurationNode, inout CameraConfiguration) throws(VStreamError) -> Void

  /// The keys in the messages' order.
  static let all: [(key: String, set: Setter)] = [
    ("source", { node, camera throws(VStreamError) in camera.source = try node.string() }),
    ("detect-source", { node, camera throws(VStreamError) in camera.detectSource = try node.string() }),
    ("input-format", { node, camera throws(VStreamError) in camera.inputFormat = try node.string() }),
    ("input-options", { node, camera throws(VStreamError) in camera.inputOptions = try inputOptions(node) }),
    ("timeout", { node, camera throws(VStreamError) in camera.timeout = try node.number(in: 0.1...3600) }),
    ("detect", { node, camera throws(VStreamError) in camera.detect = try kinds(node) }),
    ("classes", { node, camera throws(VStreamError) in camera.classes = try strings(node) }),
    ("object-model", { node, camera throws(VStreamError) in camera.objectModel = try node.string() }),
    ("min-score", { node, camera throws(VStreamError) in camera.minScore = try node.number(in: 0.01...1) }),
    ("max-objects", { node, camera throws(VStreamError) in camera.maxObjects = try node.integer(in: 1...10_000) }),
    (
      "passes-per-second",
      { node, camera throws(VStreamError) in camera.passesPerSecond = try node.number(in: 0.1...200) }
    ),
    ("rest", { node, camera throws(VStreamError) in camera.idles = try node.boolean() }),
    ("weight", { node, camera throws(VStreamError) in camera.weight = try node.number(in: 0.01...100) }),
    ("lost-after", { node, camera throws(VStreamError) in camera.lostAfter = try node.number(in: 0...3600) }),
    ("confirm-after", { node, camera throws(VStreamError) in camera.confirmAfter = try node.integer(in: 1...1000) }),
    ("zones", { node, camera throws(VStreamError) in camera.counted.zones = try regions(node, corners: 3...) }),
    ("lines", { node, camera throws(VStreamError) in camera.counted.lines = try regions(node, corners: 2...2) }),
    ("masks", { node, camera throws(VStreamError) in camera.masks = try polygons(node) }),
    ("redact", { node, camera throws(VStreamError) in camera.redact = try node.value(RedactionStyle.self) }),
    (
      "redact-what",
      { node, camera throws(VStreamError) in camera.redactWhat = try strings(node).map { $0.lowercased() } }
    ),
    ("records", { node, camera throws(VStreamError) in camera.records = try records(node) }),
    ("record", { node, camera throws(VStreamError) in camera.record = try RecordingSettings(node) }),
  ]

  /// Keys of a camera itself, not of the defaults of all.
  static let own: Set = ["source", "detect-source", "zones", "lines", "masks"]

  /// Applies one setting.
  static func apply(
    _ key: String, _ node: ConfigurationNode, to camera: inout CameraConfiguration, excluding excluded: Set<String> = []
  ) throws(VStreamError) {
    let known = all.filter { !excluded.contains($0.key) }
    guard let found = known.first(where: { $0.key == key }) else {
      if excluded.contains(key) {
        throw node.fault("belongs to one camera", remedy: "move it to the camera's own settings")
      }
      throw node.unknownKey(of: known.map(\.key))
    }
    try found.set(node, &camera)
  }

  private static func strings(_ node: ConfigurationNode) throws(VStreamError) -> [String] {
    try node.list().map { (element) throws(VStreamError) in try element.string() }
  }

  private static func kinds(_ node: ConfigurationNode) throws(VStreamError) -> Set<DetectionKind> {
    let nodes = try node.list()
    if nodes.count == 1, try nodes[0].string() == "none" { return [] }
    return Set(try nodes.map { (element) throws(VStreamError) in try element.value(DetectionKind.self) })
  }

  private static func inputOptions(
    _ node: ConfigurationNode
  ) throws(VStreamError) -> [CameraConfiguration.InputOption] {
    try node.entries().map { (key, value) throws(VStreamError) in
      CameraConfiguration.InputOption(key: key, value: try value.string())
    }
  }

  private static func regions(
    _ node: ConfigurationNode, corners allowed: some RangeExpression<Int>
  ) throws(VStreamError) -> [CountedRegions.Region] {
    try node.entries().map { (name, value) throws(VStreamError) in
      let text = try value.string()
      guard let corners = CountedRegions.Corner.list(text), allowed.contains(corners.count), Set(corners).count > 1
      else {
        let isLine = allowed.contains(2)
        throw value.fault(
          "'\(text)' is not \(isLine ? "a line" : "a polygon")",
          remedy: isLine
            ? "give its two ends, for example \"0%,50%;100%,50%\""
            : "give three or more corners, for example \"10%,20%;40%,20%;40%,90%\"")
      }
      return CountedRegions.Region(name: name, corners: corners)
    }
  }

  private static func polygons(_ node: ConfigurationNode) throws(VStreamError) -> [[CountedRegions.Corner]] {
    try node.elements().map { (element) throws(VStreamError) in
      let text = try element.string()
      guard let corners = CountedRegions.Corner.list(text), corners.count >= 3 else {
        throw element.fault(
          "'\(text)' is not a polygon", remedy: "give three or more corners, for example \"0%,0%;20%,0%;20%,10%\"")
      }
      return corners
    }
  }

  private static func records(_ node: ConfigurationNode) throws(VStreamError) -> String {
    let path = try node.string()
    guard path.hasSuffix(".jsonl") else {
      throw node.fault("'\(path)' is not a file of JSON lines", remedy: "end it in .jsonl")
    }
    return path
  }
}
