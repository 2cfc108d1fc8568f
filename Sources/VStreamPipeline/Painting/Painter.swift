internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamScene
internal import VStreamTracking

/// Redacts a frame and draws its annotations on it. One owner at a time.
struct Painter {
  /// `nil` if nothing is redacted.
  private var redaction: RedactionPainter?
  /// `nil` if nothing is drawn.
  private var overlay: OverlayPainter?
  private let counted: CountedRegions
  private let ownMarks: (@Sendable (FrameAnnotations) -> [OverlayMark])?
  private let omitsImages: Bool
  private let omitsText: Bool
  /// Whether closed captions were omitted.
  private(set) var hasOmittedCaptions = false

  /// - Throws: `VStreamError.missingDependency` if the labels' font cannot be read.
  init(_ configuration: PipelineConfiguration) throws(VStreamError) {
    counted = configuration.counted
    ownMarks = configuration.marks
    omitsImages = configuration.redaction?.omitsImages == true
    omitsText = configuration.redaction?.keepsText == false
    redaction = configuration.isRedacted ? configuration.redaction.map { RedactionPainter($0.style) } : nil
    guard configuration.isDrawn, configuration.output?.hasOverlayTrack != true else { return }
    overlay = try OverlayPainter(
      configuration.overlay, fontPath: configuration.fontPath, hasOwnMarks: ownMarks != nil)
  }

  var isActive: Bool { redaction != nil || overlay != nil }

  /// Paints on the frame; fails closed: a frame of which the covered regions are not known is covered whole.
  ///
  /// - Throws: `VStreamError.library` if the frame cannot be drawn on.
  mutating func paint(_ annotated: inout AnnotatedFrame) throws {
    let size = annotated.frame.size
    if redaction != nil {
      if omitsImages { try annotated.frame.redactColorProfile() }
      if omitsText, try annotated.frame.removeCaptions() { hasOmittedCaptions = true }
      let covered = annotated.covered ?? [.whole(size, at: annotated.frame.time.seconds)]
      try redaction?.redact(
        covered.map { RedactedEllipse($0.ellipse, extent: $0.extent, id: $0.id) }, in: &annotated.frame)
    }
    let marks = annotated.counts.map { counted.marks(in: size, $0) } ?? []
    try overlay?.draw(
      annotated.annotations, regions: marks, own: ownMarks?(annotated.annotations) ?? [], on: &annotated.frame)
  }
}
