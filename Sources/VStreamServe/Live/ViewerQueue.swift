internal import NIOCore

/// A message of a live view.
struct LiveMessage: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// The description of the video, and the start of its file; everything before it is outdated.
    case start
    /// A fragment of the video.
    case fragment(isKey: Bool)
    /// The boxes of a frame, or what is recorded of it.
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
  /// Fragments and records that were omitted.
  private(set) var omittedCount = 0

  /// Bytes that may wait.
  static let maximumBytes = 4 << 20

  var isEmpty: Bool { messages.isEmpty }

  mutating func add(_ message: LiveMessage) {
    switch message.kind {
    case .start: removeAll { $0.kind != .state && $0.kind != .start }
    case .state: removeAll { $0.kind == .state }
    case .fragment(let isKey):
      if isKey, isFull(with: message) { skipToHere() }
      if isKey { waitsForKey = false }
      if waitsForKey || isFull(with: message) {
        if !waitsForKey { skipToHere() }
        waitsForKey = true
        omittedCount += 1
        return
      }
    case .record:
      if isFull(with: message) {
        omittedCount += 1
        return
      }
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
  private mutating func skipToHere() {
    let before = messages.count
    removeAll { $0.kind != .state && $0.kind != .start }
    omittedCount += before - messages.count
  }

  private mutating func removeAll(where isOutdated: (LiveMessage) -> Bool) {
    messages.removeAll(where: isOutdated)
    byteCount = messages.reduce(0) { $0 + $1.bytes.readableBytes }
  }
}
