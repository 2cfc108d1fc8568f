internal import VStreamCore
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamReporting
internal import VStreamSystem
internal import VStreamTracking

/// Redacts a frame and draws its annotations on it. One owner at a time.
struct Painter {
  /// `nil` if nothing is redacted.
  private var redaction: RedactionPainter?
  /// `nil` if nothing is drawn.
  private var overlay: OverlayPainter?
  private let counted: CountedRegions
  private let ownMarks: (@Sendable (FrameRecord, VideoFrame) -> [OverlayMark])?
  private let ownDrawing: (@Sendable (FrameRecord, inout VideoFrame) throws -> Void)?
  private let omitsImages: Bool
  private let omitsText: Bool
  /// Whether closed captions were omitted.
  private(set) var hasOmittedCaptions = false

  /// - Throws: `VStreamError.missingDependency` if the labels' font cannot be read.
  init(_ configuration: PipelineConfiguration) throws(VStreamError) {
    counted = configuration.counted
    (ownMarks, ownDrawing) = (configuration.marks, configuration.output == nil ? nil : configuration.drawing)
    omitsImages = configuration.redaction?.omitsImages == true
    omitsText = configuration.redaction?.keepsText == false
    redaction = configuration.isRedacted ? configuration.redaction.map { RedactionPainter($0.style) } : nil
    guard configuration.isDrawn, configuration.output?.hasOverlayTrack != true else { return }
    overlay = try OverlayPainter(
      configuration.overlay, fontPath: configuration.fontPath, hasOwnMarks: ownMarks != nil)
  }

  var isActive: Bool { redaction != nil || overlay != nil || ownDrawing != nil }

  /// Paints on the frame; fails closed: a frame whose covered regions are unknown is covered whole.
  ///
  /// - Throws: `VStreamError.library` if the frame cannot be drawn on.
  mutating func paint(_ job: inout FrameJob) throws {
    let size = job.frame.size
    if redaction != nil {
      if omitsImages { try job.frame.redactColorProfile() }
      if omitsText, try job.frame.removeCaptions() { (hasOmittedCaptions, job.isPainted) = (true, true) }
      let covered = job.covered ?? [.whole(size, at: job.frame.time.seconds)]
      if !covered.isEmpty { job.isPainted = true }
      try redaction?.redact(
        covered.map { RedactedEllipse($0.ellipse, extent: $0.extent, id: $0.id) }, in: &job.frame)
    }
    let marks = job.record.counts.map { counted.marks(in: size, $0) } ?? []
    let own = ownMarks?(job.record, job.frame) ?? []
    if overlay != nil, !marks.isEmpty || !own.isEmpty || job.record.annotations.found.count > 0 { job.isPainted = true }
    try overlay?.draw(job.record.annotations, regions: marks, own: own, on: &job.frame)
    try ownDrawing?(job.record, &job.frame)
  }
}

/// The font of labels.
package enum LabelFont {
  /// `$VSTREAM_FONT`, the font that is installed with the program, or the system's DejaVu Sans.
  package static var path: String {
    if let named = Installation.environment("VSTREAM_FONT") { return named }
    let candidates = [
      "\(Installation.programFolder)/../share/vstream/fonts/DejaVuSans.ttf",
      "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
      "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
      "/usr/share/fonts/TTF/DejaVuSans.ttf",
    ]
    return candidates.first(where: FileCheck.isReadable) ?? candidates[1]
  }
}
