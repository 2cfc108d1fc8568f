/// # VStreamDetection: from a frame to observations
///
/// Detection stages report observations without IDs: objects down to a score of 0.1 (`ObjectDetectionStage`), faces
/// (`FaceDetectionStage`, which tracks those of a stream by their meshes, or by their boxes alone: `FaceFinder`), and
/// poses (`PoseDetectionStage`, which tracks people by their landmarks). Here are the readers of network outputs
/// (`OutputLayoutRegistry`, `SSDDecoder`, `CenterFaceDecoder`, `BlazePoseDecoder`), the suppression of duplicates (`nonMaximumSuppression`,
/// `weightedSuppression`), properties of a face's mesh (`FaceMeshMap`, `HeadPose`, `FaceExpression`), and the catalogue of
/// models (`ModelCatalogue`).
///
/// May import: VStreamCore, VStreamSystem, VStreamMedia, VStreamInference.
