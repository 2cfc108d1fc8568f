internal import DequeModule

/// The state of a channel, without threads: its elements, and whether it is finished or cancelled.
struct ChannelState<Element: Sendable>: Sendable {
  private var queue: Deque<(element: Element, weight: Int)> = []
  private(set) var weight = 0
  private(set) var isFinished = false
  private(set) var isCancelled = false
  let capacity: Int
  /// Elements sent, and the sum of the queue's lengths at those times.
  private var sentCount = 0
  private var lengthSum = 0

  /// The mean length of the queue when an element was sent.
  var meanLength: Double { sentCount > 0 ? Double(lengthSum) / Double(sentCount) : 0 }

  init(capacity: Int) { self.capacity = capacity }

  enum SendResult: Hashable, Sendable {
    case sent
    /// The channel is full; retry after a change.
    case full
    /// The receiver has ended.
    case cancelled
  }

  enum ReceiveResult: Sendable {
    case element(Element)
    /// No element yet; retry after a change.
    case empty
    case end
  }

  /// Appends an element if the weight is below the capacity. The weight may so exceed the capacity by one element's.
  mutating func send(_ element: Element, weight: Int) -> SendResult {
    if isCancelled || isFinished { return .cancelled }
    if self.weight >= capacity { return .full }
    sentCount += 1
    lengthSum += queue.count
    queue.append((element, weight))
    self.weight += weight
    return .sent
  }

  mutating func receive() -> ReceiveResult {
    guard let (element, weight) = queue.popFirst() else { return isFinished || isCancelled ? .end : .empty }
    self.weight -= weight
    return .element(element)
  }

  /// Evicts the oldest element whose policy allows it, if the channel is full.
  ///
  /// - Returns: the evicted element.
  mutating func evict(_ policy: (Element) -> EvictionPolicy<Element>) -> Element? {
    guard weight >= capacity else { return nil }
    for index in queue.indices where queue[index].weight > 0 {
      let (element, weight) = queue[index]
      switch policy(element) {
      case .keep: continue
      case .replace(let replacement): queue[index] = (replacement, 0)
      case .remove: queue.remove(at: index)
      }
      self.weight -= weight
      return element
    }
    return nil
  }

  /// Ends sending; queued elements can still be received.
  mutating func finish() { isFinished = true }

  /// Ends receiving, and releases the queued elements.
  mutating func cancel() {
    isCancelled = true
    queue = []
    weight = 0
  }
}

/// Whether an element of a full channel may be evicted.
enum EvictionPolicy<Element: Sendable>: Sendable {
  case keep
  /// Replaced by another element, which has no weight.
  case replace(with: Element)
  case remove
}

/// A bounded queue between threads. `Module.swift` describes back-pressure, consumers and both terminations.
final class Channel<Element: Sendable>: Sendable {
  private let state: Monitor<ChannelState<Element>>

  /// - Parameter capacity: the weight at which a sender has to wait.
  init(capacity: Int) { state = Monitor(ChannelState(capacity: capacity)) }

  /// Waits for space and appends an element.
  ///
  /// - Returns: `false` if the receiver has ended.
  func send(_ element: Element, weight: Int = 1) -> Bool {
    let result = state.wait { state -> ChannelState<Element>.SendResult? in
      let result = state.send(element, weight: weight)
      return result == .full ? nil : result
    }
    return result == .sent
  }

  /// Appends an element without waiting by evicting older ones; waits for space where none may be evicted.
  ///
  /// - Parameter policy: called under the lock.
  /// - Returns: the evicted elements; `nil` if the receiver has ended.
  func push(_ element: Element, weight: Int, evicting policy: (Element) -> EvictionPolicy<Element>) -> [Element]? {
    var evicted: [Element] = []
    let isSent = state.wait { state -> Bool? in
      while let old = state.evict(policy) { evicted.append(old) }
      let result = state.send(element, weight: weight)
      return result == .full ? nil : result == .sent
    }
    return isSent == true ? evicted : nil
  }

  /// Waits for the next element.
  ///
  /// - Returns: `nil` at the end.
  func receive() -> Element? {
    let result = state.wait { state -> ChannelState<Element>.ReceiveResult? in
      let result = state.receive()
      if case .empty = result { return nil }
      return result
    }
    guard case .element(let element)? = result else { return nil }
    return element
  }

  /// The next element if there is one; does not wait.
  func receiveIfAvailable() -> Element? {
    guard case .element(let element) = state.update({ $0.receive() }) else { return nil }
    return element
  }

  /// The mean length of the queue when an element was sent.
  var meanLength: Double { state.read { $0.meanLength } }

  /// Ends sending; queued elements can still be received.
  func finish() { state.update { $0.finish() } }
  /// Ends receiving: every later `send` returns `false`.
  func cancel() { state.update { $0.cancel() } }
}
