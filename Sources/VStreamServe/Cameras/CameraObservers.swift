internal import Synchronization
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// Follows one run of a camera.
final class CameraObserver: RunObserver {
  private let camera: Camera
  /// Of the reader's thread.
  private let video = Mutex<LiveVideo?>(nil)
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

  func inputOpened(_ opened: StreamInfo) {
    camera.opened(opened)
    guard showsVideo else { return }
    // Packets are shown only if nothing in them has to be hidden.
    guard FragmentWriter.canWrite(opened), !camera.settings.hidesPixels else {
      video.withLock { $0 = nil }
      encoder.withLock { $0 = LiveEncoder(frameRate: opened.frameRate) }
      return
    }
    encoder.withLock { $0 = nil }
    let start = video.withLock { video in
      let made = LiveVideo(opened)
      video = made
      return made.start
    }
    for message in start { camera.live.publish(message) }
  }

  func inputLost(reason: String) { camera.lost(reason) }

  func packetRead(_ packet: Packet) {
    camera.arrived(packet, of: .decoded)
    guard let message = video.withLock({ $0?.message(packet) }) else { return }
    camera.live.publish(message)
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
  /// Of the thread of the run; `nil` if browsers do not play it.
  private let video = Mutex<LiveVideo?>(nil)

  init(_ camera: Camera) { self.camera = camera }

  func inputOpened(_ opened: StreamInfo) {
    camera.openedShown(opened)
    guard FragmentWriter.canWrite(opened) else { return }
    let start = video.withLock { video in
      let made = LiveVideo(opened)
      video = made
      return made.start
    }
    for message in start { camera.live.publish(message) }
  }

  func packetRead(_ packet: Packet) {
    guard let message = video.withLock({ $0?.message(packet) }) else { return }
    camera.arrived(packet, of: .shown)
    camera.live.publish(message)
  }
}
