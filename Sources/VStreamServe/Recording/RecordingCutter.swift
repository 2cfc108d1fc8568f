internal import NIOCore

/// Cuts the fragments of a camera into files of a minute, which begin at key frames. A value: its owner passes in the clocks, and
/// carries the actions out.
///
/// A file also ends where the video starts again, as after a loss or with another size, and where the wall clock was set.
struct RecordingCutter {
  enum Action: Hashable {
    /// A file of the moment, in seconds since 1970, with the start of the video and its description.
    case begin(at: Double, ByteBuffer, description: ByteBuffer)
    case write(ByteBuffer, isKey: Bool)
    /// The boxes of a frame, of the open file or of the one that ended just before.
    case boxes(ByteBuffer)
    case end
  }

  /// The readings of two clocks, in seconds: one that never goes back, and the calendar's since 1970.
  struct Moment: Hashable {
    var now: Double
    var wall: Double
  }

  private let settings: RecordingSettings
  private var description = ByteBuffer()
  private var start: ByteBuffer?
  /// When the open file began; `nil` for none.
  private var began: Double?
  private var last: Moment?
  private var lastEvent = -Double.infinity
  /// Fragments that wait for an event, from a key frame on, and boxes of their frames.
  private var waiting: [(moment: Moment, isKey: Bool, action: Action)] = []
  private var waitingBytes = 0

  /// Seconds of a file.
  static let fileSeconds = 60.0
  /// Bytes that may wait.
  static let maximumBytes = 64 << 20
  /// Seconds by which the wall clock may differ from the other one between two fragments.
  private static let clockTolerance = 2.0

  init(_ settings: RecordingSettings) { self.settings = settings }

  /// - Parameter isEvent: whether something is tracked now.
  mutating func add(_ message: LiveMessage, isEvent: Bool, at moment: Moment) -> [Action] {
    switch message.kind {
    case .start:
      let actions = end()
      if message.isText { description = message.bytes }
      start = message.isText ? nil : message.bytes
      forgetWaiting()
      return actions
    case .fragment(let isKey): return add(message.bytes, isKey: isKey, isEvent: isEvent, at: moment)
    case .record:
      if began == nil, !waiting.isEmpty { wait(.boxes(message.bytes), at: moment) }
      return [.boxes(message.bytes)]
    case .state: return []
    }
  }

  private mutating func wait(_ action: Action, isKey: Bool = false, at moment: Moment) {
    waiting.append((moment, isKey, action))
    waitingBytes += action.byteCount
  }

  /// The end of the video, or of writing its file.
  mutating func end() -> [Action] {
    defer { began = nil }
    return began == nil ? [] : [.end]
  }

  private mutating func add(_ bytes: ByteBuffer, isKey: Bool, isEvent: Bool, at moment: Moment) -> [Action] {
    guard let start else { return [] }
    if isEvent { lastEvent = moment.now }
    let isWanted = settings.mode == .always || moment.now - lastEvent <= settings.after
    var actions: [Action] = []
    let drift = last.map { (moment.wall - $0.wall) - (moment.now - $0.now) } ?? 0
    last = moment
    let isFull = isKey && moment.now - (began ?? moment.now) >= Self.fileSeconds
    if !isWanted || isFull || abs(drift) > Self.clockTolerance { actions += end() }
    if began != nil { return [.write(bytes, isKey: isKey)] }
    guard isKey || !waiting.isEmpty else { return actions }
    wait(.write(bytes, isKey: isKey), isKey: isKey, at: moment)
    omitOld(at: moment.now)
    guard isWanted, let first = waiting.first else { return actions }
    began = moment.now
    actions.append(.begin(at: first.moment.wall, start, description: description))
    actions += waiting.map(\.action)
    forgetWaiting()
    return actions
  }

  private mutating func forgetWaiting() { (waiting, waitingBytes) = ([], 0) }

  /// Omits groups that an event would not need, and all if they are too large.
  private mutating func omitOld(at now: Double) {
    if waitingBytes > Self.maximumBytes { return forgetWaiting() }
    let needed = waiting.lastIndex { $0.isKey && $0.moment.now <= now - settings.before } ?? 0
    waitingBytes -= waiting.prefix(needed).reduce(0) { $0 + $1.action.byteCount }
    waiting.removeFirst(needed)
  }
}

extension RecordingCutter.Action {
  fileprivate var byteCount: Int {
    switch self {
    case .write(let bytes, _), .boxes(let bytes): bytes.readableBytes
    case .begin, .end: 0
    }
  }
}
