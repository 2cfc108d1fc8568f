/// # VStream: the library
///
/// What other packages import: detectors in ML Kit's shape, each with its tracker (`ObjectDetector`, `FaceDetector`,
/// `PoseDetector`), the pictures that they take (`VideoFrame`), and whole runs from an input to what is found in it (`VideoPipeline`). What
/// results are made of comes along from the modules below.
///
/// May import: all modules but the C ones.
@_exported public import VStreamScene

@_exported public import struct VStreamDetection.FaceDetectorOptions
@_exported public import struct VStreamDetection.PoseDetectorOptions
@_exported public import enum VStreamMedia.Orientation
@_exported public import struct VStreamMedia.VideoFrame
@_exported public import struct VStreamTracking.TrackerOptions
