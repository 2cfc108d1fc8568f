internal import Synchronization
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// Follows one run of a camera.
final class CameraObserver: RunObserver {
  private let camera: Camera
  private let packets: ShownPackets
  /// Of the writer's thread; `nil` where packets are shown as they are.
  private let encoder = Mutex<LiveEncoder?>(nil)
  private let size = Monitor<PixelSize?>(nil)
  /// Of the annotator's thread; `nil` if nothing is recorded.
  private let records: Mutex<RecordFiles?>
  private let showsVideo: Bool

  /// - Parameter showsVideo: whether the run's video is shown, not another one of the camera.
  init(_ camera: Camera, showsVideo: Bool) {
    self.camera = camera
    self.showsVideo = showsVideo
    packets = ShownPackets(camera)
    records = Mutex(camera.settings.records.map { RecordFiles($0, camera: camera.name) })
  }

  /// Called when the run has ended.
  func finish() { record { files throws(VStreamError) in try files.finish() } }

  private func record(_ body: (inout RecordFiles) throws(VStreamError) -> Void) {
    let failure = records.withLock { files -> VStreamError? in
      do throws(VStreamError) {
        if var open = files {
          defer { files = open }
          try body(&open)
        }
        return nil
      } catch {
        return error
      }
    }
    if let failure { camera.failed(toRecord: failure) }
  }

  func inputOpened(_ opened: StreamInfo, sound: StreamInfo?) {
    camera.opened(opened)
    guard showsVideo else { return }
    // Packets are shown only if nothing in them has to be hidden.
    guard FragmentWriter.canWrite(opened), !camera.settings.hidesPixels else {
      packets.close()
      encoder.withLock { $0 = LiveEncoder(frameRate: opened.frameRate) }
      return
    }
    encoder.withLock { $0 = nil }
    packets.open(opened, sound: sound)
  }

  func inputLost(reason: String) { camera.lost(reason) }

  func packetRead(_ packet: Packet) {
    camera.arrived(packet, of: .decoded)
    packets.publish(packet)
  }

  func framePainted(_ painted: ObservedFrame, isKnown: Bool) {
    // What nobody knows how to redact is not shown at all.
    guard isKnown else { return }
    camera.painted(painted)
    for message in encodedMessages(of: painted.image) { camera.live.publish(message) }
  }

  /// Encoded only while somebody watches.
  private func encodedMessages(of frame: VideoFrame) -> [LiveMessage] {
    let isWatched = camera.live.viewerCount > 0
    return encoder.withLock { encoder in
      guard var open = encoder else { return [] }
      defer { encoder = open }
      guard isWatched else {
        if open.isOpen { camera.live.forgetVideo() }
        open.close()
        return []
      }
      return (try? open.messages(frame)) ?? []
    }
  }

  func recordsBegan(_ header: RecordHeader) {
    camera.records.publish(LiveMessage(.start, text: RecordText.line(header)))
    record { files throws(VStreamError) in files.begin(header) }
  }

  func frameAnnotated(_ frame: ObservedFrame) {
    let isSame = size.update { size in
      if size == nil { size = frame.image.size }
      return size == frame.image.size
    }
    // A changed size needs other zones, and another header of the records.
    guard isSame else { return camera.restart() }
    camera.annotated(frame)
    record { files throws(VStreamError) in
      try files.write(frame.record, on: UTCTime.now.date, at: MonotonicTime.now)
    }
  }
}

/// Shows a camera's stream that is not decoded.
final class ShownObserver: PacketObserver {
  private let camera: Camera
  private let packets: ShownPackets

  init(_ camera: Camera) {
    self.camera = camera
    packets = ShownPackets(camera)
  }

  func inputOpened(_ opened: StreamInfo, sound: StreamInfo?) {
    camera.openedShown(opened)
    if FragmentWriter.canWrite(opened) { packets.open(opened, sound: sound) }
  }

  func packetRead(_ packet: Packet) {
    camera.arrived(packet, of: .shown)
    packets.publish(packet)
  }
}

/// Publishes the packets of a stream of a camera as its live view, as they are.
private final class ShownPackets: Sendable {
  private struct Videos {
    var silent: LiveVideo?
    /// `nil` without sound that browsers play.
    var withSound: LiveVideo?
  }

  private let camera: Camera
  /// Of the reader's thread.
  private let videos = Mutex(Videos())

  init(_ camera: Camera) { self.camera = camera }

  func open(_ video: StreamInfo, sound: StreamInfo?) {
    let sound = sound.flatMap { FragmentWriter.canWrite(sound: $0) ? $0 : nil }
    let starts = videos.withLock { videos in
      videos = Videos(silent: LiveVideo(video), withSound: sound.map { LiveVideo(video, sound: $0) })
      return (videos.silent?.start ?? [], videos.withSound?.start)
    }
    for message in starts.0 { camera.live.publish(message) }
    camera.noteSound(starts.1 != nil)
    for message in starts.1 ?? [] { camera.liveWithSound.publish(message) }
  }

  func close() {
    videos.withLock { $0 = Videos() }
    camera.noteSound(false)
  }

  func publish(_ packet: Packet) {
    // Few listen, and the second video costs nothing without them.
    let isHeard = camera.liveWithSound.viewerCount > 0
    if !isHeard { camera.liveWithSound.forgetFragments() }
    let (silent, withSound) = videos.withLock { videos in
      (videos.silent?.message(packet), isHeard ? videos.withSound?.message(packet) : nil)
    }
    if let silent { camera.live.publish(silent) }
    if let withSound { camera.liveWithSound.publish(withSound) }
  }
}
