public import VStreamDetection
public import VStreamMedia
public import VStreamOverlay
public import VStreamReporting
public import VStreamTracking

/// A detector, still to be loaded.
public struct DetectorSource: Sendable {
  /// Makes one detector; called once on each thread that detects.
  public typealias Maker = @Sendable () throws -> any ObjectDetecting

  /// Loads what all detectors share, to be used by `workers` of them side by side.
  public let load: @Sendable (_ workers: Int) throws -> Maker

  public init(load: @escaping @Sendable (_ workers: Int) throws -> Maker) { self.load = load }
}

/// Where annotated video goes.
public struct PipelineOutput: Sendable {
  public var destination: OutputDestination
  public var codec: VideoCodec
  public var encoder: EncoderSettings
  /// Whether sound is copied.
  public var copiesAudio: Bool

  public init(
    destination: OutputDestination, codec: VideoCodec, encoder: EncoderSettings, copiesAudio: Bool = true
  ) {
    self.destination = destination
    self.codec = codec
    self.encoder = encoder
    self.copiesAudio = copiesAudio
  }
}

/// How frames belong together.
public enum DetectionMode: String, Hashable, Sendable, CaseIterable {
  /// Frames of one stream: objects are tracked through them and have IDs.
  case stream
  /// Each frame stands for itself: what is found is reported as it is, without IDs.
  case singleImage = "single-image"
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
  /// `nil`: no objects are looked for.
  public var detector: DetectorSource?
  /// `nil`: single images where a photo is read or one picture written, else a stream.
  public var mode: DetectionMode?
  /// Every how many frames the detector looks; the tracker predicts the frames between.
  public var detectEvery = 1
  public var tracker = TrackerOptions()
  public var overlay = OverlayOptions()
  public var fontPath: String
  /// Files that records are written to; their formats are told from their names.
  public var records: [String] = []
  /// What the records' header says of the run.
  public var recordOptions: [(name: String, value: RecordHeader.OptionValue)] = []
  /// Threads to use in all.
  public var threads: Int

  public init(input: MediaInput, fontPath: String, threads: Int) {
    self.input = input
    self.fontPath = fontPath
    self.threads = max(1, threads)
  }

  func mode(for container: ContainerInfo) -> DetectionMode {
    let isPhoto = container.photo != nil || output?.destination.isSinglePicture == true
    return mode ?? (isPhoto ? .singleImage : .stream)
  }

  func trim(of container: ContainerInfo) -> Trim {
    Trim(first: container.startSeconds, skip: start, duration: duration)
  }
}

/// How far a run has come.
public struct PipelineProgress: Hashable, Sendable {
  public var framesIn = 0
  public var framesOut = 0
  /// Expected number of frames; `nil` if it cannot be known.
  public var framesExpected: Int?
  /// Seconds since the first packet was asked for.
  public var elapsedSeconds = 0.0
}

/// What a run that came to its end leaves.
public struct PipelineResult: Sendable {
  public var statistics = Statistics()
  /// Confirmed tracks, by label; of single images, what was found.
  public var tracksByLabel: [String: Int] = [:]
  public var mode = DetectionMode.stream
  /// What could be worked around, one line each.
  public var warnings: [String] = []
  /// Whether the run was stopped before its input ended.
  public var wasStopped = false
  /// Whether the reader of standard output went away before the end, having seen enough.
  public var wasClosedByReader = false
}
