public import VStreamScene

/// What is known of a frame when it is released: its detections, or the annotations of an earlier run.
public struct ResolvedDetections: Sendable {
  /// Detections of earlier frames that came after those were released, in the frames' order.
  public var late: [TimedObservations]
  /// `nil` if no detector was run on the frame, or if the result did not come in time.
  public var found: Observations?
  /// Set if `found` are annotations of an earlier run, which are reported as they are: the source that its records state.
  public var recordedSource: AnnotationSource?
  /// Whether nothing has moved since the frame before, so that no detector was run.
  public var isUnchanged = false
  /// The number of the frame's shot.
  public var shot = 0
  /// The tracks that an earlier run made of the same detections with the same options; `nil` if they are not known.
  var recordedTracks: RecordedTracks?

  public init(
    late: [TimedObservations] = [], found: Observations? = nil, recordedSource: AnnotationSource? = nil
  ) {
    self.late = late
    self.found = found
    self.recordedSource = recordedSource
  }

  /// What is known of a frame, in the pixels of a larger or smaller copy of it.
  func scaled(from size: PixelSize, to other: PixelSize) -> ResolvedDetections {
    if size == other { return self }
    let (x, y) = (Double(other.width) / Double(size.width), Double(other.height) / Double(size.height))
    var scaled = self
    scaled.found = found?.scaled(x: x, y: y)
    for index in late.indices { scaled.late[index].found = late[index].found.scaled(x: x, y: y) }
    return scaled
  }
}

/// Resolves the frames of a stream, in their order. One owner at a time.
protocol ResolutionSource {
  /// - Throws: the `VStreamError` of a detector, or of the records.
  mutating func resolve(_ frame: FrameJob) throws(VStreamError) -> ResolvedDetections

  /// Notes a frame that was dropped while a detector had it.
  mutating func addUndelivered(_ frame: PendingFrame)

  /// - Returns: a warning about the stream as a whole.
  /// - Throws: `VStreamError` if none of its frames could be resolved.
  func finish() throws(VStreamError) -> Message?
}
