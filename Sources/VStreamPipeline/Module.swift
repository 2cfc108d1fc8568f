/// # VStreamPipeline: the stages wired together
///
/// The only module that knows threads and locks. Frames flow one way:
///
///     reader ──▶ ordered channel ──▶ annotator ──▶ coded channel ──▶ writer
///        └─▶ work channel ─▶ detectors ─▶ (each frame's `PendingDetection`) ─▲
///
/// - Reader: demux, decode, normalise. Packets that are copied travel in the same channels, between the frames.
/// - Detectors: as many as there are cores; each takes the next frame of the work channel.
/// - Annotator: waits for the frame's detection, tracks, writes the records, draws.
/// - Writer: encodes and muxes; opens the output at the first frame.
///
/// The four questions of every channel (`Channel`): it holds a bounded weight and a full one makes its sender wait; it
/// has one sender and any number of receivers; a sender that ends (`finish`) lets what is queued be received first; a
/// receiver that ends (`cancel`) makes every later send return `false`. Nothing waits for ever: each thread finishes or
/// cancels its channels when it ends, for whatever reason. A frame is put into the work channel before the ordered one,
/// so whoever waits for a detection waits for a frame that a detector has or can get.
///
/// May import: VStreamScene, VStreamTracking, VStreamMedia, VStreamInference, VStreamDetection, VStreamOverlay,
/// VStreamReporting.
