public import VStreamOverlay

/// What is redacted, and how.
public struct RedactionOptions: Sendable {
  /// How it is made unrecognisable.
  public var style: RedactionStyle
  /// The labels of the detections that are redacted, in lower case.
  public var labels: Set<String>
  /// Seconds before its first detection for which an object is redacted as well; `nil`: 0.5 for files, 0 for live inputs.
  public var lookBackSeconds: Double?
  /// Whether everything that may show the same scene unredacted is omitted: other video streams, cover images,
  /// thumbnails, data.
  public var omitsImages = true
  /// Whether tags that name places, persons and devices are kept.
  public var keepsDescription = false
  /// Whether the result has the covered regions of each frame.
  public var recordsCoveredEllipses = false
  /// Those of `labels` of which it is not known whether a detector has them; a warning says if none of its detections does.
  public var uncertainLabels: Set<String> = []
  /// The memory that frames in the look-back window may take.
  var maximumBufferedBytes = 400 << 20

  public init(_ style: RedactionStyle, labels: Set<String>, lookBackSeconds: Double? = nil) {
    self.style = style
    self.labels = labels
    self.lookBackSeconds = lookBackSeconds
  }
}
