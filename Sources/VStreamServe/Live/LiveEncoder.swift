internal import VStreamMedia
internal import VStreamScene

/// Encodes the frames of a camera whose packets may not, or cannot, be shown as they are. One owner at a time: the camera's
/// writer thread.
struct LiveEncoder {
  private struct Video {
    let encoder: VideoEncoder
    let writer: FragmentWriter
    /// Of the frames.
    let size: PixelSize
  }

  private var opened: Video?
  /// Of the source, for the rate control; `nil` if unknown.
  private let frameRate: Rational?

  init(frameRate: Rational?) { self.frameRate = frameRate }

  var isOpen: Bool { opened != nil }

  /// The messages of a frame: of the first one and after a change of size with the start of a video.
  ///
  /// - Throws: `VStreamError` if it cannot be encoded.
  mutating func messages(_ frame: VideoFrame) throws(VStreamError) -> [LiveMessage] {
    var messages: [LiveMessage] = []
    if opened?.size != frame.size {
      let made = try Self.open(frame, frameRate)
      opened = made
      messages = LiveVideo.start(made.writer, size: made.encoder.encodedSize)
    }
    guard let opened else { return [] }
    for packet in try opened.encoder.encode(frame) {
      guard let bytes = try opened.writer.fragment(packet) else { continue }
      messages.append(LiveMessage(.fragment(isKey: packet.isKey), bytes: bytes))
    }
    return messages
  }

  /// Ends the video; the next frame starts another one.
  mutating func close() { opened = nil }

  private static func open(_ first: VideoFrame, _ frameRate: Rational?) throws(VStreamError) -> Video {
    var rules = ContainerRules()
    rules.hasGlobalHeader = true
    let settings = EncoderSettings(codec: codec, preset: "superfast", crf: 23, threads: 1, isLowDelay: true)
    let encoder = try VideoEncoder(
      try VideoCodec(encoder: codec), settings: settings, first: first, frameRate: frameRate, rules: rules)
    return Video(
      encoder: encoder, writer: try FragmentWriter(encoder, frameRate: frameRate), size: first.size)
  }

  private static let codec = "libx264"
}
