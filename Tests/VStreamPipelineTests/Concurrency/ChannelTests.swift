import Dispatch
import Synchronization
import Testing

@testable import VStreamPipeline

/// The channel's rules, without threads.
struct ChannelStateTests {
  @Test func `first in is first out`() {
    var state = ChannelState<Int>(capacity: 100)
    for number in 0..<80 { #expect(state.send(number, weight: 1) == .sent) }
    #expect((0..<80).map { _ in element(&state) } == Array(0..<80))
    #expect(state.weight == 0)
  }

  @Test func `a full channel takes no more until something is received`() {
    var state = ChannelState<String>(capacity: 10)
    #expect(state.send("a", weight: 9) == .sent)
    #expect(state.send("b", weight: 9) == .sent, "below capacity, so it may exceed it by one element")
    #expect(state.send("c", weight: 1) == .full)
    #expect(element(&state) == "a")
    #expect(state.send("c", weight: 1) == .sent)
  }

  @Test func `after finish the rest is received, then the end`() {
    var state = ChannelState<Int>(capacity: 4)
    #expect(state.send(1, weight: 1) == .sent)
    state.finish()
    #expect(state.send(2, weight: 1) == .cancelled)
    #expect(element(&state) == 1)
    #expect(isEnd(state.receive()))
  }

  @Test func `after cancel nothing is left and nothing is taken`() {
    var state = ChannelState<Int>(capacity: 4)
    #expect(state.send(1, weight: 1) == .sent)
    state.cancel()
    #expect(isEnd(state.receive()))
    #expect(state.send(2, weight: 1) == .cancelled)
  }

  @Test func `an empty channel that goes on is not at its end`() {
    var state = ChannelState<Int>(capacity: 4)
    guard case .empty = state.receive() else {
      Issue.record("not empty")
      return
    }
  }

  @Test func `in a full channel the oldest that can gives way, and leaves its remnant in its place`() {
    var state = ChannelState<String>(capacity: 20)
    for element in ["packet", "frame 1", "frame 2"] {
      #expect(state.send(element, weight: element == "packet" ? 1 : 10) == .sent)
    }
    func remnant(_ element: String) -> EvictionPolicy<String> {
      if !element.hasPrefix("frame") { return .keep }
      return element == "frame 3" ? .remove : .replace(with: "rest of \(element)")
    }
    #expect(state.evict(remnant) == "frame 1")
    #expect(state.weight == 11)
    #expect(state.evict(remnant) == nil, "it is not full any more")
    #expect(state.send("frame 3", weight: 10) == .sent)
    #expect(state.evict(remnant) == "frame 2")
    #expect(state.send("frame 4", weight: 10) == .sent)
    #expect(state.evict(remnant) == "frame 3")
    #expect((0..<4).map { _ in element(&state) } == ["packet", "rest of frame 1", "rest of frame 2", "frame 4"])
    #expect(element(&state) == nil, "frame 3 went without a trace")
    #expect(state.weight == 0)
  }

  private func element<Element>(_ state: inout ChannelState<Element>) -> Element? {
    guard case .element(let element) = state.receive() else { return nil }
    return element
  }

  private func isEnd<Element>(_ result: ChannelState<Element>.ReceiveResult) -> Bool {
    if case .end = result { return true }
    return false
  }
}

/// The channel between threads: whatever ends, the other side comes to an end as well.
struct ChannelThreadTests {
  @Test func `all that is sent arrives in order through a channel of one`() {
    let channel = Channel<Int>(capacity: 1)
    let workers = ThreadGroup()
    workers.start {
      for number in 0..<1000 where !channel.send(number) { break }
      channel.finish()
    }
    var received: [Int] = []
    while let number = channel.receive() { received.append(number) }
    #expect(received == Array(0..<1000))
    #expect(workers.wait(until: .now() + 300))
  }

  @Test func `a sender that waits for room learns that the receiver has gone`() {
    let channel = Channel<Int>(capacity: 1)
    let workers = ThreadGroup()
    let outcome = Mutex<[Bool]>([])
    let box = Shared(outcome)
    workers.start {
      for number in 0..<3 {
        let isSent = channel.send(number)
        box.value.withLock { $0.append(isSent) }
      }
    }
    #expect(channel.receive() == 0)
    channel.cancel()
    #expect(workers.wait(until: .now() + 300))
    #expect(box.value.withLock { $0.last } == false)
  }

  @Test func `a push does not wait while older elements can be removed`() {
    let channel = Channel<Int>(capacity: 3)
    let gone = (0..<10).compactMap { channel.push($0, weight: 1) { $0 >= 0 ? .replace(with: -1 - $0) : .keep } }
    #expect(gone.flatMap { $0 } == Array(0..<7))
    channel.finish()
    var received: [Int] = []
    while let number = channel.receive() { received.append(number) }
    #expect(received == [-1, -2, -3, -4, -5, -6, -7, 7, 8, 9])
    #expect(channel.push(1, weight: 1) { _ in .remove } == nil, "there is no receiver")
  }

  @Test func `receivers that wait learn of the end`() {
    let channel = Channel<Int>(capacity: 1)
    let workers = ThreadGroup()
    for _ in 0..<4 {
      workers.start { while channel.receive() != nil {} }
    }
    #expect(channel.send(1))
    channel.finish()
    #expect(workers.wait(until: .now() + 300))
  }

  @Test func `waiting with a deadline that has passed gives up`() {
    let monitor = Monitor(0)
    let result = monitor.wait(until: SystemClock().now) { $0 > 0 ? $0 : nil }
    #expect(result == nil)
    monitor.update { $0 = 5 }
    #expect(monitor.wait(until: SystemClock().now) { $0 > 0 ? $0 : nil } == 5)
  }
}

/// A lock that threads share.
final class Shared<Value>: Sendable {
  let value: Mutex<Value>
  init(_ value: consuming sending Mutex<Value>) { self.value = value }
}
