public import VStreamCore
public import VStreamDetection
public import VStreamMedia
public import VStreamOverlay
public import VStreamPipeline
public import VStreamTracking

public import struct FoundationEssentials.URL

extension VideoPipeline {
  /// The settings of a run.
  public struct Options: Sendable {
    // MARK: Input

    /// The skipped time at the input's start; `nil` for none.
    public var start: Duration?
    /// The processed time of the input; `nil` for all.
    public var duration: Duration?
    /// Whether a file is read at the rate at which it is shown, and treated as live.
    public var isRealtime = false
    /// The time limit for reconnecting a lost live input; zero: it is not reconnected.
    public var reconnectFor = Duration.zero

    // MARK: Detection

    /// `nil`: objects are not detected. The pipeline's mode and threads apply, and objects always have their class.
    public var objects: ObjectDetectorOptions? = ObjectDetectorOptions()
    /// `nil`: faces are not detected. The pipeline's mode applies.
    public var faces: FaceDetectorOptions?
    /// `nil`: poses are not detected. The pipeline's mode applies.
    public var poses: PoseDetectorOptions?
    /// How frames are related; `nil`: as single images for photos, otherwise as a stream.
    public var detectorMode: DetectionMode?
    /// Detectors run on the whole of one frame of this number of frames; tracks are predicted in the frames between.
    public var detectEvery = 1
    /// The number of threads; `nil` for the number of processors.
    public var threads: Int?
    /// Polygons for counting tracked objects.
    public var zones: [CountedRegions.Region] = []
    /// Lines, by their two ends, for counting crossings.
    public var lines: [CountedRegions.Region] = []
    /// Detectors of the user's own.
    var ownDetectors: [OwnDetector] = []

    // MARK: Output

    /// The path or URL of the annotated video; `nil`: none is written.
    public var output: String?
    /// The codec, quality, size and rate of the output; `nil` for the best that the output holds.
    public var encoder: EncoderSettings?
    /// Whether audio streams are copied, converted or omitted.
    public var audio = AudioPolicy.auto
    /// Whether existing files are replaced.
    public var overwritesOutput = false
    /// The overlay: which parts of detections are drawn.
    public var overlay = OverlayOptions()
    /// Marks of your own on a frame of the output; called on a thread of the run, frame by frame in their order.
    public var marks: (@Sendable (Frame) -> [OverlayMark])?
    /// Draws on a frame of the output in place, after all else was drawn; called as `marks`. An error ends the run.
    ///
    /// `VideoFrame.paste(_:at:)` puts a picture on it, and `withMutablePlanes` gives its bytes. `Frame.image` is not set.
    public var drawing: (@Sendable (Frame, inout VideoFrame) throws -> Void)?
    /// The redaction of the output; `nil` for none. Faces to be redacted are searched for in the accurate mode, and
    /// objects in the whole of frames, whatever their own options say; with `detectEvery`, in every N-th frame, between which covers
    /// follow the tracks. The library does not verify the output: `vstream --receipt` does.
    public var redaction: RedactionOptions?
    /// The path of the labels' font; `nil` for the default.
    public var fontPath: String?
    /// Whether `frames` have their pixels; drawing then copies each frame that is still in use.
    public var providesImages = false

    // MARK: Records

    /// Paths of record files; the extension determines the format: `.jsonl`, `.csv`, ….
    public var records: [String] = []
    /// Whether `.jsonl` records have what happened to tracks.
    public var recordsEvents = false
    /// Whether `.jsonl` records have the detectors' own results, from which a run can be repeated.
    public var recordsDetections = false

    /// Objects in every frame, and no output.
    public init() {}

    /// `output` as a URL.
    public var outputURL: URL? {
      get { output.flatMap { $0.contains("://") ? URL(string: $0) : URL(filePath: $0) } }
      set { output = newValue?.location }
    }

    /// Uses a detector of your own, instead of the built-in one of its kind.
    ///
    /// - Parameters:
    ///   - tracking: when its detections get IDs, and for how long tracks keep them.
    ///   - isConcurrent: whether several detectors may share the frames of a file, as each frame's result depends on that frame only;
    ///     otherwise one is given all frames in their order.
    ///   - make: makes a detector; called on a thread of the run, once for each thread that detects.
    public mutating func use<Detector: FrameDetector>(
      tracking: TrackerOptions = TrackerOptions(), isConcurrent: Bool = false,
      _ make: @escaping @Sendable () throws -> Detector
    ) {
      let kind = Detector.Found.kind
      ownDetectors.removeAll { $0.kind == kind }
      ownDetectors.append(
        OwnDetector(kind: kind, tracking: tracking, isConcurrent: isConcurrent) {
          FrameDetectorStage(try make())
        })
    }
  }

  /// A detector of the user's own for a run.
  struct OwnDetector: Sendable {
    let kind: DetectionKind
    let tracking: TrackerOptions
    let isConcurrent: Bool
    let make: @Sendable () throws -> any FrameDetecting

    var spec: DetectorSpec {
      isConcurrent ? DetectorSpec(kind) { [make] _, _ in make } : DetectorSpec(tracking: kind) { [make] _, _ in make }
    }
  }
}
