import Testing

@testable import VStreamServe

/// What a viewer gets that takes its messages late, or not at all.
struct ViewerQueueTests {
  private static func fragment(_ number: UInt8, isKey: Bool = false, bytes: Int = 1) -> LiveMessage {
    LiveMessage(.fragment(isKey: isKey), bytes: [UInt8](repeating: number, count: bytes))
  }

  /// The first bytes of the messages that wait.
  private static func waiting(_ queue: ViewerQueue) -> [UInt8] {
    var queue = queue
    var numbers: [UInt8] = []
    while let message = queue.take() { numbers.append(message.bytes.readableBytesView[0]) }
    return numbers
  }

  @Test func `the video starts at a key frame`() {
    var queue = ViewerQueue()
    for message in [Self.fragment(1), Self.fragment(2, isKey: true), Self.fragment(3)] { queue.add(message) }
    #expect(Self.waiting(queue) == [2, 3])
  }

  @Test func `a viewer that lags skips to the next key frame`() {
    var queue = ViewerQueue()
    let part = ViewerQueue.maximumBytes / 4
    queue.add(Self.fragment(1, isKey: true, bytes: part))
    for number in 2...6 { queue.add(Self.fragment(UInt8(number), bytes: part)) }
    // The fifth did not fit: what waited is omitted, and what follows up to a key frame.
    #expect(Self.waiting(queue) == [])
    queue.add(Self.fragment(7, isKey: true, bytes: part))
    queue.add(Self.fragment(8, bytes: part))
    #expect(Self.waiting(queue) == [7, 8])
  }

  @Test func `a key frame replaces what waits when there is no space for both`() {
    var queue = ViewerQueue()
    queue.add(Self.fragment(1, isKey: true, bytes: ViewerQueue.maximumBytes - 10))
    queue.add(Self.fragment(2, isKey: true, bytes: 100))
    #expect(Self.waiting(queue) == [2])
  }

  @Test(arguments: 1...40) func `memory is bounded, whatever is added`(seed: Int) {
    var queue = ViewerQueue()
    for step in 0..<400 {
      let size = (step * seed * 7919) % (ViewerQueue.maximumBytes / 3)
      switch (step + seed) % 5 {
      case 0: queue.add(Self.fragment(1, isKey: true, bytes: size))
      case 1: queue.add(LiveMessage(.record, text: String(repeating: "x", count: size)))
      default: queue.add(Self.fragment(2, bytes: size))
      }
      #expect(queue.byteCount <= ViewerQueue.maximumBytes)
    }
  }

  @Test func `only the newest state waits, and the start of a video removes what is before it`() {
    var queue = ViewerQueue()
    queue.add(LiveMessage(.state, text: "a"))
    queue.add(Self.fragment(1, isKey: true))
    queue.add(LiveMessage(.state, text: "b"))
    queue.add(LiveMessage(.start, text: "c"))
    queue.add(LiveMessage(.start, bytes: [9]))
    queue.add(Self.fragment(2, isKey: true))
    #expect(Self.waiting(queue) == [UInt8(ascii: "b"), UInt8(ascii: "c"), 9, 2])
  }

  @Test func `a new viewer gets the start and the video since the last key frame`() {
    var recent = RecentVideo()
    recent.add(LiveMessage(.start, text: "s"))
    recent.add(LiveMessage(.start, bytes: [9]))
    recent.add(Self.fragment(1))
    recent.add(Self.fragment(2, isKey: true))
    recent.add(Self.fragment(3))
    recent.add(LiveMessage(.record, text: "r"))
    recent.add(Self.fragment(4, isKey: true))
    recent.add(Self.fragment(5))
    #expect(recent.messages.map { $0.bytes.readableBytesView[0] } == [UInt8(ascii: "s"), 9, 4, 5])
  }

  @Test func `a video without key frames is not kept for new viewers`() {
    var recent = RecentVideo()
    recent.add(Self.fragment(1, isKey: true))
    for _ in 0..<10 { recent.add(Self.fragment(2, bytes: RecentVideo.maximumBytes / 4)) }
    #expect(recent.messages.isEmpty)
    recent.add(Self.fragment(3, isKey: true))
    #expect(recent.messages.count == 1)
  }
}
