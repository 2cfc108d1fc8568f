/// Whether the packets that are read are a backlog: what arrived while the input was opened and probed, or what its server
/// sends at once when a client connects.
///
/// A backlog ends with the first packet that has to be waited for. Its frames are not late, so none of them is dropped: the
/// later stages process them as fast as they can.
struct Backlog {
  private(set) var isBeingRead = true
  private let openedAt: Double

  /// Seconds. Packets that are there are read in microseconds; those of a stream come at intervals that are longer.
  private static let shortestWait = 0.005
  /// Seconds after opening. Later stages that are too slow for the stream would never let the backlog end.
  private static let longestDuration = 5.0

  /// - Parameter openedAt: the moment from which packets are read.
  init(openedAt: Double) { self.openedAt = openedAt }

  /// Notes the moments before and after a packet was read.
  mutating func noteRead(from start: Double, to end: Double) {
    if end - start >= Self.shortestWait || end - openedAt >= Self.longestDuration { isBeingRead = false }
  }
}
