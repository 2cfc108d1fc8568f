internal import CVStreamLibAV
internal import VStreamCore

/// Gives timed text of MP4 its durations where the demuxer does not know them, as in fragmented files: each packet lasts
/// until the next one of its stream.
struct TimedTextDurations {
  /// By stream: the packet that waits for the next one.
  private var waiting: [Int: Packet] = [:]
  /// Indices of the streams of timed text.
  private let streams: Set<Int>

  init(_ streams: [StreamInfo]) {
    self.streams = Set(streams.filter { $0.codecName == "mov_text" }.map(\.index))
  }

  /// Adds the next packet, and returns the packets with known durations, in their order.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  mutating func add(_ packet: Packet) throws(VStreamError) -> [Packet] {
    let stream = packet.streamIndex
    guard streams.contains(stream) else { return [packet] }
    var ready: [Packet] = []
    if let before = waiting.removeValue(forKey: stream) {
      let duration = packet.av.pointee.dts.limitedDifference(before.av.pointee.dts)
      ready.append(try before.lasting(max(0, duration)))
    }
    if packet.av.pointee.duration > 0 {
      ready.append(packet)
    } else {
      waiting[stream] = packet
    }
    return ready
  }

  /// Returns the packets that wait, at the end: their texts last until then.
  ///
  /// - Parameter end: seconds on the input's timeline; `nil` if unknown.
  mutating func finish(at end: Double?) throws(VStreamError) -> [Packet] {
    defer { waiting = [:] }
    var ready: [Packet] = []
    for (_, packet) in waiting.sorted(by: { $0.key < $1.key }) {
      let rest = end.map { packet.timeBase.ticks(seconds: $0).limitedDifference(packet.av.pointee.dts) } ?? 0
      ready.append(rest > 0 ? try packet.lasting(rest) : packet)
    }
    return ready
  }
}

extension Packet {
  /// A copy with another duration in ticks.
  fileprivate func lasting(_ duration: Int64) throws(VStreamError) -> Packet {
    guard let copy = av_packet_clone(av) else { throw outOfMemory("packet") }
    copy.pointee.duration = duration
    return Packet(takingOwnershipOf: copy, timeBase: timeBase)
  }
}
