internal import VStreamScene

/// An observation that has more to draw than its box and its score.
protocol DetailedObservation: Observation {
  /// The score that its label has instead of the detection's, and what it is of, with a space at the end; `nil`: the
  /// detection's.
  var labelScore: (note: String, score: Double)? { get }

  /// Its strokes, in drawing order.
  ///
  /// - Parameter lineWidth: of boxes in this frame, in pixels.
  func strokes(_ elements: Set<OverlayOptions.Element>, lineWidth: Double) -> [Stroke]
}

extension DetailedObservation {
  var labelScore: (note: String, score: Double)? { nil }
}
