/// The state of a channel, without threads: what is in it, and whether it goes on.
struct ChannelState<Element: Sendable>: Sendable {
  private var queue: [(element: Element, weight: Int)?] = []
  private var head = 0
  private(set) var weight = 0
  private(set) var isFinished = false
  private(set) var isCancelled = false
  let capacity: Int
  /// How many elements were sent, and how many were waiting at those times, together.
  private var sent = 0
  private var waiting = 0

  /// How many elements were waiting on average when another came.
  var meanLength: Double { sent > 0 ? Double(waiting) / Double(sent) : 0 }

  init(capacity: Int) { self.capacity = capacity }

  enum SendResult: Hashable, Sendable {
    case sent
    /// The channel is full; try again after a change.
    case full
    /// Nobody will receive it.
    case cancelled
  }

  enum ReceiveResult: Sendable {
    case element(Element)
    /// Nothing yet; try again after a change.
    case empty
    case end
  }

  /// An element goes in while the weight is below the capacity, which it may so exceed by one element's own weight.
  mutating func send(_ element: Element, weight: Int) -> SendResult {
    if isCancelled || isFinished { return .cancelled }
    if self.weight >= capacity { return .full }
    sent += 1
    waiting += queue.count - head
    queue.append((element, weight))
    self.weight += weight
    return .sent
  }

  mutating func receive() -> ReceiveResult {
    // Elements may have gone since they were put in.
    while head < queue.count, queue[head] == nil { head += 1 }
    guard head < queue.count, let (element, weight) = queue[head] else {
      return isFinished || isCancelled ? .end : .empty
    }
    // The place is emptied at once: what is received must not be held here as well.
    queue[head] = nil
    head += 1
    self.weight -= weight
    // Moving the rest once in a while costs less than moving it each time.
    if head > 32 || head == queue.count {
      queue.removeFirst(head)
      head = 0
    }
    return .element(element)
  }

  /// Has the oldest element that can give way do so, if the channel is full.
  ///
  /// - Returns: the element that gave way.
  mutating func evict(_ yielding: (Element) -> Yielding<Element>) -> Element? {
    guard weight >= capacity else { return nil }
    for index in head..<queue.count {
      guard let (element, weight) = queue[index], weight > 0 else { continue }
      switch yielding(element) {
      case .stays: continue
      case .leaves(let remnant): queue[index] = (remnant, 0)
      case .goes: queue[index] = nil
      }
      self.weight -= weight
      return element
    }
    return nil
  }

  /// No more will be sent; what is queued can still be received.
  mutating func finish() { isFinished = true }

  /// No more will be received; what is queued is let go.
  mutating func cancel() {
    isCancelled = true
    queue = []
    head = 0
    weight = 0
  }
}

/// What becomes of an element of a full channel that may have to give way.
enum Yielding<Element: Sendable>: Sendable {
  /// It does not.
  case stays
  /// It does, and something without weight takes its place.
  case leaves(Element)
  /// It does, and nothing stays.
  case goes
}

/// A bounded queue between threads. See `Module.swift` for its four answers.
final class Channel<Element: Sendable>: Sendable {
  private let state: Monitor<ChannelState<Element>>

  /// - Parameter capacity: the weight from which on a sender has to wait.
  init(capacity: Int) { state = Monitor(ChannelState(capacity: capacity)) }

  /// Waits for room and puts an element in.
  ///
  /// - Returns: `false` if nobody will receive it.
  func send(_ element: Element, weight: Int = 1) -> Bool {
    let result = state.wait { state -> ChannelState<Element>.SendResult? in
      let result = state.send(element, weight: weight)
      return result == .full ? nil : result
    }
    return result == .sent
  }

  /// Puts an element in without waiting, having older ones give way; where none can, waits for room.
  ///
  /// - Parameter yielding: called under the lock.
  /// - Returns: the elements that gave way; `nil` if nobody will receive this one.
  func push(_ element: Element, weight: Int, _ yielding: (Element) -> Yielding<Element>) -> [Element]? {
    var gone: [Element] = []
    let isSent = state.wait { state -> Bool? in
      while let old = state.evict(yielding) { gone.append(old) }
      let result = state.send(element, weight: weight)
      return result == .full ? nil : result == .sent
    }
    return isSent == true ? gone : nil
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

  /// The next element if there is one now.
  func receiveIfThere() -> Element? {
    guard case .element(let element) = state.update({ $0.receive() }) else { return nil }
    return element
  }

  /// How many elements were waiting on average when another came.
  var meanLength: Double { state.read { $0.meanLength } }

  func finish() { state.update { $0.finish() } }
  func cancel() { state.update { $0.cancel() } }
}
