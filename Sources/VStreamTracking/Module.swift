/// # VStreamTracking: detections in, IDs out
///
/// A motion model, the association of detections with tracks and the states of a track (`Tracker`); the covered regions of
/// redacted frames (`CoverageTracker`, `CoverageLookBack`); the counts of zones and lines (`Counter`); the selection of
/// objects and faces. Pure values: the same detections at the same times give the same tracks, on any machine and any number
/// of threads. All durations are seconds of stream time, so a variable frame rate, skipped detections and dropped frames
/// change nothing.
///
/// May import: VStreamCore.
