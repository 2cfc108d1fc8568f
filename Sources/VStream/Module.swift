/// # VStream: the library
///
/// The public interface for other packages: detectors in ML Kit's shape, each with its tracker (`ObjectDetector`,
/// `FaceDetector`, `PoseDetector`), their input (`VideoFrame`), runs from an input to its annotations (`VideoPipeline`) with
/// detectors of the user's own (`FrameDetector`), and their records (`RecordReader`). The types of results and options are
/// re-exported from the modules below.
///
/// May import: all modules but the C ones.
@_exported public import VStreamCore

@_exported public import enum VStreamDetection.DetectionAccuracy
@_exported public import struct VStreamDetection.FaceDetectorOptions
@_exported public import struct VStreamDetection.PoseDetectorOptions
@_exported public import enum VStreamMedia.AudioPolicy
@_exported public import struct VStreamMedia.EncoderSettings
@_exported public import enum VStreamMedia.Orientation
@_exported public import struct VStreamMedia.OutputSize
@_exported public import struct VStreamMedia.PixelFormat
@_exported public import struct VStreamMedia.VideoFrame
@_exported public import struct VStreamOverlay.Color
@_exported public import struct VStreamOverlay.OverlayMark
@_exported public import struct VStreamOverlay.OverlayOptions
@_exported public import enum VStreamOverlay.RedactionStyle
@_exported public import struct VStreamPipeline.CountedRegions
@_exported public import struct VStreamPipeline.RedactionOptions
@_exported public import struct VStreamReporting.RecordReader
@_exported public import struct VStreamTracking.TrackerOptions
