internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamScene

/// The settings of one camera.
struct CameraConfiguration: Hashable, Sendable {
  /// A file's path, a URL or a device, as the command takes it.
  var source = ""
  /// A smaller copy of the source in which objects are searched for; `nil`: the source itself.
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
  var rest = true
  /// How much of the detectors' time the camera gets beside others, where there is not enough for all.
  var weight = 1.0
  var lostAfter = 1.0
  var confirmAfter = 2
  var counted = CountedRegions()
  /// Polygons that are black in everything that leaves, and in what is detected.
  var masks: [[CountedRegions.Corner]] = []
  /// `nil`: nothing is redacted.
  var redact: RedactionStyle?
  /// Faces, or classes.
  var redactWhat = ["faces"]
  /// The path of a record file in JSON lines, with `{date}` and `{camera}`; `nil` for none.
  var records: String?

  /// An option of FFmpeg's demuxer or protocol.
  struct InputOption: Hashable, Sendable {
    var key: String
    var value: String
  }

  /// Whether its packets show what may not be shown.
  var hidesPixels: Bool { redact != nil || !masks.isEmpty }

  /// What is decoded.
  var input: MediaInput { mediaInput(detectSource ?? source) }

  /// What is shown as it is, without being decoded; `nil` where that is `input`, or may not be shown.
  var shownInput: MediaInput? { detectSource == nil || hidesPixels ? nil : mediaInput(source) }

  private func mediaInput(_ location: String) -> MediaInput {
    MediaInput(location, format: inputFormat, options: inputOptions.map { ($0.key, $0.value) }, timeout: timeout)
  }
}
