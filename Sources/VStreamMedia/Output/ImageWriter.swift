internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Writes each packet as an image file: one photo, or numbered images.
final class ImageWriter: MediaSink {
  let omitted: [OmittedStream]
  let notices: [Message] = []
  let problems: [Message] = []
  let refused = RefusedPackets()
  private let destination: OutputDestination
  private let size: PixelSize
  private let metadata: ImageMetadata
  private let isNumbered: Bool
  private var number: Int
  /// The file that was written last, for `discard`.
  private var lastPath: String?
  private var warning: String?

  /// - Throws: `VStreamError.usage` for options other than `start_number`.
  init(
    _ destination: OutputDestination, video: VideoEncoder, first: VideoFrame, omitting streams: [StreamInfo],
    photo: ImageMetadata?
  ) throws(VStreamError) {
    self.destination = destination
    size = video.encodedSize
    // The frame was rotated upright; a profile in the frame is the file's.
    var upright = photo?.upright ?? ImageMetadata()
    if upright.profile.isEmpty { upright.profile = first.colorProfile }
    metadata = upright
    isNumbered = destination.isNumbered
    number = try destination.firstNumber()
    omitted = streams.map { OmittedStream(stream: $0, reason: "image files hold nothing else; an .mkv output does") }
  }

  func writeVideo(_ packet: Packet) throws(VStreamError) {
    if !isNumbered, lastPath != nil {
      throw VStreamError(
        .usage, "'\(destination.shownLocation)' is one image, and the input has more frames",
        subject: destination.location,
        remedy: "number them: \(destination.numberedExample); or select one frame with \(.start) and \(.duration)")
    }
    let path = destination.path(number: number)
    number += 1
    if isNumbered {
      try FileCheck.requireCreatable(path, overwrite: destination.overwrites)
      try FileCheck.requireNoPart(PartFile.path(for: path), overwrite: destination.overwrites)
    }
    let file = metadata.embedded(in: packet.bytes, width: size.width, height: size.height)
    if !metadata.exif.isEmpty, ImageMetadata(of: file).exif.isEmpty {
      warning =
        "'\(path)' cannot hold the input's Exif (\(metadata.exif.count) bytes), which is omitted: "
        + "a .jpg output holds 65 kB of it, a .png or .webp output any"
    }
    try PartFile.write(file, for: path)
    lastPath = path
    // A single image gets its name at the end, when no second frame can follow.
    if isNumbered { try PartFile.commit(path) }
  }

  func writeCopy(_ packet: Packet) {}

  func finish(isComplete: Bool) throws(VStreamError) -> String? {
    if !isNumbered, isComplete, let lastPath { try PartFile.commit(lastPath) }
    let next = destination.path(number: number)
    if isNumbered, FileStatus(of: next, followsLink: false) != nil {
      let more = "'\(next)' and what follows it are of an earlier run: remove them"
      warning = warning.map { "\($0); \(more)" } ?? more
    }
    return warning
  }

  func abandon() {}

  func discard() {
    if !isNumbered, let lastPath { PartFile.discard(lastPath) }
  }
}

/// A file format of single images.
package enum ImageFormat: String, CaseIterable, Hashable, Sendable {
  case jpeg = "jpg"
  case png

  private var encoder: String { self == .jpeg ? "mjpeg" : "png" }

  /// A frame as an image file, with the frame's ICC profile.
  ///
  /// - Parameter quality: of a JPEG, 0…1; `nil` for the encoder's.
  /// - Throws: `VStreamError.library` if the encoder fails.
  package func file(of frame: VideoFrame, quality: Double? = nil) throws(VStreamError) -> [UInt8] {
    // JPEG has full-range samples only, which the encoder makes of RGB.
    let source =
      self == .png ? frame : try FrameConverter(size: frame.size, format: PixelFormat(AV_PIX_FMT_RGB24)).convert(frame)
    var settings = EncoderSettings(codec: encoder, threads: 1)
    if let quality {
      // Quantiser scales 1 to 31, in libav's units of 118.
      let scale = Int((31 - 30 * quality).rounded())
      settings.options = [("flags", "+qscale"), ("global_quality", "\(scale * 118)")]
    }
    let encoder = try VideoEncoder(
      try VideoCodec(encoder: encoder), settings: settings, first: source,
      frameRate: nil, rules: ContainerRules())
    let packets = try encoder.encode(source) + encoder.finish()
    guard let packet = packets.first else { throw VStreamError(.library, "\(self.encoder) made no image") }
    var data = ImageMetadata()
    data.profile = frame.colorProfile
    return data.embedded(in: packet.bytes, width: frame.size.width, height: frame.size.height)
  }
}
