internal import VStreamCore
internal import VStreamMedia

/// Decides the pixel format that frames are normalised to: the encoder's, or their own where they are not encoded.
///
/// Decided at the first decoded frame, as containers do not state the format reliably.
struct FrameFormat: Sendable {
  private let output: PipelineOutput?
  /// Whether detectors or the overlay access the pixels.
  private let needsPixels: Bool
  /// Whether something is redacted.
  private let isRedacted: Bool

  init(_ configuration: PipelineConfiguration) {
    output = configuration.output.flatMap { $0.hasOverlayTrack ? nil : $0 }
    isRedacted = configuration.redaction != nil
    needsPixels = !configuration.kinds.isEmpty || !configuration.masks.isEmpty
  }

  /// - Returns: the format, and a warning if it loses detail that the frames' own format has, and the user did not choose it.
  /// - Throws: `VStreamError.usage` for a format that the encoder does not support.
  func target(for first: VideoFrame) throws(VStreamError) -> (target: FrameTarget, warning: Message?) {
    guard let output else {
      return (FrameTarget(format: needsPixels ? first.format.addressable : first.format), nil)
    }
    let wanted = output.encoder.pixelFormat
    var target = try output.codec.target(for: first, wanted: wanted, needsPixels: needsPixels)
    let isFull = first.color.isFullRange(format: first.format)
    if isFull, target.range == .unchanged, !output.destination.storesFullRange(of: output.codec) {
      target.range = .limited
    }
    guard wanted == nil, first.format.losesDetail(in: target.format) else { return (target, nil) }
    return (
      target,
      "\(output.codec.name) does not support \(first.format): encoded as \(target.format) (\(.pixelFormat) chooses another)"
    )
  }

  /// A normaliser of a stream's frames to this format.
  func normaliser(for stream: StreamInfo, state: RunState) -> FrameNormaliser {
    FrameNormaliser(orientation: stream.orientation, removesHidden: isRedacted) { first throws(VStreamError) in
      let (target, warning) = try target(for: first)
      if let warning { state.warn(warning) }
      return target
    }
  }
}
