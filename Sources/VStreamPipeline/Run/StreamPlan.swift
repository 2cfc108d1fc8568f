internal import VStreamCore
internal import VStreamMedia
internal import VStreamOverlay

/// The decisions about a run once its input is open, before its threads start.
struct StreamPlan: Sendable {
  let mode: DetectionMode
  let flow: Flow
  let video: StreamInfo
  /// Without thumbnails, if these are omitted.
  let container: ContainerInfo
  let copied: [StreamInfo]
  /// `nil` if it is unknown.
  let expectedFrames: Int?
  /// How many frames may be held for their detections and wait to be painted.
  let framesHeld: Int
  let warnings: [Message]
  /// Which of several videos is processed; `nil` where there is no choice.
  let choice: Message?
  let frameImages: FrameImages
  /// The unredacted parts of a redacted output.
  let unredacted: [UnredactedPart]
  /// Omissions of a redacted output, in words.
  let omitted: [String]

  /// Frames are held for at most this time, whatever is configured.
  private static let longestHold = 10.0
  /// Seconds of a live stream that may wait for a stage that is slow for a moment, before frames are dropped.
  private static let burst = 0.2
  /// About 200 MB of frames.
  private static let maximumHeldPixels = 130_000_000

  /// - Throws: `VStreamError.usage` for options that contradict each other or the input.
  init(_ configuration: PipelineConfiguration, media: MediaReader) throws(VStreamError) {
    let keepsImages = configuration.redaction?.omitsImages != true
    let keepsDescription = configuration.redaction?.keepsDescription ?? true
    func redacted(_ stream: StreamInfo) throws(VStreamError) -> StreamInfo {
      try stream.redacted(keepsImages: keepsImages, keepsDescription: keepsDescription)
    }
    video = try redacted(media.video)
    choice = Self.choice(of: media, configuration)
    mode = configuration.mode(for: media.container)
    flow = try configuration.flow(for: media.container)
    framesHeld = Self.framesHeld(of: video, flow, threads: configuration.threads)
    frameImages = FrameImages(
      inputPaths: media.container.photo == nil ? media.imagePaths : [configuration.input.location],
      timeBase: media.video.timeBase, output: configuration.output)
    expectedFrames = flow.isPacedByInput ? nil : Self.expectedFrames(of: video, media.container, configuration)

    let streams = media.selectedStreams.filter { $0.index != media.video.index && configuration.copies($0) }
    let hasImages =
      media.container.omissions(keepsImages: false, keepsDescription: true).images
      || ([media.video] + streams).contains(where: \.hasImageTags)
    let keepsText = configuration.redaction?.keepsText ?? true
    var omitted: [Omission] = []
    if configuration.output != nil {
      var omissions = media.container.omissions(keepsImages: keepsImages, keepsDescription: keepsDescription)
      omissions.images = !keepsImages && hasImages
      omitted = Self.omitted(omissions, titles: !keepsText && media.container.hasChapterTitles)
    }
    let redactedContainer = media.container.redacted(keepsImages: keepsImages, keepsDescription: keepsDescription)
    container = keepsText ? redactedContainer : redactedContainer.withoutChapterTitles()
    var copied: [StreamInfo] = []
    var undetermined: [Message] = []
    for stream in streams {
      let name = "stream \(stream.label)"
      if stream.isUndetermined {
        undetermined.append(
          "\(name) is omitted: its parameters were not found at the start (\(.inputOption, "analyzeduration=60M") and "
            + "\(.inputOption, "probesize=100M") read more)")
        continue
      }
      if !keepsImages, stream.mayContainImages {
        let warning: Message = "\(name) is omitted, as it is not redacted (\(.keepUnredacted) keeps it)"
        omitted.append(Omission(name: name, warning: warning))
      } else if !keepsText, stream.isText {
        let warning: Message = "\(name) is omitted, as it may name places and people (\(.keepText) keeps it)"
        omitted.append(Omission(name: name, warning: warning))
      } else {
        copied.append(try redacted(stream))
      }
    }
    self.copied = copied
    let holdsTags = container.photo != nil || configuration.output?.destination.style != .images
    unredacted =
      configuration.redaction == nil || configuration.output == nil
      ? []
      : UnredactedPart.parts(
        of: copied, hasImages: keepsImages && hasImages && holdsTags,
        hasTitles: keepsText && media.container.hasChapterTitles)
    self.omitted = omitted.map(\.name)
    warnings = Self.warnings(of: configuration, mode: mode) + omitted.map(\.warning) + undetermined
  }

  private static func choice(of media: MediaReader, _ configuration: PipelineConfiguration) -> Message? {
    let videos = media.selectedStreams.filter { $0.kind == .video && $0.attachedPicture == nil }
    guard videos.count > 1, configuration.run.part == nil else { return nil }
    let video = media.video
    let number = videos.firstIndex { $0.index == video.index } ?? 0
    let other = "0:v:\(number == 0 ? 1 : 0)"
    return
      "of \(videos.count) videos, stream \(video.label) of \(video.encodedSize) is processed (\(.map, other) processes another)"
  }

  /// Warnings about options that have no effect, or an unexpected one.
  private static func warnings(of configuration: PipelineConfiguration, mode: DetectionMode) -> [Message] {
    var warnings: [Message] = []
    if configuration.keepsStart, configuration.outputStartsAtZero {
      let format = configuration.output?.destination.format ?? ""
      warnings.append("\(.keepStart) has no effect: \(format) starts at 0; an .mkv output can start later")
    }
    if !configuration.counted.isEmpty, !configuration.kinds.contains(.objects) {
      warnings.append("\(.zone) and \(.line) have no effect: they count objects, and none are detected")
    }
    if let warning = configuration.unusedSearchEffort(mode: mode) { warnings.append(warning) }
    if configuration.drawsRedacted {
      warnings.append("the landmarks and contours that are drawn show the outlines of redacted faces (\(.draw))")
    }
    return warnings
  }

  private struct Omission {
    let name: String
    let warning: Message
  }

  private static func omitted(_ omissions: ContainerInfo.Omissions, titles: Bool) -> [Omission] {
    let images: Message =
      "thumbnails, maker's notes and cover images in the tags are omitted, as they are not redacted (\(.keepUnredacted) "
      + "keeps them)"
    let tags = "tags that may name places, people and devices"
    let names: Message = "chapters' titles are omitted, as they may name places and people (\(.keepText) keeps them)"
    return (omissions.images ? [Omission(name: "images in the tags", warning: images)] : [])
      + (omissions.description
        ? [Omission(name: tags, warning: "\(tags) are omitted (\(.keepMetadata) keeps them)")] : [])
      + (titles ? [Omission(name: "chapters' titles", warning: names)] : [])
  }

  private static func framesHeld(of video: StreamInfo, _ flow: Flow, threads: Int) -> Int {
    // Each detector has one frame in flight and one queued; two more decouple the stages.
    guard let hold = flow.hold else { return 2 * threads + 2 }
    let rate = min(max(video.frameRate?.value ?? 30, 1), 1000)
    // Where nothing is dropped, a burst of frames waits in its source; the annotator holds one.
    let seconds = min(hold, longestHold) + (flow.dropsAtEntrance ? burst : 0)
    let frames = Int((seconds * rate).rounded(.up)) + (flow.dropsAtEntrance ? 1 : -1)
    return max(1, min(frames, maximumHeldPixels / max(1, video.pixelCount)))
  }

  private static func expectedFrames(
    of video: StreamInfo, _ container: ContainerInfo, _ configuration: PipelineConfiguration
  ) -> Int? {
    let isWhole = configuration.start == nil && configuration.duration == nil
    if isWhole, video.frameCount > 0 { return video.frameCount }
    let seconds = video.durationSeconds ?? container.durationSeconds
    guard let rate = video.frameRate, let seconds = seconds ?? configuration.duration else { return nil }
    let processed = min(max(0, seconds - (configuration.start ?? 0)), configuration.duration ?? .infinity)
    let frames = (processed * rate.value).rounded()
    return frames.isFinite && frames < 1e12 ? Int(frames) : nil
  }
}

/// A part of the input that may show redacted subjects, and is kept as it is.
struct UnredactedPart: Hashable, Sendable {
  /// In words.
  let name: String
  /// The index of the input's stream, if it is one.
  var stream: Int?
  /// Whether it is text without images.
  var isText = false

  fileprivate static func parts(of streams: [StreamInfo], hasImages: Bool, hasTitles: Bool) -> [UnredactedPart] {
    streams.filter { $0.mayContainImages || $0.isText }.map {
      UnredactedPart(name: "stream \($0.label)", stream: $0.index, isText: !$0.mayContainImages)
    }
      + (hasImages ? [UnredactedPart(name: "images in the tags")] : [])
      + (hasTitles ? [UnredactedPart(name: "chapters' titles", isText: true)] : [])
  }
}

extension PipelineConfiguration {
  /// Whether the shapes of faces are drawn on redacted regions.
  fileprivate var drawsRedacted: Bool {
    redaction != nil && isDrawn && kinds.contains(.faces)
      && !overlay.elements.isDisjoint(with: [.landmarks, .contours])
      && (run.replay != nil || detectors.contains { $0.kind == .faces && $0.hasFaceShapes })
  }

  /// Whether a stream beside the video is copied to the output.
  fileprivate func copies(_ stream: StreamInfo) -> Bool {
    guard let output, run.rendering == nil, !stream.isInternal, stream.kind != .unknown else { return false }
    return stream.kind != .audio || output.audio != .none
  }
}
