/// # VStreamPipeline: the threads of a run, and the steps that they run
///
/// Frames flow one way:
///
///     reader ──▶ channel of decoded frames ──▶ annotator ──▶ channel of annotated frames ──▶ writer
///        └─▶ detection queues ─▶ detectors ─▶ (each frame's `PendingDetection`) ─▲
///
/// A `FrameJob` is a frame on that way; each stage adds its result. Packets that are copied travel in the same channels.
///
/// - Reader (`ReaderThread`): demuxes and reconnects (`InputSource`), decodes and normalises (`FrameDecoder`), sends frames to
///   the detectors and to the annotator (`FrameDispatcher`).
/// - Detectors (`DetectorGroup`): where every frame is detected, a group for each kind, with a thread for each core; one thread for a
///   detector that needs the frames in their order. Where late frames are dropped, all detectors of the run in a `DetectorPool`.
/// - Annotator (`AnnotatorThread`): takes each frame through the steps *resolve* (`ResolutionSource`: its detections up to a
///   deadline, or records), *annotate* (`AnnotationStep`, pure), *record* (`Recorder`), *redaction buffer* (`RedactionBuffer`)
///   and *paint* (`Painter`). Images of faces are encoded on a thread of their own (`FaceRecorder`).
/// - Writer (`WriterThread`): writes to the run's `FrameSink`, which opens the output at the first frame.
///
/// The steps are plain values with one owner; threads and locks are in Concurrency/. (`VStreamMedia` has locks of its own where
/// libav calls back, and for reads and writes that another thread may interrupt.)
///
/// The four questions of every channel (`Channel`): it holds a bounded weight; a full one makes its sender wait, or, at the
/// entrance of a live input, evicts its oldest frames. It has one sender and any number of receivers. A sender that ends
/// (`finish`) lets queued elements be received first. A receiver that ends (`cancel`) makes every later send return `false`.
/// Nothing waits without limit: each thread finishes or cancels its channels when it ends, for whatever reason. A frame is
/// offered to the detectors before it is sent to the annotator, which therefore waits for a frame that a detector has or can
/// get, or for its deadline.
///
/// All deadlines of frames use the run's clock (`PipelineClock`), which a test can set.
///
/// May import: VStreamCore, VStreamSystem, VStreamTracking, VStreamMedia, VStreamInference, VStreamDetection, VStreamOverlay,
/// VStreamReporting.
