import Foundation
import Synchronization
import Testing

@testable import VStreamServe

/// The messages of one camera, and those who get them.
struct LiveFeedTests {
  /// A viewer that takes what waits when it is woken, like a connection.
  private final class Taker: Sendable {
    private let taken = Mutex<[UInt8]>([])
    private let viewer = Mutex<LiveViewer?>(nil)
    let wakes = Atomic(0)

    func make() -> LiveViewer {
      let made = LiveViewer { [self] in
        wakes.add(1, ordering: .relaxed)
        takeAll()
      }
      viewer.withLock { $0 = made }
      return made
    }

    func takeAll() {
      guard let viewer = viewer.withLock({ $0 }) else { return }
      while let message = viewer.take() {
        let byte = message.bytes.readableBytesView[0]
        taken.withLock { $0.append(byte) }
      }
    }

    var bytes: [UInt8] { taken.withLock { $0 } }
  }

  private static func fragment(_ number: UInt8, isKey: Bool = false) -> LiveMessage {
    LiveMessage(.fragment(isKey: isKey), bytes: [number])
  }

  @Test func `each viewer gets what is published, from the last key frame on`() {
    let feed = LiveFeed()
    feed.publish(LiveMessage(.start, text: "s"))
    feed.publish(LiveMessage(.start, bytes: [100]))
    for message in [Self.fragment(1, isKey: true), Self.fragment(2), Self.fragment(3, isKey: true), Self.fragment(4)] {
      feed.publish(message)
    }
    let (one, other) = (Taker(), Taker())
    feed.add(one.make())
    feed.publish(Self.fragment(5))
    feed.add(other.make())
    feed.publish(Self.fragment(6))
    for taker in [one, other] { #expect(taker.bytes == [UInt8(ascii: "s"), 100, 3, 4, 5, 6]) }
    #expect(feed.viewerCount == 2)
  }

  @Test func `a viewer that left gets nothing more`() {
    let feed = LiveFeed()
    let taker = Taker()
    let viewer = taker.make()
    feed.add(viewer)
    feed.publish(Self.fragment(1, isKey: true))
    feed.remove(viewer)
    feed.publish(Self.fragment(2))
    #expect(taker.bytes == [1] && feed.viewerCount == 0)
    feed.remove(viewer)
  }

  @Test func `a viewer is woken once until it has taken all`() {
    let count = Atomic(0)
    let viewer = LiveViewer { count.add(1, ordering: .relaxed) }
    for number in 0..<5 { viewer.add(Self.fragment(UInt8(number), isKey: number == 0)) }
    #expect(count.load(ordering: .relaxed) == 1)
    while viewer.take() != nil {}
    viewer.add(Self.fragment(9))
    #expect(count.load(ordering: .relaxed) == 2)
    #expect(viewer.byteCount == 1)
  }

  @Test func `what was forgotten is not shown to new viewers`() {
    let feed = LiveFeed()
    feed.publish(LiveMessage(.state, text: "t"))
    feed.publish(LiveMessage(.start, text: "s"))
    feed.publish(Self.fragment(1, isKey: true))
    feed.forgetVideo()
    let taker = Taker()
    feed.add(taker.make())
    #expect(taker.bytes == [UInt8(ascii: "t")])
  }

  /// Nothing is lost or sent twice between a camera's thread and a viewer's.
  @Test(arguments: 0..<8) func `messages arrive whole and in their order, whatever the threads do`(seed: Int) {
    let feed = LiveFeed()
    let (taker, group) = (Taker(), DispatchGroup())
    feed.add(taker.make())
    let count = 200
    DispatchQueue.global().async(group: group) {
      for number in 0..<count { feed.publish(Self.fragment(UInt8(number), isKey: number == 0)) }
    }
    DispatchQueue.global().async(group: group) {
      for _ in 0..<50 * seed { _ = feed.viewerCount }
    }
    group.wait()
    taker.takeAll()
    #expect(taker.bytes == (0..<count).map { UInt8($0) })
  }

  @Test func `the end is known to a viewer that waits`() {
    let feed = LiveFeed()
    let taker = Taker()
    let viewer = taker.make()
    feed.add(viewer)
    feed.close()
    #expect(viewer.hasEnded && taker.wakes.load(ordering: .relaxed) == 1 && feed.viewerCount == 0)
  }
}
