internal import NIOCore
internal import VStreamPipeline

/// A connection that is sent a feed's messages. The feed adds them on the camera's threads; the connection takes them on its
/// own, as fast as it can.
final class LiveViewer: Sendable {
  private let queue = Monitor(ViewerQueue())
  private let isWaiting = Monitor(true)
  private let isClosed = Monitor(false)
  private let wake: @Sendable () -> Void

  /// - Parameter wake: called when there are messages, after `take` returned none; not to block.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  func add(_ message: LiveMessage) {
    queue.update { $0.add(message) }
    let wasWaiting = isWaiting.update { isWaiting in
      defer { isWaiting = false }
      return isWaiting
    }
    if wasWaiting { wake() }
  }

  /// The next message; `nil` if there is none, after which `wake` is called for the next one.
  func take() -> LiveMessage? {
    if let message = queue.update({ $0.take() }) { return message }
    isWaiting.update { $0 = true }
    // One may have been added before.
    guard let message = queue.update({ $0.take() }) else { return nil }
    isWaiting.update { $0 = false }
    return message
  }

  var byteCount: Int { queue.read { $0.byteCount } }

  /// Ends it, once its messages are taken.
  func close() {
    isClosed.update { $0 = true }
    wake()
  }

  /// Whether no more messages are added.
  var hasEnded: Bool { isClosed.read { $0 } }
}

/// The live messages of one camera, and those who watch.
final class LiveFeed: Sendable {
  private struct State: Sendable {
    var viewers: [ObjectIdentifier: LiveViewer] = [:]
    var recent = RecentVideo()
  }

  private let state = Monitor(State())

  var viewerCount: Int { state.read { $0.viewers.count } }

  /// Adds a viewer, who gets the video since the last key frame first.
  func add(_ viewer: LiveViewer) {
    state.update { state in
      for message in state.recent.messages { viewer.add(message) }
      state.viewers[ObjectIdentifier(viewer)] = viewer
    }
  }

  func remove(_ viewer: LiveViewer) { state.update { $0.viewers[ObjectIdentifier(viewer)] = nil } }

  /// Forgets the video: what a new viewer is shown is still to come.
  func forgetVideo() { state.update { $0.recent.forgetVideo() } }

  /// Forgets the fragments: a new viewer waits for the next key frame.
  func forgetFragments() { state.update { $0.recent.removeFragments() } }

  /// Ends all viewers: the camera was removed, or what they watch.
  func close() {
    let viewers = state.update { state in
      defer { state.viewers = [:] }
      return state.viewers.values
    }
    for viewer in viewers { viewer.close() }
  }

  func publish(_ message: LiveMessage) {
    state.update { state in
      state.recent.add(message)
      for viewer in state.viewers.values { viewer.add(message) }
    }
  }
}

/// What a new viewer needs to show a video at once: its start, and its fragments since the last key frame.
struct RecentVideo: Sendable {
  private var state: LiveMessage?
  private var start: [LiveMessage] = []
  private var fragments: [LiveMessage] = []
  private var byteCount = 0

  /// Bytes of fragments that are kept; of a longer sequence none is, and a new viewer waits for the next key frame.
  static let maximumBytes = 3 << 20

  var messages: [LiveMessage] { [state].compactMap(\.self) + start + fragments }

  mutating func add(_ message: LiveMessage) {
    switch message.kind {
    case .record: return
    case .state: state = message
    case .start:
      // A description, and after it the data that it describes.
      if message.isText || start.count > 1 { start = [] }
      start.append(message)
      removeFragments()
    case .fragment(let isKey):
      if isKey { removeFragments() }
      guard isKey || !fragments.isEmpty else { return }
      fragments.append(message)
      byteCount += message.bytes.readableBytes
      if byteCount > Self.maximumBytes { removeFragments() }
    }
  }

  mutating func forgetVideo() {
    start = []
    removeFragments()
  }

  mutating func removeFragments() {
    fragments = []
    byteCount = 0
  }
}
