internal import VStreamMedia
internal import VStreamScene
internal import VStreamSystem

/// Makes the messages of a camera's video from its packets. One owner at a time: the camera's reader thread.
struct LiveVideo {
  private let video: StreamInfo
  private var writer: FragmentWriter?
  /// The description of the video, or of why there is none, and the start of its file.
  let start: [LiveMessage]

  /// - Parameter sound: the stream of its sound; `nil` for none.
  init(_ video: StreamInfo, sound: StreamInfo? = nil) {
    self.video = video
    do throws(VStreamError) {
      let made = try FragmentWriter(video, sound: sound)
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
