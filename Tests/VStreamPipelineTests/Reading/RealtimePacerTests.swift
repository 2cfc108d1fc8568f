import Testing

@testable import VStreamPipeline

struct RealtimePacerTests {
  @Test func `a stream's times become moments of the clock`() {
    var pacer = RealtimePacer()
    #expect(pacer.moment(of: 5, now: 100) == 100)
    #expect(pacer.moment(of: 5.5, now: 100) == 100.5)
    #expect(pacer.moment(of: 6, now: 103) == 101, "what is late is due at once")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// Stream time and moment of a packet, after one of stream time 5 at moment 100.
    let packet: (stream: Double, now: Double)
    let due: Double
    /// When a packet one second later in the stream is due.
    let next: Double
    var testDescription: String { name }
  }

  @Test(arguments: [
    Row(name: "in time", packet: (6, 100.5), due: 101, next: 102),
    Row(name: "late by less than 10 s", packet: (6, 110), due: 101, next: 102),
    Row(name: "late by more than 10 s: paced from here", packet: (6, 112), due: 112, next: 113),
    Row(name: "early by less than 600 s", packet: (600, 100), due: 695, next: 696),
    Row(name: "a jump forward", packet: (5000, 101), due: 101, next: 102),
    Row(name: "a small step back", packet: (3, 101), due: 98, next: 99),
    Row(name: "a jump back", packet: (-500, 101), due: 101, next: 102),
  ])
  func `a jump or a long delay resets the mapping`(row: Row) {
    var pacer = RealtimePacer()
    _ = pacer.moment(of: 5, now: 100)
    #expect(pacer.moment(of: row.packet.stream, now: row.packet.now) == row.due)
    #expect(pacer.moment(of: row.packet.stream + 1, now: row.packet.now) == row.next)
  }
}
