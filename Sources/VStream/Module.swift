/// # VStream: the library
///
/// The public interface for other packages: detectors in ML Kit's shape, each with its tracker (`ObjectDetector`,
/// `FaceDetector`, `PoseDetector`), their input (`VideoFrame`), and runs from an input to its annotations (`VideoPipeline`).
/// The types of results are re-exported from the modules below.
///
/// May import: all modules but the C ones.
@_exported public import VStreamScene

@_exported public import struct VStreamDetection.FaceDetectorOptions
@_exported public import struct VStreamDetection.PoseDetectorOptions
@_exported public import enum VStreamMedia.Orientation
@_exported public import struct VStreamMedia.VideoFrame
@_exported public import struct VStreamTracking.TrackerOptions
