import Foundation
import Synchronization
import Testing

@testable import VStreamServe

/// The messages of one feed, and its viewers.
struct LiveFeedTests {
  private static func fragment(_ number: UInt8, isKey: Bool = false) -> LiveMessage {
    LiveMessage(.fragment(isKey: isKey), bytes: [number])
  }

  /// The first bytes of the messages that wait for a viewer.
  private static func take(_ viewer: LiveViewer, _ next: (LiveViewer) -> LiveViewer.Next) -> [UInt8] {
    var bytes: [UInt8] = []
    while case .message(let message) = next(viewer) { bytes.append(message.bytes.readableBytesView[0]) }
    return bytes
  }

  @Test func `each viewer gets what is published, from the last key frame on`() {
    var feed = LiveFeed()
    let (one, other) = (LiveViewer(.live) {}, LiveViewer(.live) {})
    let start = [LiveMessage(.start, text: "s"), LiveMessage(.start, bytes: [100])]
    let fragments = [Self.fragment(1, isKey: true), Self.fragment(2), Self.fragment(3, isKey: true), Self.fragment(4)]
    for message in start + fragments { #expect(feed.publish(message).isEmpty) }
    feed.add(one)
    _ = feed.publish(Self.fragment(5))
    feed.add(other)
    _ = feed.publish(Self.fragment(6))
    for viewer in [one, other] {
      #expect(Self.take(viewer) { feed.next(for: $0) } == [UInt8(ascii: "s"), 100, 3, 4, 5, 6])
    }
    #expect(feed.viewerCount == 2)
  }

  @Test func `a viewer that left gets nothing more`() {
    var feed = LiveFeed()
    let viewer = LiveViewer(.live) {}
    feed.add(viewer)
    _ = feed.publish(Self.fragment(1, isKey: true))
    #expect(Self.take(viewer) { feed.next(for: $0) } == [1])
    feed.remove(viewer)
    #expect(feed.publish(Self.fragment(2)).isEmpty && feed.viewerCount == 0)
    #expect(feed.next(for: viewer) == .end)
    feed.remove(viewer)
  }

  @Test func `a viewer is woken once until it has taken all`() {
    var feed = LiveFeed()
    let viewer = LiveViewer(.live) {}
    feed.add(viewer)
    #expect(feed.next(for: viewer) == .wait)
    #expect((0..<5).map { feed.publish(Self.fragment($0, isKey: $0 == 0)).count } == [1, 0, 0, 0, 0])
    #expect(Self.take(viewer) { feed.next(for: $0) } == [0, 1, 2, 3, 4])
    #expect(feed.publish(Self.fragment(9)) == [viewer])
  }

  @Test func `what was forgotten is not shown to new viewers`() {
    var feed = LiveFeed()
    for message in [LiveMessage(.state, text: "t"), LiveMessage(.start, text: "s"), Self.fragment(1, isKey: true)] {
      _ = feed.publish(message)
    }
    feed.recent.forgetVideo()
    let viewer = LiveViewer(.live) {}
    feed.add(viewer)
    #expect(Self.take(viewer) { feed.next(for: $0) } == [UInt8(ascii: "t")])
  }

  /// Nothing is lost or sent twice between a camera's threads and a viewer's.
  @Test(arguments: 0..<8) func `messages arrive whole and in their order, whatever the threads do`(seed: Int) {
    let camera = Camera(
      .init(name: "a", settings: CameraConfiguration()), log: ServeLog(format: .text, write: { _ in }))
    let taken = Mutex<[UInt8]>([])
    let (count, group) = (200, DispatchGroup())
    let wakes = DispatchSemaphore(value: 0)
    let viewer = LiveViewer(.live) { wakes.signal() }
    camera.handle(.joined(viewer))
    DispatchQueue.global().async(group: group) {
      for number in 0..<count { camera.handle(.message(Self.fragment(UInt8(number), isKey: number == 0), [.live])) }
      camera.stop()
    }
    DispatchQueue.global().async(group: group) {
      while true {
        switch camera.next(for: viewer) {
        case .message(let message): taken.withLock { $0.append(message.bytes.readableBytesView[0]) }
        case .wait: wakes.wait()
        case .end: return
        }
      }
    }
    DispatchQueue.global().async(group: group) {
      for _ in 0..<50 * seed { _ = camera.read { $0 } }
    }
    group.wait()
    #expect(taken.withLock { $0 } == (0..<count).map { UInt8($0) })
  }

  @Test func `the end is known to a viewer that waits`() {
    var feed = LiveFeed()
    let viewer = LiveViewer(.live) {}
    feed.add(viewer)
    #expect(feed.next(for: viewer) == .wait)
    #expect(feed.end() == [viewer] && feed.viewerCount == 0)
    #expect(feed.next(for: viewer) == .end)
  }
}
