/// # VStreamInference: OpenVINO in Swift
///
/// `Model` is a network compiled once, `InferenceRequest` runs it, and `RegionSampler` computes its input from a region of a
/// frame's planes. No other module imports OpenVINO, which is loaded when the first model is.
///
/// May import: VStreamCore, VStreamSystem, VStreamMedia, CVStreamOpenVINO.
