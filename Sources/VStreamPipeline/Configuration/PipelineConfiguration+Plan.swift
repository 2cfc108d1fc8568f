package import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamOverlay

/// Values that depend on the opened input.
extension PipelineConfiguration {
  /// The kinds that are detected or replayed.
  package var kinds: Set<DetectionKind> {
    run.recordedPaint != nil ? Set(DetectionKind.allCases) : run.replay?.kinds ?? Set(detectors.map(\.kind))
  }

  /// Whether redacted frames leave the run: to an output, or to its observer.
  var isRedacted: Bool {
    (output != nil || observer != nil || run.joinedPaint != nil) && redaction != nil && !kinds.isEmpty
  }

  /// Fills the masks; `nil` if there are none.
  var maskPainter: MaskPainter? {
    guard !masks.isEmpty else { return nil }
    let masks = masks
    return MaskPainter { size in masks.map { corners in corners.map { $0.point(in: size) } } }
  }

  /// Whether annotations or marks are shown, or something is redacted, in an output.
  var isDrawn: Bool { output != nil && (!kinds.isEmpty || marks != nil || drawing != nil) }

  func mode(for container: ContainerInfo) -> DetectionMode {
    let isPhoto = container.photo != nil || output?.destination.isSingleImage == true
    return mode ?? (isPhoto ? .singleImage : .stream)
  }

  /// How the frames of an input flow.
  ///
  /// - Throws: `VStreamError.usage` for options that contradict each other or the input.
  func flow(for container: ContainerInfo) throws(VStreamError) -> Flow {
    let isLive = isRealtime || container.isLive
    if detectEvery == .auto, !isLive {
      throw VStreamError(
        .usage, "\(.detectEvery, "auto") requires a live input, and '\(input.fileName)' is a file",
        setting: .detectEvery, value: "auto", subject: input.fileName,
        remedy: "use a number, or process the file as a live input (\(.realtime))")
    }
    // An independent image has no earlier frames to predict from.
    let isTracked = mode(for: container) == .stream
    if !counted.isEmpty, !isTracked {
      throw VStreamError(
        .usage,
        "\(.zone) and \(.line) count tracks, which a photo and \(.mode, DetectionMode.singleImage.rawValue) do not have",
        setting: .zone, remedy: "omit them, or use \(.mode, DetectionMode.stream.rawValue)")
    }
    let dropsLate = (late ?? (isLive && isTracked && redaction == nil ? .drop : .wait)) == .drop
    if redaction != nil, !isTracked, dropsLate || detectEvery != .every(1) {
      throw VStreamError(
        .usage,
        "\(.redact) with \(.mode, DetectionMode.singleImage.rawValue) requires detection on every frame",
        setting: .redact,
        remedy: "omit \(.detectEvery) and \(.late, "drop"), or use \(.mode, DetectionMode.stream.rawValue)")
    }
    return Flow(
      isLive: isLive, readsAtFrameRate: isRealtime && !container.isLive, hold: dropsLate ? hold : nil,
      dropsAtEntrance: dropsLate && isLive && container.kind != .pipe, isStillImage: container.photo != nil)
  }

  /// Whether the kind of the input tells that it is live, and its late frames are dropped.
  var isLiveByKind: Bool {
    let isTracked = mode != .singleImage && output?.destination.isSingleImage != true
    return isTracked && redaction == nil && !run.isVerification && late != .wait
      && (isRealtime || [.pipe, .device].contains(input.kind))
  }

  /// Where late frames are dropped: how many detectors of each kind there are, and the threads of all their networks.
  var liveDetectors: (count: Int, threads: Int) {
    if let pool = detectorPool?.pool { return (pool.threadCount, pool.threadCount) }
    return (1, threads)
  }

  /// The run's requirements of its detectors.
  func requirements(mode: DetectionMode, flow: Flow) -> DetectorRequirements {
    DetectorRequirements(
      mode: mode, isPaced: detectEvery != .every(1), isLive: flow.hold != nil,
      checksModels: redaction != nil || run.isVerification, grid: mode == .singleImage ? nil : flow.grid)
  }

  /// The file for the packets of a rendered part, and their origin.
  var packetFile: (path: String, origin: PacketFile.Origin)? {
    run.rendering.map {
      ($0.packets, PacketFile.Origin(input: $0.input, part: run.part?.number ?? 0, isRedacted: isRedacted))
    }
  }

  /// The length of the look-back window in seconds; `nil` without redaction.
  func lookBackSeconds(mode: DetectionMode, flow: Flow) -> Double? {
    guard let redaction else { return nil }
    guard mode == .stream else { return 0 }
    return redaction.lookBack?.inSeconds ?? (flow.isLive ? 0 : Self.defaultLookBack)
  }

  /// In seconds; for files, which need not be released at once.
  private static let defaultLookBack = 0.5

  /// The warning that the search effort has no effect, as no objects are searched for, or all of each frame is searched.
  func unusedSearchEffort(mode: DetectionMode) -> Message? {
    guard let (setting, value) = searchEffort else { return nil }
    var reason: Message?
    if !kinds.contains(.objects) {
      reason = "no objects are detected"
    } else if value != DetectionAccuracy.accurate.rawValue {
      let redactsObjects = (redaction?.labels ?? []).contains { DetectionKind(redactionName: $0) == .objects }
      if mode == .singleImage {
        reason = "single images are searched wholly"
      } else if redactsObjects {
        reason = "what is redacted is searched for in the whole of every frame"
      }
    }
    return reason.map { "\(setting, value) has no effect: \($0)" }
  }

  /// - Parameter copied: The streams that are copied beside the video.
  func trim(of container: ContainerInfo, copied: [StreamInfo]) -> Trim {
    Trim(
      first: container.startSeconds, skip: start, duration: duration, keepsStart: keepsStart && !outputStartsAtZero,
      isVideoOnly: output != nil && run.rendering == nil
        && copied.allSatisfy { $0.kind == .attachment || $0.attachedPicture != nil })
  }

  var outputStartsAtZero: Bool { output?.destination.rules.startsAtZero == true }

  /// Whether the run writes files beside its output.
  var writesOtherFiles: Bool { !records.isEmpty || savedFaces != nil }
}

/// How the frames of a run flow; derived from its configuration and its input.
struct Flow: Hashable, Sendable {
  /// Whether frames arrive in real time and are to be released soon after.
  let isLive: Bool
  /// Whether the reader waits until each packet of a file is due.
  let readsAtFrameRate: Bool
  /// Seconds that a frame may be held for its detections; `nil` for no limit.
  let hold: Double?
  /// Whether frames are dropped at the entrance when later stages are too slow for them.
  let dropsAtEntrance: Bool
  /// Whether the input is one still image.
  var isStillImage = false

  /// Where detectors start afresh; `nil` for a live input, which is one whole.
  var grid: TimeGrid? { isLive ? nil : .files }

  /// Whether the input itself sets the pace, not the reader.
  var isPacedByInput: Bool { isLive && !readsAtFrameRate }
}

/// The policy for frames for which a detector is too slow.
package enum LateFramePolicy: String, Hashable, Sendable, CaseIterable {
  /// They are released in time, with predicted tracks.
  case drop
  /// They wait for their detections.
  case wait
}
