import Testing
import VStreamCore
import VStreamMedia
import VStreamPipeline
import VStreamReporting

@testable import VStreamServe

/// A camera by its events, at the times of the tables, without threads and sockets.
struct CameraStateTests {
  typealias Event = CameraState.Event

  /// An event, and the expected state after it.
  struct Step: Sendable {
    let seconds: Double
    let event: Event
    let phase: CameraStatus.Phase
    /// The number of the frame that is shown.
    let frame: Int?
    let actions: [String]

    init(_ seconds: Double, _ event: Event, _ phase: CameraStatus.Phase, _ frame: Int? = nil, _ actions: [String] = [])
    {
      (self.seconds, self.event, self.phase, self.frame, self.actions) = (seconds, event, phase, frame, actions)
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var detectSource: String?
    var repeated: Set<CameraStream> = []
    let steps: [Step]

    func state() -> CameraState {
      var named = ServeConfiguration.NamedCamera(name: "a", settings: CameraConfiguration())
      (named.settings.source, named.settings.detectSource) = ("rtsp://host/a", detectSource)
      return CameraState(named, repeated: repeated, at: 0)
    }
  }

  private static let size = PixelSize(width: 8, height: 4)
  private static let failure = VStreamError(.inputOutput, "connection refused")

  private static func opened(
    _ stream: CameraStream = .decoded, width: Int = 8, isPlayable: Bool = true
  ) -> Event {
    let size = PixelSize(width: width, height: 4)
    return .opened(stream, OpenedVideo(index: 0, codec: "h264", size: size, isPlayable: isPlayable))
  }

  private static func record(_ frame: Int) -> FrameRecord {
    FrameRecord(
      FrameAnnotations(frame: frame, time: Time(ticks: Int64(40 * frame), base: .milliseconds), source: .detected))
  }

  private static func annotated(_ frame: Int, width: Int = 8, isDecoded: Bool = true) -> Event {
    .annotated(record(frame), PixelSize(width: width, height: 4), latency: isDecoded ? 0.02 : nil)
  }

  private static func painted(_ frame: Int) throws -> Event {
    let format = try #require(PixelFormat(name: "yuv420p"))
    let image = try VideoFrame(withoutPixels: size, format: format, time: record(frame).annotations.time)
    return .painted(PaintedFrame(record: record(frame), image: image))
  }

  private static func text(_ action: CameraState.Action) -> String {
    switch action {
    case .start(let stream): "start \(stream)"
    case .restart(let stream): "restart \(stream)"
    case .wake(let viewer): "wake \(viewer.feed)"
    case .publish(let record, let feeds):
      "publish \(record.annotations.time.ticks) to \(feeds.map { "\($0)" }.joined(separator: ", "))"
    case .note(let text), .warn(let text): text
    case .report(let message): "\(message)"
    }
  }

  private static func live() throws -> [Step] {
    [
      Step(0, .start, .connecting, nil, ["start decoded"]),
      Step(1, .run(.decoded, .starting), .connecting),
      Step(2, opened(), .connecting),
      Step(3, annotated(0), .live, nil, ["live"]),
      Step(3, try painted(0), .live, 0),
    ]
  }

  private static func bothLive() throws -> [Step] {
    [
      Step(0, .start, .connecting, nil, ["start shown"]),
      // The records have the size of the shown stream, which is therefore opened first.
      Step(1, opened(.shown, width: 16), .connecting, nil, ["start decoded"]),
      Step(2, opened(), .connecting),
      Step(3, annotated(0), .live, nil, ["live"]),
      Step(3, try painted(0), .live, 0),
    ]
  }

  static func rows() throws -> [Row] {
    [
      Row(testDescription: "connecting", steps: try live()),
      Row(
        testDescription: "connecting at the second attempt",
        steps: [
          Step(0, .start, .connecting, nil, ["start decoded"]),
          Step(1, .run(.decoded, .ended(failure)), .lost, nil, ["not running: connection refused"]),
          Step(1, .run(.decoded, .waiting(seconds: 1.5)), .lost, nil, ["retrying in 1.5 s"]),
          Step(3, .run(.decoded, .starting), .lost),
          Step(4, opened(), .lost),
          Step(5, annotated(0), .live, nil, ["live"]),
        ]),
      Row(
        testDescription: "idling: the newest key frame is shown",
        steps: try live() + [
          Step(4, annotated(1, isDecoded: false), .live, 0), Step(5, annotated(2, isDecoded: false), .live, 0),
          Step(6, annotated(25), .live, 0), Step(6, try painted(25), .live, 25),
        ]),
      Row(
        testDescription: "losing: no frame of before is shown",
        steps: try live() + [
          Step(4, .lost(reason: "it timed out"), .lost),
          Step(4, try painted(1), .lost),
          Step(4, annotated(2), .lost),
          Step(5, .lost(reason: "connection refused"), .lost),
          Step(6, opened(), .lost),
          Step(6, try painted(2), .lost),
          Step(7, annotated(9), .live, nil, ["live"]),
          Step(7, try painted(3), .live),
          Step(7, try painted(9), .live, 9),
        ]),
      Row(
        testDescription: "losing by the end of the source",
        steps: try live() + [
          Step(4, .run(.decoded, .ended(nil)), .lost, nil, ["not running: the source ended"])
        ]),
      Row(
        testDescription: "a file starts again", repeated: [.decoded],
        steps: try live() + [
          Step(4, try painted(90), .live, 90), Step(4, .run(.decoded, .ended(nil)), .live, 90),
          Step(5, .run(.decoded, .starting), .live, 90), Step(5, opened(), .live, 90),
          Step(5, annotated(0), .live, 90), Step(5, try painted(0), .live, 0),
          Step(6, .run(.decoded, .ended(failure)), .lost, nil, ["not running: connection refused"]),
        ]),
      Row(
        testDescription: "another size needs another run",
        steps: try live() + [
          Step(4, annotated(1, width: 16), .live, 0, ["restart decoded"]),
          Step(4, .run(.decoded, .starting), .live, 0), Step(5, opened(width: 16), .live, 0),
          Step(5, annotated(0, width: 16), .live, 0), Step(5, try painted(0), .live, 0),
        ]),
      Row(
        testDescription: "stopping",
        steps: try live() + [
          Step(4, .stop, .stopped), Step(5, annotated(1), .stopped), Step(5, try painted(1), .stopped),
          Step(6, opened(), .stopped), Step(6, .lost(reason: "it timed out"), .stopped),
          Step(7, .run(.decoded, .ended(failure)), .stopped), Step(7, .run(.decoded, .waiting(seconds: 1)), .stopped),
          Step(8, .run(.decoded, .stopped), .stopped),
        ]),
      Row(
        testDescription: "two streams: live while both are open", detectSource: "rtsp://host/b",
        steps: try bothLive() + [
          Step(4, .run(.shown, .ended(failure)), .lost, nil, ["not running: connection refused"]),
          Step(5, annotated(1), .lost), Step(5, try painted(1), .lost),
          Step(6, opened(.shown, width: 16), .lost),
          Step(7, annotated(2), .live, nil, ["live"]), Step(7, try painted(2), .live, 2),
          Step(8, .run(.decoded, .ended(nil)), .lost, nil, ["not running: the detect-source ended"]),
        ]),
      Row(
        testDescription: "two streams: another size of the shown one needs another run", detectSource: "rtsp://host/b",
        steps: try bothLive() + [
          Step(4, opened(.shown, width: 32), .live, 0, ["restart decoded"]),
          Step(5, opened(.shown, width: 32), .live, 0),
          Step(
            6, opened(.shown, isPlayable: false), .live, 0,
            ["browsers do not play h264: the live view shows the detect-source", "restart decoded"]),
        ]),
    ]
  }

  @Test(arguments: try rows()) func `phases, frames and actions`(row: Row) {
    var state = row.state()
    for (index, step) in row.steps.enumerated() {
      let actions = state.handle(step.event, at: step.seconds)
      #expect(actions.map(Self.text) == step.actions, "\(index)")
      #expect(state.status.phase == step.phase, "\(index)")
      #expect(state.newest?.record.annotations.frame == step.frame, "\(index)")
    }
  }

  @Test func `the state's problem, size and times`() throws {
    var state = Row(testDescription: "", detectSource: "rtsp://host/b", steps: []).state()
    for step in try Self.bothLive() { _ = state.handle(step.event, at: step.seconds) }
    let live = state.status
    #expect(
      live.since == 3 && live.problem == nil && live.size == PixelSize(width: 16, height: 4) && live.codec == "h264")
    #expect(live.latency.count == 1)
    _ = state.handle(.lost(reason: "it timed out"), at: 8)
    let lost = state.status
    #expect(lost.since == 8 && lost.problem?.description.contains("the detect-source was lost: it timed out") == true)
    _ = state.handle(Self.opened(), at: 9)
    _ = state.handle(Self.annotated(3, isDecoded: false), at: 10)
    // A frame that was not decoded waited for nothing.
    #expect(state.status.reconnects == 1 && state.status.latency.count == 1)
  }

  // MARK: Viewing

  /// The kinds of the messages that wait for a viewer, and how they end.
  private static func take(_ viewer: LiveViewer, _ state: inout CameraState) -> [String] {
    var kinds: [String] = []
    while true {
      switch state.next(for: viewer) {
      case .message(let message): kinds.append("\(message.kind)")
      case .wait: return kinds
      case .end: return kinds + ["end"]
      }
    }
  }

  private static func message(_ kind: LiveMessage.Kind) -> LiveMessage { LiveMessage(kind, bytes: [1]) }

  @Test func `viewers get the state and the video, and are woken once they have taken all`() throws {
    var state = Row(testDescription: "", steps: []).state()
    for step in try Self.live() { _ = state.handle(step.event, at: step.seconds) }
    for kind in [LiveMessage.Kind.start, .fragment(isKey: true), .fragment(isKey: false)] {
      #expect(state.handle(.message(Self.message(kind), [.live]), at: 4).isEmpty)
    }
    let (viewer, other) = (LiveViewer(.live) {}, LiveViewer(.records) {})
    for joined in [viewer, other] { #expect(state.handle(.joined(joined), at: 5).isEmpty) }
    #expect(state.viewerCount(.live, .liveWithSound) == 1 && state.viewerCount(.records) == 1)
    #expect(Self.take(viewer, &state) == ["state", "start", "fragment(isKey: true)", "fragment(isKey: false)"])
    #expect(state.handle(.lost(reason: "it timed out"), at: 6) == [.wake(viewer)])
    #expect(state.handle(.message(Self.message(.fragment(isKey: true)), [.live]), at: 7).isEmpty)
    #expect(Self.take(viewer, &state) == ["state", "fragment(isKey: true)"] && Self.take(other, &state) == [])
    #expect(state.handle(.left(viewer), at: 8).isEmpty && state.viewerCount(.live, .liveWithSound) == 0)
    #expect(Self.take(viewer, &state) == ["end"])
    // Encoded only for viewers: the next one waits for another video.
    _ = state.handle(.encodingEnded, at: 9)
    _ = state.handle(.joined(viewer), at: 10)
    #expect(Self.take(viewer, &state) == ["state"])
  }

  @Test func `records are made for those who follow them`() throws {
    var state = Row(testDescription: "", detectSource: "rtsp://host/b", steps: []).state()
    for step in try Self.bothLive() { _ = state.handle(step.event, at: step.seconds) }
    #expect(state.handle(Self.annotated(1), at: 4).isEmpty)
    let viewers = [LiveViewer(.records) {}, LiveViewer(.live) {}]
    for viewer in viewers { _ = state.handle(.joined(viewer), at: 4) }
    // It is not known yet over which frame they are drawn.
    #expect(state.handle(Self.annotated(2), at: 5).map(Self.text) == ["publish 80 to records"])
    _ = state.handle(.packet(.decoded, index: 0, time: 1), at: 101)
    _ = state.handle(.packet(.shown, index: 0, time: 3), at: 101)
    _ = state.handle(.packet(.shown, index: 1, time: 9), at: 101)
    #expect(
      state.handle(Self.annotated(2), at: 102).map(Self.text) == [
        "publish 80 to records", "publish 2080 to live",
      ])
  }

  @Test func `sound that ends sends its viewers back, and unheard sound is not kept`() {
    var state = Row(testDescription: "", steps: []).state()
    _ = state.handle(.sound(true), at: 1)
    _ = state.handle(.message(Self.message(.fragment(isKey: true)), [.liveWithSound]), at: 1)
    _ = state.handle(.packet(.decoded, index: 0, time: nil), at: 2)
    let viewers = [LiveViewer(.liveWithSound) {}, LiveViewer(.live) {}]
    for viewer in viewers { _ = state.handle(.joined(viewer), at: 3) }
    #expect(state.hasSound && state.viewerCount(.live, .liveWithSound) == 2)
    for viewer in viewers { #expect(Self.take(viewer, &state) == []) }
    #expect(state.handle(.sound(false), at: 4) == [.wake(viewers[0])])
    #expect(Self.take(viewers[0], &state) == ["end"] && Self.take(viewers[1], &state) == [])
    #expect(!state.hasSound && state.viewerCount(.live, .liveWithSound) == 1)
  }

  @Test(arguments: CameraFeed.allCases) func `a stop ends viewers, those who come later too`(feed: CameraFeed) {
    var state = Row(testDescription: "", steps: []).state()
    let (viewer, late) = (LiveViewer(feed) {}, LiveViewer(feed) {})
    _ = state.handle(.joined(viewer), at: 1)
    _ = state.handle(.message(Self.message(.start), [feed]), at: 2)
    #expect(Self.take(viewer, &state) == ["start"])
    _ = state.handle(.message(Self.message(.fragment(isKey: true)), [feed]), at: 3)
    _ = state.handle(.stop, at: 4)
    // What waits for them is still theirs.
    #expect(Self.take(viewer, &state) == ["fragment(isKey: true)", "end"])
    _ = state.handle(.joined(late), at: 5)
    #expect(Self.take(late, &state).last == "end" && state.viewerCount(.live, .liveWithSound) == 0)
    #expect(state.viewerCount(.records) == 0)
  }
}
