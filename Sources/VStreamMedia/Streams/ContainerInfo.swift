internal import CVStreamLibAV

/// The properties of an input as a whole.
public struct ContainerInfo: Sendable {
  /// The kind of source that it is read from.
  public let kind: InputKind
  /// FFmpeg's short name of the format, for example `avi` or `mov,mp4,m4a,3gp,3g2,mj2`.
  public let formatName: String
  /// Duration in seconds, as the container specifies or as libav estimates it; `nil` if unknown.
  public let durationSeconds: Double?
  /// Duration in seconds unless it is only estimated from the bit rate; `nil` if unknown.
  public let exactDurationSeconds: Double?
  /// Presentation time of the first packet; 0 if unknown.
  public let startSeconds: Double
  public let metadata: [String: String]
  public let chapters: [Chapter]
  /// The metadata of a photo; `nil` if the input is not one photo.
  public internal(set) var photo: ImageMetadata?

  /// Whether it comes by a protocol whose sender sets the pace, such as RTSP.
  let isPaced: Bool

  /// Whether it arrives at its own pace: from a device, a pipe, a network stream of unknown duration, or by a protocol
  /// whose sender sets the pace.
  public var isLive: Bool {
    switch kind {
    case .file: false
    case .device, .pipe: true
    case .network: durationSeconds == nil || isPaced
    }
  }

  /// - Parameter photo: The metadata of the photo that the input is; `nil` for others.
  init(_ context: AVFormatContext, of input: MediaInput, kind: InputKind, photo: ImageMetadata?) {
    let seconds = context.duration > 0 ? Double(context.duration) / Double(AV_TIME_BASE) : nil
    let isEstimate = context.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE
    self.kind = kind
    formatName = String(cString: context.iformat.pointee.name)
    durationSeconds = seconds
    exactDurationSeconds = isEstimate ? nil : seconds
    startSeconds = context.start_time == CVStreamLibAV_NOPTS ? 0 : Double(context.start_time) / Double(AV_TIME_BASE)
    metadata = [String: String](context.metadata)
    chapters = (0..<Int(context.nb_chapters)).compactMap { context.chapters[$0].flatMap { Chapter($0.pointee) } }
    self.photo = photo
    isPaced = input.isPaced
  }
}
