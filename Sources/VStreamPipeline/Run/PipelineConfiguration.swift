public import VStreamDetection
public import VStreamMedia
public import VStreamOverlay
public import VStreamReporting
public import VStreamScene
public import VStreamTracking

/// What a run wants of a detector.
public struct DetectorRequirements: Hashable, Sendable {
  /// How its frames belong together.
  public let mode: DetectionMode
  /// By how many seconds of stream time something new may be found late: if it is to be redacted, the look-back; `nil` where
  /// nothing hangs on it.
  public let latestFind: Double?

  public init(mode: DetectionMode, latestFind: Double? = nil) {
    self.mode = mode
    self.latestFind = latestFind
  }
}

/// A detector, still to be loaded.
public struct DetectorFactory: Sendable {
  /// Makes one detector; called once on each thread that detects.
  public typealias Maker = @Sendable () throws -> any FrameDetecting

  /// What it finds.
  public let kind: DetectionKind
  /// Whether one detector is to see all frames in their order, as it follows what it found.
  let follows: @Sendable (DetectorRequirements) -> Bool
  /// How what all detectors share is loaded.
  private let loading: @Sendable (_ use: DetectorRequirements, _ workers: Int, _ threads: Int) throws -> Maker
  private let loaded = Loaded()

  public init(_ kind: DetectionKind, load: @escaping @Sendable (_ workers: Int, _ threads: Int) throws -> Maker) {
    self.kind = kind
    follows = { _ in false }
    loading = { _, workers, threads in try load(workers, threads) }
  }

  /// A detector that follows what it found from frame to frame, unless each frame stands for itself.
  public init(
    following kind: DetectionKind,
    load: @escaping @Sendable (_ use: DetectorRequirements, _ threads: Int) throws -> Maker
  ) {
    self.kind = kind
    follows = { _ in true }
    loading = { use, _, threads in try load(use, threads) }
  }

  /// A detector that follows what it found where its use allows that.
  init(
    _ kind: DetectionKind, follows: @escaping @Sendable (DetectorRequirements) -> Bool,
    load: @escaping @Sendable (_ use: DetectorRequirements, _ workers: Int, _ threads: Int) throws -> Maker
  ) {
    self.kind = kind
    self.follows = follows
    loading = load
  }

  /// Loads what all detectors share, to be used by `workers` of them side by side, on `threads` in all. What the run before
  /// has loaded for as many is used again.
  func load(_ use: DetectorRequirements, _ workers: Int, _ threads: Int) throws -> Maker {
    let terms = Loaded.Terms(use: use, workers: workers, threads: threads)
    if let maker = loaded.last.withLock({ $0?.terms == terms ? $0?.maker : nil }) { return maker }
    let maker = try loading(use, workers, threads)
    loaded.last.withLock { $0 = (terms, maker) }
    return maker
  }

  private final class Loaded: Sendable {
    struct Terms: Hashable, Sendable {
      let use: DetectorRequirements
      let workers: Int
      let threads: Int
    }

    let last = Lock<(terms: Terms, maker: Maker)?>(nil)
  }
}

/// Records of an earlier run that stand in for the detectors.
public struct ReplayOptions: Hashable, Sendable {
  /// A `.jsonl` file.
  public var path: String
  /// Labels of the objects that are taken; `nil` for all.
  public var classes: Set<String>?
  /// What is taken of what is recorded.
  public var kinds: Set<DetectionKind>
  /// Whether a frame of which nothing is recorded is an error, as where none may go unredacted.
  public var isWhole = false

  public init(path: String, classes: Set<String>? = nil, kinds: Set<DetectionKind> = [.objects]) {
    self.path = path
    self.classes = classes
    self.kinds = kinds
  }

  /// What was looked for when the records were written.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  public func recordedKinds() throws(VStreamError) -> Set<DetectionKind> {
    let kinds = Set(try open().kinds.compactMap { DetectionKind(rawValue: $0) })
    return kinds.isEmpty ? [.objects] : kinds
  }

  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  public func open() throws(VStreamError) -> RecordReader {
    try RecordReader(path: path, labels: ClassList.coco.names)
  }
}

/// Which frames detectors look at.
public enum DetectionInterval: Hashable, Sendable {
  /// Every so many frames, from the first.
  case every(Int)
  /// As often as the processor has time for; live only.
  case auto
}

/// What becomes of frames for which a detector is too slow.
public enum LatePolicy: String, Hashable, Sendable, CaseIterable {
  /// They leave in time, with tracks that are predicted.
  case drop
  /// They wait.
  case wait
}

/// Where annotated video goes.
public struct PipelineOutput: Sendable {
  public var destination: OutputDestination
  public var codec: VideoCodec
  public var encoder: EncoderSettings
  /// Whether sound is copied.
  public var copiesAudio: Bool
  /// Whether the video is copied instead of coded, and what would be drawn on it is shown by subtitles: a track of the
  /// output, or a script beside it. `codec` and `encoder` then mean nothing.
  public var hasOverlayTrack = false

  public init(
    destination: OutputDestination, codec: VideoCodec, encoder: EncoderSettings, copiesAudio: Bool = true
  ) {
    self.destination = destination
    self.codec = codec
    self.encoder = encoder
    self.copiesAudio = copiesAudio
  }
}

/// What is made unrecognisable, and how.
public struct RedactionOptions: Sendable {
  /// What faces are called among what is redacted.
  public static let faces = RedactionCheck.faces

  public var style: RedactionStyle
  /// What is redacted, by the labels of detections, in lower case.
  public var labels: Set<String>
  /// Seconds before it was first found in which something is redacted, too; `nil`: 0.5 for files, 0 when live.
  public var lookBackSeconds: Double?
  /// Whether what may show the same unredacted is left out: other video streams, covers, thumbnails, data.
  public var omitsImages = true
  /// Whether the result tells what was covered in each frame.
  public var keepsCovers = false
  /// Frames that wait for the look-back take no more memory than this.
  var maximumWaitingBytes = 400 << 20

  public init(_ style: RedactionStyle, labels: Set<String>, lookBackSeconds: Double? = nil) {
    self.style = style
    self.labels = labels
    self.lookBackSeconds = lookBackSeconds
  }
}

/// All that a pipeline needs to know before it runs.
public struct PipelineConfiguration: Sendable {
  public var input: MediaInput
  /// Seconds of the input's beginning that are left out.
  public var start: Double?
  /// Seconds of the input that are taken.
  public var duration: Double?
  /// `nil`: nothing is drawn or coded.
  public var output: PipelineOutput?
  /// What looks at the frames; one for each kind of thing.
  public var detectors: [DetectorFactory] = []
  /// Has records stand in for detectors, of which there are to be none.
  public var replay: ReplayOptions?
  /// `nil`: single images where a photo is read or one picture written, else a stream.
  public var mode: DetectionMode?
  /// Which frames are looked at; the tracker predicts those between.
  public var detectEvery = DetectionInterval.every(1)
  /// Whether a file comes at its own pace, and is treated as live.
  public var isRealtime = false
  /// `nil`: late frames are dropped by detectors when the input is live and nothing is redacted, else they wait.
  public var late: LatePolicy?
  /// Seconds from its arrival that a frame may be held for its own detection, where late ones are dropped.
  public var hold = 0.05
  /// Seconds for which a live input that is lost is tried anew; 0 for not at all.
  public var reconnectSeconds = 0.0
  public var tracker = TrackerOptions()
  /// Makes what tells objects' categories; called once, on a thread of the run's. `nil`: they are not told.
  public var categories: (@Sendable () throws -> CategoryClassifier)?
  /// At most so many objects are reported of a frame, the most prominent; `nil` for all.
  public var maximumObjects: Int?
  /// Where objects are counted; in streams only.
  public var counted = CountedRegions()
  public var overlay = OverlayOptions()
  /// `nil`: nothing is redacted.
  public var redaction: RedactionOptions?
  public var fontPath: String
  /// Where pictures of faces are saved; `nil`: nowhere.
  public var savedFaces: ImageFolder?
  /// Files that records are written to; their formats are told from their names.
  public var records: [String] = []
  /// Whether what detectors themselves find is recorded.
  public var recordsDetections = false
  /// Whether what happens to tracks is recorded.
  public var recordsEvents = false
  /// What the records' header says of the run.
  public var recordOptions: [(name: String, value: RecordHeader.OptionValue)] = []
  /// Threads to use in all.
  public var threads: Int
  /// Whether the process was started for this run, so that its start is part of what the first frame takes.
  public var isFirstOfProcess = true
  /// Frames at the beginning that `Statistics.steady` leaves out.
  public var warmUpFrames = 0
  /// Tells how often memory was taken so far in the whole process; `nil` where nobody counts.
  public var allocationCount: (@Sendable () -> Int)?
  var clock: any PipelineClock = SystemClock()
  /// Told of each frame's annotations, on a thread of the run's.
  var onAnnotations: (@Sendable (FrameAnnotations) -> Void)?

  public init(input: MediaInput, fontPath: String, threads: Int) {
    self.input = input
    self.fontPath = fontPath
    self.threads = max(1, threads)
  }

  /// Processors that this process may run on.
  public static var processorCount: Int { LibAV.processorCount }

  /// What is looked for.
  var kinds: Set<DetectionKind> { replay?.kinds ?? Set(detectors.map(\.kind)) }

  func mode(for container: ContainerInfo) -> DetectionMode {
    let isPhoto = container.photo != nil || output?.destination.isSinglePicture == true
    return mode ?? (isPhoto ? .singleImage : .stream)
  }

  /// How frames flow from an input, and what becomes of those that are late.
  ///
  /// - Throws: `VStreamError.usage` for what is for live inputs only, with a file.
  func flow(for container: ContainerInfo) throws(VStreamError) -> Flow {
    let isLive = isRealtime || container.isLive
    if detectEvery == .auto, !isLive {
      throw VStreamError(
        .usage, "--detect-every auto: is for live inputs, '\(input.fileName)' is a file",
        remedy: "give a number, or read the file as if it were live (--realtime)")
    }
    // A picture that stands for itself has nothing to be predicted from.
    let isTracked = mode(for: container) == .stream
    if !counted.isEmpty, !isTracked {
      throw VStreamError(
        .usage, "--zone and --line count what has an ID, which nothing in a photo or with --mode single-image has",
        remedy: "leave them out, or use --mode stream")
    }
    let drops = (late ?? (isLive && isTracked && redaction == nil ? .drop : .wait)) == .drop
    if redaction != nil, !isTracked, drops || detectEvery != .every(1) {
      throw VStreamError(
        .usage, "--redact with --mode single-image: every frame has to be looked at",
        remedy: "leave out --detect-every and --late drop, or use --mode stream")
    }
    return Flow(
      isLive: isLive, isPaced: isRealtime && !container.isLive, hold: drops ? hold : nil,
      dropsAtEntrance: drops && isLive && container.kind != .pipe, isStillImage: container.photo != nil)
  }

  /// What the run wants of the detectors of a kind.
  func use(for kind: DetectionKind, of stream: StreamInfo, mode: DetectionMode, flow: Flow) -> DetectorRequirements {
    let redacted = redaction?.labels ?? []
    let isRedacted = kind == .faces ? redacted.contains(RedactionOptions.faces) : kind == .objects && !redacted.isEmpty
    guard isRedacted, let wanted = lookBackSeconds(mode: mode, flow: flow), let redaction else {
      return DetectorRequirements(mode: mode)
    }
    // Frames of up to 24 bits a pixel wait in so much memory; how far apart they are may change.
    let frameBytes = max(1, 3 * stream.pixelCount)
    let held = Double(redaction.maximumWaitingBytes / frameBytes) / max(1, stream.frameRate?.value ?? 30)
    return DetectorRequirements(mode: mode, latestFind: min(wanted, held) / 2)
  }

  /// Seconds before it was first found in which something is redacted, too; `nil` if nothing is redacted.
  func lookBackSeconds(mode: DetectionMode, flow: Flow) -> Double? {
    guard let redaction else { return nil }
    guard mode == .stream else { return 0 }
    return redaction.lookBackSeconds ?? (flow.isLive ? 0 : Self.defaultLookBack)
  }

  /// For files, where nobody waits.
  private static let defaultLookBack = 0.5

  func trim(of container: ContainerInfo) -> Trim {
    Trim(first: container.startSeconds, skip: start, duration: duration)
  }
}

/// How a run's frames flow.
struct Flow: Hashable, Sendable {
  /// Whether frames come when they come, and are to leave soon after.
  let isLive: Bool
  /// Whether the reader waits until each frame is due.
  let isPaced: Bool
  /// Seconds that a frame may be held for its detection; `nil` for as long as it takes.
  let hold: Double?
  /// Whether frames are dropped where they come in, if what follows is too slow for them.
  let dropsAtEntrance: Bool
  /// Whether the input is one still image.
  var isStillImage = false
}

/// How far a run has come.
public struct PipelineProgress: Sendable {
  public var counts = RunCounts()
  /// Expected number of frames; `nil` if it cannot be known.
  public var framesExpected: Int?
  /// Seconds since the first packet was asked for.
  public var elapsedSeconds = 0.0
  public var isLive = false
  /// From packet read to packet written, since the last call; live only.
  public var latency = DurationHistogram()
  /// Things that are tracked now.
  public var tracks = 0
  /// Warnings and news since the last call, one line each.
  public var messages: [Message] = []
  /// Whether the run was stopped, but waits for a sink that takes nothing; where that is a pipe, it may wait for ever.
  public var isSinkStuck = false
}

/// What a run that came to its end leaves.
public struct PipelineResult: Sendable {
  public var statistics = Statistics()
  /// Confirmed tracks, by label; of single images, what was found.
  public var tracksByLabel: [String: Int] = [:]
  /// What was counted in zones and across lines; `nil` if nothing was to be.
  public var counted: RegionCounts?
  /// Frames in which something was redacted; `nil` if nothing was to be.
  public var framesRedacted: Int?
  /// What was covered in each frame that was written, where that is kept.
  public var covers: [[Ellipse]] = []
  public var mode = DetectionMode.stream
  /// What could be worked around, one line each.
  public var warnings: [Message] = []
  /// Whether the input was live.
  public var isLive = false
  /// Whether standard input was read with late frames dropped, so that not all of them were detected.
  public var canWait = false
  /// Whether the run was stopped before its input ended.
  public var wasStopped = false
  /// Whether the reader of standard output went away before the end, having seen enough.
  public var wasClosedByReader = false
}
