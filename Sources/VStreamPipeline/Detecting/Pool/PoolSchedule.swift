/// Decides whose frame the threads of a pool detect next: earliest deadline first.
///
/// Each member has one frame in flight and a one-slot queue, newest frame wins. Its deadline counts from the start of the
/// member's wait, not from its newest frame, so that none waits for ever; among equal members, one that was not served
/// comes first. A value, without threads or a clock.
struct PoolSchedule<Frame: Sendable>: Sendable {
  private struct Member: Sendable {
    /// Seconds from a frame's offer to its deadline.
    let relativeDeadline: Double
    var waiting: Frame?
    /// Of the frame that waits.
    var deadline = 0.0
    var isInFlight = false
  }

  private var members: [Int: Member] = [:]
  private var lastID = 0
  private(set) var isFinished = false

  enum Turn: Sendable {
    case frame(Frame, of: Int)
    /// No frame yet; retry after a change.
    case nothing
    case end
  }

  /// - Parameter relativeDeadline: seconds from a frame's offer to its deadline.
  /// - Returns: the number of the new member.
  mutating func join(deadlineAfter relativeDeadline: Double) -> Int {
    lastID += 1
    members[lastID] = Member(relativeDeadline: relativeDeadline)
    return lastID
  }

  /// Puts a member's frame into its slot.
  ///
  /// - Returns: the frame that it replaces; the frame itself, if the member has left.
  mutating func offer(_ frame: Frame, by id: Int, at now: Double) -> Frame? {
    guard var member = members[id] else { return frame }
    let replaced = member.waiting
    if replaced == nil { member.deadline = now + member.relativeDeadline }
    member.waiting = frame
    members[id] = member
    return replaced
  }

  /// Takes the frame with the earliest deadline of the members that have none in flight.
  mutating func next() -> Turn {
    let ready = members.lazy.filter { $0.value.waiting != nil && !$0.value.isInFlight }
    guard let (id, member) = ready.min(by: { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }),
      let frame = member.waiting
    else { return isFinished ? .end : .nothing }
    members[id]?.waiting = nil
    members[id]?.isInFlight = true
    return .frame(frame, of: id)
  }

  /// Notes that a member's frame in flight is done.
  mutating func complete(_ id: Int) { members[id]?.isInFlight = false }

  /// Removes the frame in a member's slot if it satisfies the condition.
  mutating func withdraw(from id: Int, where isRequested: (Frame) -> Bool) -> Frame? {
    guard let frame = members[id]?.waiting, isRequested(frame) else { return nil }
    members[id]?.waiting = nil
    return frame
  }

  /// Removes a member.
  ///
  /// - Returns: the frame in its slot.
  mutating func leave(_ id: Int) -> Frame? { members.removeValue(forKey: id)?.waiting }

  /// Ends the pool; frames in slots can still be taken.
  mutating func finish() { isFinished = true }
}
