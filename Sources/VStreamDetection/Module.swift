/// # VStreamDetection: from a frame to what is in it
///
/// Detectors give observations without IDs: objects down to a score of 0.1. Here live the readers of network outputs
/// (`SSDDecoder`), the suppression of duplicates (`nonMaximumSuppression`), and the catalogue of models
/// (`ModelCatalogue`: which file, whose, how to read it).
///
/// May import: VStreamScene, VStreamMedia, VStreamInference.
