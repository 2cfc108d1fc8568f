/// # VStreamDetection: from a frame to what is in it
///
/// Detectors give observations without IDs: objects down to a score of 0.1 (`ObjectDetectionStage`), faces
/// (`FaceDetectionStage`, which follows those of a stream by their meshes, or by their boxes, where looks are taken in turns:
/// `FaceSweep`), and poses (`PoseDetectionStage`, which follows people by their landmarks). Here live the readers of network outputs
/// (`SSDDecoder`, `AnchorDecoder`), the suppression of duplicates (`nonMaximumSuppression`, `weightedSuppression`), what a mesh
/// tells of a face (`FaceMeshMap`, `HeadPose`, `FaceExpression`), and the catalogue of models (`ModelCatalogue`: which file,
/// whose, how to read it).
///
/// May import: VStreamScene, VStreamSystem, VStreamMedia, VStreamInference.
