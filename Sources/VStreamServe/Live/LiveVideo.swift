internal import VStreamCore
internal import VStreamMedia
internal import VStreamSystem

/// Makes the messages of a camera's video from its packets. One owner at a time: the camera's reader thread.
struct LiveVideo {
  private let video: StreamInfo
  private var writer: FragmentWriter?
  /// The description of the video, or of why there is none, and the start of its file.
  let start: [LiveMessage]

  /// - Parameters:
  ///   - sound: the stream of its sound; `nil` for none.
  ///   - isPlayed: whether browsers play it.
  init(_ video: StreamInfo, sound: StreamInfo? = nil, isPlayed: Bool = true) {
    self.video = video
    do throws(VStreamError) {
      let made = try FragmentWriter(video, sound: sound, isPlayed: isPlayed)
      writer = made
      start = Self.start(made, size: video.encodedSize)
    } catch {
      let text = TextBuffer.json { json in
        json.add("type", "noVideo")
        json.add("reason", error.description)
      }
      start = [LiveMessage(.start, text: text)]
    }
  }

  /// The messages with which a video starts.
  static func start(_ writer: FragmentWriter, size: PixelSize) -> [LiveMessage] {
    let text = TextBuffer.json { json in
      json.add("type", "video")
      json.add("mimeType", writer.mimeType)
      json.add("width", size.width)
      json.add("height", size.height)
    }
    return [LiveMessage(.start, text: text), LiveMessage(.start, bytes: writer.initialization)]
  }

  /// The message of a packet; `nil` for one of another stream, or that cannot be shown.
  mutating func message(_ packet: Packet) -> LiveMessage? {
    guard let bytes = try? writer?.fragment(packet) else { return nil }
    return LiveMessage(.fragment(isKey: packet.isKey && packet.streamIndex == video.index), bytes: bytes)
  }
}

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
