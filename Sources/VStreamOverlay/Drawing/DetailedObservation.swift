internal import VStreamScene

/// An observation that has more to draw than its box and its score.
protocol DetailedObservation: Observation {
  /// The score on the label with its caption (`"smiling "`); `nil` for the detection's score.
  var labelScore: (note: String, score: Double)? { get }

  /// Its strokes, in drawing order.
  ///
  /// - Parameter lineWidth: of boxes in this frame, in pixels.
  func strokes(_ elements: Set<OverlayOptions.Element>, lineWidth: Double) -> [Stroke]
}

extension DetailedObservation {
  var labelScore: (note: String, score: Double)? { nil }
}
