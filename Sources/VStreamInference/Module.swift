/// # VStreamInference: OpenVINO in Swift
///
/// A network compiled once (`Model`), one run of it at a time (`InferenceRequest`), and the way from a frame's planes
/// to its input (`RegionSampler`). The only module that names OpenVINO, which is opened when the first model is.
///
/// May import: VStreamScene, VStreamSystem, VStreamMedia, CVStreamOpenVINO.
