import Testing
import VStreamTestSupport

@testable import VStreamMedia

/// Timestamps of live videos whose format has none.
struct ArrivalTimestampsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// When each packet arrives, in seconds.
    let arrivals: [Double]
    /// When the packets before each are done with; a packet that arrived before was available.
    var busyUntil: [Int: Double] = [:]
    /// The timestamps that are expected, and by how many seconds they may differ.
    let expected: [Double]
    var tolerance = 0.001
  }

  private static func steady(_ count: Int, every interval: Double, from start: Double = 0) -> [Double] {
    (0..<count).map { start + Double($0) * interval }
  }

  static let rows = [
    Row(
      testDescription: "5 a second", arrivals: steady(30, every: 0.2), expected: steady(30, every: 0.2)),
    Row(
      testDescription: "60 a second", arrivals: steady(240, every: 1 / 60), expected: steady(240, every: 1 / 60)),
    Row(
      testDescription: "ten that were read while the input was opened", arrivals: steady(30, every: 0.2),
      busyUntil: [0: 1.9], expected: steady(30, every: 0.2)),
    Row(
      testDescription: "a pause of 8 s stays", arrivals: steady(20, every: 0.2) + steady(20, every: 0.2, from: 12),
      expected: steady(20, every: 0.2) + steady(20, every: 0.2, from: 12)),
    Row(
      testDescription: "a burst after the reader was busy", arrivals: steady(60, every: 0.1), busyUntil: [30: 4.5],
      expected: steady(60, every: 0.1)),
    Row(
      testDescription: "from 30 to 10 a second", arrivals: steady(60, every: 1 / 30) + steady(90, every: 0.1, from: 2),
      expected: steady(60, every: 1 / 30) + steady(90, every: 0.1, from: 2), tolerance: 0.2),
    Row(
      testDescription: "from 5 to 30 a second", arrivals: steady(20, every: 0.2) + steady(90, every: 1 / 30, from: 4),
      expected: steady(20, every: 0.2) + steady(90, every: 1 / 30, from: 4), tolerance: 0.6),
    Row(
      testDescription: "from 30 to 1 a second", arrivals: steady(60, every: 1 / 30) + steady(12, every: 1, from: 2),
      expected: steady(60, every: 1 / 30) + steady(12, every: 1, from: 2), tolerance: 0.15),
    Row(
      testDescription: "a stall of 3 s whose packets come at once",
      arrivals: steady(60, every: 1 / 30) + Array(repeating: 5, count: 90) + steady(240, every: 1 / 30, from: 5),
      expected: steady(60, every: 1 / 30) + steady(90, every: 1 / 60, from: 5) + steady(240, every: 1 / 37, from: 6.5),
      tolerance: 0.1),
    Row(
      testDescription: "a stall of 0.6 s whose packets come at once",
      arrivals: steady(60, every: 1 / 30) + Array(repeating: 2.6, count: 18) + steady(60, every: 1 / 30, from: 2.6),
      expected: steady(60, every: 1 / 30) + steady(18, every: 1 / 60, from: 2.6) + steady(60, every: 1 / 37, from: 2.9),
      tolerance: 0.1),
    Row(
      testDescription: "a pause before the last packet", arrivals: steady(30, every: 0.1) + [9],
      expected: steady(30, every: 0.1) + [9]),
  ]

  /// Reads packets that arrive at some moments, as the reader does, which has to wait for those that have not arrived.
  private static func timestamps(_ arrivals: [Double], busyUntil: [Int: Double] = [:]) throws -> [Double] {
    var timestamps = ArrivalTimestamps()
    var now = 0.0
    var packets: [Packet] = []
    for (index, moment) in arrivals.enumerated() {
      now = max(now, busyUntil[index] ?? 0)
      let arrival = Arrival(requested: now, received: max(now, moment))
      now = arrival.received
      packets += timestamps.add(
        try packet(pts: Int64(index) * 40, dts: Int64(index) * 40, duration: 40, arrival: arrival))
    }
    packets += timestamps.finish()
    #expect(packets.allSatisfy { $0.presentationTime == $0.decodingTime })
    return packets.compactMap { $0.decodingTime?.seconds }
  }

  @Test(arguments: rows)
  func `frames have the times of their arrival`(row: Row) throws {
    let found = try Self.timestamps(row.arrivals, busyUntil: row.busyUntil)
    #expect(found.count == row.expected.count)
    let intervals = zip(found.dropFirst(), found).map { $0 - $1 }
    #expect(intervals.allSatisfy { $0 > 0.012 }, "\(intervals)")
    for (found, expected) in zip(found, row.expected) {
      #expect(abs(found - expected) <= row.tolerance + 0.001, "\(found), not \(expected)")
    }
  }

  @Test(arguments: [1 as UInt64, 2, 3])
  func `jitter of an interval makes frames uneven by less than half of one, and does not add up`(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let arrivals = (0..<3000).map { Double($0) * 0.1 + Double.random(in: 0..<0.1, using: &numbers) }
    let found = try Self.timestamps(arrivals)
    let intervals = zip(found.dropFirst(), found).map { $0 - $1 }
    #expect(intervals.allSatisfy { $0 > 0.05 && $0 < 0.15 }, "\(intervals.min() ?? 0), \(intervals.max() ?? 0)")
    #expect(abs((found.last ?? 0) - 299.9) < 0.2)
  }

  @Test(arguments: [1 as UInt64, 2, 3, 4, 5, 6])
  func `whatever rates, stalls and pauses come, times increase and stay near arrival`(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    var now = 0.0
    var arrivals: [Double] = []
    for _ in 0..<20 {
      let interval: Double = [0.02, 0.04, 0.1, 0.5].randomElement(using: &numbers) ?? 1
      let count = Int.random(in: 20..<60, using: &numbers)
      for index in 0..<count {
        let jitter = Double.random(in: 0..<0.5, using: &numbers)
        arrivals.append(now + (Double(index) + jitter) * interval)
      }
      now += Double(count) * interval
      if Bool.random(using: &numbers) {
        let stall = Double.random(in: 0.3..<5, using: &numbers)
        let queued = Bool.random(using: &numbers) ? Int(stall / interval) : 0
        now += stall
        arrivals += Array(repeating: now, count: queued)
        now += interval
      }
    }
    let found = try Self.timestamps(arrivals)
    #expect(found.count == arrivals.count)
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
    #expect(abs((found.last ?? 0) - (arrivals.last ?? 0)) < 3, "\(found.last ?? 0), not \(arrivals.last ?? 0)")
  }

  @Test func `a file that is sent through a pipe keeps the guess`() throws {
    var timestamps = ArrivalTimestamps()
    var packets: [Packet] = []
    for index in 0..<300 {
      // Four times, the sender is interrupted.
      let wait = index % 60 == 30 ? 0.02 : 0.0001
      let now = Double(index) * 0.001
      packets += timestamps.add(
        try packet(
          pts: Int64(index) * 40, dts: Int64(index) * 40, duration: 40,
          arrival: Arrival(requested: now, received: now + wait)))
    }
    #expect(timestamps.isFile)
    #expect(packets.map { $0.decodingTime?.ticks } == (0..<300).map { $0 * 40 })
  }

  @Test func `a rate that the user states counts, not arrival`() throws {
    var timestamps = ArrivalTimestamps(rate: 15)
    let packets = try (0..<30).flatMap { index in
      timestamps.add(
        try packet(pts: nil, dts: 0, arrival: Arrival(requested: Double(index), received: Double(index) + 0.9)))
    }
    #expect(packets.map { $0.decodingTime?.ticks } == (0..<30).map { Int64((Double($0) * 1000 / 15).rounded()) })
    #expect(timestamps.finish().isEmpty)
  }

  @Test func `the time of a single image is not a guess`() throws {
    var timestamps = ArrivalTimestamps()
    let image = try packet(pts: 0, dts: 0, arrival: Arrival(requested: 0, received: 1))
    #expect(timestamps.add(image).isEmpty)
    #expect(timestamps.finish().count == 1)
    #expect(timestamps.finish().isEmpty)
    #expect(!timestamps.isFile)
  }

  @Test func `frames stay as many intervals after their decoding as before`() throws {
    var timestamps = ArrivalTimestamps()
    var packets: [Packet] = []
    for index in 0..<20 {
      let now = Double(index) * 0.1
      packets += timestamps.add(
        try packet(
          pts: Int64(index + 2) * 40, dts: Int64(index) * 40, duration: 40,
          arrival: Arrival(requested: now - 0.09, received: now)))
    }
    #expect(packets.count == 20)
    #expect(packets.allSatisfy { abs(($0.delaySeconds ?? 0) - 0.2) < 0.005 })
  }
}
