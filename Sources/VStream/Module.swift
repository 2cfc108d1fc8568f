/// # VStream: the library
///
/// The public interface for other packages: detectors in ML Kit's shape, each with its tracker (`ObjectDetector`,
/// `FaceDetector`, `PoseDetector`), their input (`VideoFrame`), runs from an input to its annotations (`VideoPipeline`) with
/// detectors of the user's own (`FrameDetector`), and their records (`RecordReader`). The types of results and options are
/// re-exported from the modules below.
///
/// May import: all modules but the C ones.
@_exported public import enum VStreamCore.AnnotationSource
@_exported public import struct VStreamCore.Box
@_exported public import struct VStreamCore.CategoryLabel
@_exported public import struct VStreamCore.DetectedFace
@_exported public import struct VStreamCore.DetectedObject
@_exported public import struct VStreamCore.DetectedPose
@_exported public import protocol VStreamCore.Detection
@_exported public import enum VStreamCore.DetectionKind
@_exported public import enum VStreamCore.DetectionMode
@_exported public import struct VStreamCore.Detections
@_exported public import struct VStreamCore.FaceContour
@_exported public import struct VStreamCore.FaceLandmark
@_exported public import struct VStreamCore.FrameAnnotations
@_exported public import struct VStreamCore.FrameSearch
@_exported public import struct VStreamCore.HeadAngles
@_exported public import enum VStreamCore.ObjectCategory
@_exported public import struct VStreamCore.PixelSize
@_exported public import struct VStreamCore.Point
@_exported public import struct VStreamCore.PoseLandmark
@_exported public import struct VStreamCore.Rational
@_exported public import struct VStreamCore.RegionCounts
@_exported public import struct VStreamCore.Time
@_exported public import struct VStreamCore.TrackEvent
@_exported public import struct VStreamCore.VStreamError
@_exported public import enum VStreamDetection.DetectionAccuracy
@_exported public import struct VStreamDetection.FaceDetectorOptions
@_exported public import struct VStreamDetection.PoseDetectorOptions
@_exported public import enum VStreamMedia.AudioPolicy
@_exported public import struct VStreamMedia.EncoderSettings
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
