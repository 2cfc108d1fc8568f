/// # VStreamPipeline: the stages wired together
///
/// The only module that knows threads and locks. Frames flow one way:
///
///     reader ──▶ ordered channel ──▶ annotator ──▶ coded channel ──▶ writer
///        └─▶ feeds ─▶ detectors ─▶ (each frame's `PendingDetection`) ─▲
///
/// - Reader: demux, decode, normalise; opens a lost input anew. Packets that are copied travel in the same channels,
///   between the frames.
/// - Detectors (`DetectorGroup`): where every frame is looked at, a lane for each kind of thing and as many detectors in it
///   as there are cores, or one where it follows what it finds, with two frames at work if it can
///   (`OverlappingDetecting`); where late frames are dropped, one lane with one detector of each kind behind the
///   `LateFrameGate`.
/// - Annotator: waits for the frame's detection (`DetectionResolver`, as long as it may), tracks, writes the records, draws;
///   what is to be redacted waits there for what is found after it (`RedactionBuffer`).
/// - Writer: encodes and muxes; opens the output at the first frame.
///
/// The four questions of every channel (`Channel`): it holds a bounded weight and a full one makes its sender wait, or,
/// where a live input's frames come in, its oldest frames give way; it has one sender and any number of receivers; a sender
/// that ends (`finish`) lets what is queued be received first; a receiver that ends (`cancel`) makes every later send
/// return `false`. Nothing waits for ever: each thread finishes or cancels its channels when it ends, for whatever reason. A
/// frame is offered to the detectors before it goes into the ordered channel, so whoever waits for a detection waits for a
/// frame that a detector has or can get, or for its deadline.
///
/// All waiting goes by the run's clock (`PipelineClock`), which a test can set.
///
/// May import: VStreamScene, VStreamSystem, VStreamTracking, VStreamMedia, VStreamInference, VStreamDetection, VStreamOverlay,
/// VStreamReporting.
