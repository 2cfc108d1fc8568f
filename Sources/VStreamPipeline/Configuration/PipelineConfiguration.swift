package import VStreamCore
package import VStreamDetection
package import VStreamMedia
package import VStreamOverlay
package import VStreamReporting
package import VStreamTracking

/// The configuration of a run.
package struct PipelineConfiguration: Sendable {
  package var input: MediaInput
  package var run = RunMode.process
  /// Seconds that are skipped at the input's start.
  package var start: Double?
  /// Seconds of the input that are processed.
  package var duration: Double?
  /// Whether the output starts at the input's first time instead of 0.
  package var keepsStart = false
  /// `nil`: nothing is drawn or encoded.
  package var output: PipelineOutput?
  /// At most one for each kind.
  package var detectors: [DetectorSpec] = []
  /// Their models, which other runs may share.
  package var models = DetectorModels()
  /// The threads that run the detectors of a live input, which other runs share; `nil` for threads of its own.
  package var detectorPool: (pool: DetectorPool, share: PoolShare)?
  /// Follows the run.
  package var observer: (any RunObserver)?
  /// The decoding effort for the input's video.
  package var decodingEffort: @Sendable (StreamInfo) -> VideoDecoder.Effort = { _ in .complete }
  /// Whether only key frames of a live video are decoded while nothing moves; the other frames have no pixels then.
  /// Drawing, redaction and encoding need all frames. `nil`: all are decoded.
  package var decodesKeyFramesWhenIdle: (@Sendable (StreamInfo) -> Bool)?
  /// Whether the run ends with an error if a live input that was lost returns with another codec or size.
  package var endsIfInputChanges = false
  /// `nil`: single images if a photo is read or written, else a stream.
  package var mode: DetectionMode?
  /// On which frames detectors are run; tracks are predicted in the frames between.
  package var detectEvery = DetectionInterval.every(1)
  /// Whether a file is read at the rate at which it is shown, and treated as live.
  package var isRealtime = false
  /// `nil`: `.drop` when the input is live, tracked and not redacted, else `.wait`.
  package var late: LateFramePolicy?
  /// Seconds from its arrival that a frame may be held for its detections, under `LateFramePolicy.drop`.
  package var hold = 0.05
  /// Seconds for which a lost live input is reconnected; 0: it is not.
  package var reconnectSeconds = 0.0
  /// The setting that asked for how often the object network is run, and its value; `nil` for the default.
  package var searchEffort: (setting: Setting, value: String)?
  package var tracker = TrackerOptions()
  /// The trackers of those kinds that have other options.
  package var trackers: [DetectionKind: TrackerOptions] = [:]
  /// The score that starts a track of an object; `nil`: the tracker's.
  package var objectScore: Double?
  /// Makes the classifier of objects' categories; called once, on a thread of the run. `nil`: objects have no categories.
  package var categories: (@Sendable () throws -> CategoryClassifier)?
  /// The number of objects that are reported in a frame, the most prominent ones; `nil` for all.
  package var maximumObjects: Int?
  /// The counting zones and lines; streams only.
  package var counted = CountedRegions()
  package var overlay = OverlayOptions()
  /// The size of the frames that annotations, zones, lines and records refer to, if the input is a smaller copy of them; `nil`:
  /// the input's own. Nothing can be drawn then.
  package var recordedSize: PixelSize?
  /// The user's own marks on a frame, in its output; called on a thread of the run, frame by frame in their order.
  package var marks: (@Sendable (FrameRecord, VideoFrame) -> [OverlayMark])?
  /// Changes a frame's pixels in its output, after all else was drawn; called as `marks`.
  package var drawing: (@Sendable (FrameRecord, inout VideoFrame) throws -> Void)?
  /// Polygons that are filled with black in each frame before anything else is done with it.
  package var masks: [[CountedRegions.Corner]] = []
  /// `nil`: nothing is redacted.
  package var redaction: RedactionOptions?
  package var fontPath: String
  /// The folder for images of faces; `nil`: none are saved.
  package var savedFaces: ImageFolder?
  /// Paths of the record files; the extension determines the format.
  package var records: [String] = []
  /// Whether records replace files that exist.
  package var overwritesFiles = false
  /// Whether detections are recorded as the detectors returned them.
  package var recordsDetections = false
  /// Whether track events are recorded.
  package var recordsEvents = false
  /// The options that are listed in the records' header.
  package var recordOptions: [(name: String, value: RecordHeader.OptionValue)] = []
  /// The number of threads for decoding and inference.
  package var threads: Int
  /// Whether the time to the first frame is measured from the start of the process.
  package var isFirstOfProcess = true
  /// Number of first frames that `Statistics.steady` excludes.
  package var warmUpFrames = 0
  /// The number of memory allocations of the process so far; `nil` where they are not counted.
  package var allocationCount: (@Sendable () -> Int)?
  var clock: any PipelineClock = SystemClock()
  /// Called with each frame's annotations, and the frame before anything is drawn on it, on a thread of the run.
  var onFrame: (@Sendable (FrameRecord, VideoFrame) -> Void)?

  package init(input: MediaInput, fontPath: String, threads: Int) {
    self.input = input
    self.fontPath = fontPath
    self.threads = max(1, threads)
  }

  /// The most threads of a run: each takes memory for the frames that it works on.
  package static var maximumThreads: Int { max(8, 4 * processorCount) }

  /// Number of processors that this process may run on.
  package static var processorCount: Int { LibAV.processorCount }
}

/// Where the annotated video is written, and how it is encoded.
package struct PipelineOutput: Sendable {
  package var destination: OutputDestination
  /// See `codec(for:)`.
  package var codec: VideoCodec
  /// Whether the user chose the codec.
  package var isCodecGiven = true
  package var encoder: EncoderSettings
  package var audio: AudioPolicy
  /// Tags of the output that replace the input's; an empty value removes a tag.
  package var tags: [(key: String, value: String)] = []
  /// Whether the video is copied instead of re-encoded, and annotations are shown by subtitles: in a track of the output,
  /// or in a script beside it. `codec` and `encoder` are ignored then.
  package var hasOverlayTrack = false
  /// Whether groups of pictures in which nothing is painted are copied.
  package var copiesUnchangedGroups = false
  /// Files that describe an earlier output of this name, which are removed when the output is created.
  package var outdatedFiles: [String] = []

  package init(
    destination: OutputDestination, codec: VideoCodec, encoder: EncoderSettings, audio: AudioPolicy = .auto
  ) {
    self.destination = destination
    self.codec = codec
    self.encoder = encoder
    self.audio = audio
  }

  /// The encoder of a run over a video: where its groups of pictures are copied, that of its codec, unless the user chose one.
  func codec(for video: StreamInfo) -> VideoCodec {
    guard copiesUnchangedGroups, !isCodecGiven, let groups = PictureGroups(of: video),
      let own = try? VideoCodec(encoder: groups.encoderName), (try? destination.requireHolds(own)) != nil
    else { return codec }
    return own
  }
}
