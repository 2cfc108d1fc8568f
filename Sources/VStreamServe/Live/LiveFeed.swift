internal import NIOCore

/// A message of a live view.
struct LiveMessage: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// The description of the video, and the start of its file; everything before it is outdated.
    case start
    /// A fragment of the video.
    case fragment(isKey: Bool)
    /// The boxes of a frame, or its record.
    case record
    /// The camera's state, which replaces an earlier one.
    case state
  }

  let kind: Kind
  let bytes: ByteBuffer
  /// Whether it is text, not binary data.
  let isText: Bool

  init(_ kind: Kind, text: String) {
    self.kind = kind
    bytes = ByteBuffer(string: text)
    isText = true
  }

  init(_ kind: Kind, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = ByteBuffer(bytes: bytes)
    isText = false
  }
}

/// The messages that wait for one viewer, with bounded memory: where a viewer lags, the video skips to the next key frame, and
/// records are omitted. A value, without threads.
struct ViewerQueue: Sendable {
  private var messages: [LiveMessage] = []
  private(set) var byteCount = 0
  /// Whether fragments are omitted up to the next key frame.
  private var waitsForKey = true

  /// Bytes that may wait.
  static let maximumBytes = 4 << 20

  mutating func add(_ message: LiveMessage) {
    switch message.kind {
    case .start: skipToHere()
    case .state: removeAll { $0.kind == .state }
    case .fragment(let isKey):
      if isKey, isFull(with: message) { skipToHere() }
      if isKey { waitsForKey = false }
      if waitsForKey || isFull(with: message) {
        if !waitsForKey { skipToHere() }
        waitsForKey = true
        return
      }
    case .record: if isFull(with: message) { return }
    }
    messages.append(message)
    byteCount += message.bytes.readableBytes
  }

  /// The next message.
  mutating func take() -> LiveMessage? {
    guard !messages.isEmpty else { return nil }
    let message = messages.removeFirst()
    byteCount -= message.bytes.readableBytes
    return message
  }

  private func isFull(with message: LiveMessage) -> Bool {
    byteCount + message.bytes.readableBytes > Self.maximumBytes
  }

  /// Omits the fragments and records that wait.
  private mutating func skipToHere() { removeAll { $0.kind != .state && $0.kind != .start } }

  private mutating func removeAll(where isOutdated: (LiveMessage) -> Bool) {
    messages.removeAll(where: isOutdated)
    byteCount = messages.reduce(0) { $0 + $1.bytes.readableBytes }
  }
}

/// The feeds for viewers of a camera.
enum CameraFeed: Hashable, CaseIterable, Sendable {
  /// The video and the boxes.
  case live
  /// The same, with the sound.
  case liveWithSound
  /// The packets as they come, of any codec, with sound, for recordings.
  case recorded
  case records
}

/// A connection that is sent the messages of a feed, as fast as it takes them.
final class LiveViewer: Hashable, Sendable {
  let feed: CameraFeed
  /// Whether it records, and is no viewer of the page.
  let isRecorder: Bool
  /// Called when there are messages, or their end, after there was none; not to block.
  let wake: @Sendable () -> Void

  init(_ feed: CameraFeed, isRecorder: Bool = false, wake: @escaping @Sendable () -> Void) {
    (self.feed, self.isRecorder, self.wake) = (feed, isRecorder, wake)
  }

  static func == (one: LiveViewer, other: LiveViewer) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  enum Next: Hashable, Sendable {
    case message(LiveMessage)
    /// It is woken for the next one.
    case wait
    /// The camera was removed, or the feed ended.
    case end
  }
}

/// The viewers of a feed, with the messages that wait for each. A value.
struct LiveFeed: Sendable {
  private struct Follower {
    var queue = ViewerQueue()
    /// Whether it took all messages, and has to be woken for the next one.
    var isWaiting = false
    var hasEnded = false
  }

  private var followers: [LiveViewer: Follower] = [:]
  var recent = RecentVideo()

  var viewerCount: Int { followers.count { !$0.key.isRecorder && !$0.value.hasEnded } }
  /// Whether there are viewers or a recorder.
  var isFollowed: Bool { followers.contains { !$0.value.hasEnded } }

  /// Adds a viewer, who gets the video since the last key frame first.
  mutating func add(_ viewer: LiveViewer) {
    var added = Follower()
    for message in recent.messages { added.queue.add(message) }
    followers[viewer] = added
  }

  mutating func remove(_ viewer: LiveViewer) { followers[viewer] = nil }

  /// - Returns: the viewers to wake.
  mutating func publish(_ message: LiveMessage) -> [LiveViewer] {
    recent.add(message)
    return forEach { $0.queue.add(message) }
  }

  /// Ends all viewers, once they have taken their messages.
  ///
  /// - Returns: the viewers to wake.
  mutating func end() -> [LiveViewer] { forEach { $0.hasEnded = true } }

  mutating func next(for viewer: LiveViewer) -> LiveViewer.Next {
    if let message = followers[viewer]?.queue.take() { return .message(message) }
    guard followers[viewer]?.hasEnded == false else { return .end }
    followers[viewer]?.isWaiting = true
    return .wait
  }

  private mutating func forEach(_ change: (inout Follower) -> Void) -> [LiveViewer] {
    var woken: [LiveViewer] = []
    // Indices, as a copy of the values would be a copy of the queues.
    var index = followers.startIndex
    while index != followers.endIndex {
      defer { followers.formIndex(after: &index) }
      if followers.values[index].hasEnded { continue }
      change(&followers.values[index])
      guard followers.values[index].isWaiting else { continue }
      followers.values[index].isWaiting = false
      woken.append(followers.keys[index])
    }
    return woken
  }
}

/// The start of a video and its fragments since the last key frame, with which a new viewer shows it at once.
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

  /// A new viewer is shown the next video.
  mutating func forgetVideo() {
    start = []
    removeFragments()
  }

  /// A new viewer waits for the next key frame.
  mutating func removeFragments() {
    fragments = []
    byteCount = 0
  }
}
