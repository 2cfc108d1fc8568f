internal import CVStreamLibAV
package import VStreamCore

/// The properties of an input as a whole.
package struct ContainerInfo: Sendable {
  /// The kind of source that it is read from.
  package let kind: InputKind
  /// FFmpeg's short name of the format, for example `avi` or `mov,mp4,m4a,3gp,3g2,mj2`.
  package let formatName: String
  /// Duration in seconds, as the container specifies or as libav estimates it; `nil` if unknown.
  package let durationSeconds: Double?
  /// Duration in seconds as the container states it; `nil` if it states none, and libav measures or estimates it.
  package let statedDurationSeconds: Double?
  /// Presentation time of the first packet; 0 if unknown.
  package let startSeconds: Double
  package private(set) var metadata: [String: String]
  package private(set) var chapters: [Chapter]
  /// The metadata of a photo; `nil` if the input is not one photo.
  package internal(set) var photo: ImageMetadata?

  /// Whether it comes by a protocol whose sender sets the pace, such as RTSP.
  let isPaced: Bool
  /// Whether it arrives without timestamps, by a protocol that does not send files.
  private let isUntimed: Bool
  /// Whether the server stated how many bytes it sends.
  private let hasSize: Bool

  /// Whether it arrives at its own pace: from a device, a pipe, by a protocol whose sender sets the pace, or in a format of
  /// live streams, unless that states a duration. What a server sends as fast as it is read is not live.
  package var isLive: Bool {
    switch kind {
    case .file, .frames: false
    case .device, .pipe: true
    case .network: isPaced || isUntimed || (durationSeconds == nil && Self.liveFormats.contains(formatName))
    }
  }

  /// Whether its packets arrive as they are sent. Packets of playlists arrive by segments.
  var isPacedBySender: Bool { isLive && !["hls", "dash"].contains(formatName) }

  /// Playlists that grow, the sequence of images of a network camera, and what RTMP carries.
  private static let liveFormats: Set = ["hls", "dash", "mpjpeg", "live_flv"]

  /// Whether it has an end of its own. Without one, the end of the data may be a lost connection, and a run that is stopped
  /// has all that it should have.
  package var hasKnownEnd: Bool {
    switch kind {
    case .file: true
    case .device, .pipe, .frames: false
    case .network: !isLive && (durationSeconds != nil || hasSize)
    }
  }

  /// The container as of a frame some seconds after its first one, with the timecode of that frame.
  package func starting(after seconds: Double, frameRate: Rational?) -> ContainerInfo {
    var copy = self
    copy.metadata = Timecode.advanced(metadata, by: seconds, rate: frameRate)
    return copy
  }

  /// The container with other tags, of its chapters as well.
  func mappingMetadata(_ change: ([String: String]) -> [String: String]) -> ContainerInfo {
    var copy = self
    copy.metadata = change(metadata)
    copy.chapters = chapters.map { $0.settingMetadata(change($0.metadata)) }
    return copy
  }

  /// The container with its chapters, without their titles.
  package func withoutChapterTitles() -> ContainerInfo {
    var copy = self
    copy.chapters = chapters.map { $0.settingMetadata([:]) }
    return copy
  }

  /// The container with other tags; an empty value removes a tag.
  package func settingTags(_ tags: [(key: String, value: String)]) -> ContainerInfo {
    var copy = self
    for (key, value) in tags {
      for name in metadata.keys where name.lowercased() == key.lowercased() { copy.metadata[name] = nil }
      copy.metadata[key] = value.isEmpty ? nil : value
    }
    return copy
  }

  /// - Parameters:
  ///   - first: The first packet, if the container does not state the start; `nil` otherwise.
  ///   - photo: The metadata of the photo that the input is; `nil` for others.
  init(
    _ context: AVFormatContext, of input: MediaInput, kind: InputKind, isUntimed: Bool, first: Packet? = nil,
    photo: ImageMetadata?
  ) {
    let seconds = context.duration > 0 ? Double(context.duration) / Double(AV_TIME_BASE) : nil
    let isStated = context.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
    self.kind = kind
    formatName = context.inputFormatName
    durationSeconds = seconds
    statedDurationSeconds = isStated ? seconds : nil
    let firstTime = first.flatMap { $0.presentationTime ?? $0.decodingTime }
    startSeconds =
      context.start_time == CVStreamLibAV_NOPTS
      ? firstTime?.seconds ?? 0 : Double(context.start_time) / Double(AV_TIME_BASE)
    metadata = [String: String](context.metadata)
    // In AVI it is the program that wrote the file, elsewhere that of the camera.
    if formatName == "avi" { metadata["software"] = nil }
    chapters = (0..<Int(context.nb_chapters)).compactMap { context.chapters[$0].flatMap { Chapter($0.pointee) } }
    self.photo = photo
    self.isUntimed = isUntimed
    isPaced = input.isPaced || (seconds == nil && input.scheme.hasPrefix("rtmp"))
    hasSize = context.pb.map { avio_size($0) >= 0 } ?? false
  }
}

/// A named span of a file.
package struct Chapter: Hashable, Sendable {
  package let id: Int64
  package let start: Time
  package let end: Time
  package let metadata: [String: String]

  init(id: Int64, start: Time, end: Time, metadata: [String: String]) {
    self.id = id
    self.start = start
    self.end = end
    self.metadata = metadata
  }

  /// - Returns: `nil` if its time base is invalid.
  init?(_ chapter: AVChapter) {
    guard let base = Rational(chapter.time_base) else { return nil }
    self.init(
      id: chapter.id, start: Time(ticks: chapter.start, base: base), end: Time(ticks: chapter.end, base: base),
      metadata: [String: String](chapter.metadata))
  }

  /// The chapter with other tags.
  func settingMetadata(_ metadata: [String: String]) -> Chapter {
    Chapter(id: id, start: start, end: end, metadata: metadata)
  }

  /// The chapter moved back by some seconds and cut at time zero; `nil` if nothing of it is left.
  func shifted(back seconds: Double) -> Chapter? {
    let ticks = start.base.ticks(seconds: seconds)
    let last = end.rescaled(to: start.base).ticks.limitedDifference(ticks)
    guard last > 0 || seconds == 0 else { return nil }
    return Chapter(
      id: id,
      start: Time(ticks: seconds == 0 ? start.ticks : max(0, start.ticks.limitedDifference(ticks)), base: start.base),
      end: Time(ticks: last, base: start.base), metadata: metadata)
  }
}
