/// # VStreamTracking: detections in, IDs out
///
/// A motion model, the association of boxes with tracks, and the life of a track; and what is to be covered where things
/// are redacted (`CoverageTracker`, `LookBack`). Pure values: the same detections at
/// the same times give the same tracks, on any machine and any number of threads. All durations are seconds of stream
/// time, so a variable frame rate, skipped detections and dropped frames change nothing.
///
/// May import: VStreamScene.
