import Dispatch
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamPipeline

/// Frames and detections joined, with a clock that the test sets.
struct DetectionResolverTests {
  private let clock = ManualClock()

  private func pending(_ outcome: PendingDetection.Outcome? = nil) -> PendingDetection {
    let detection = PendingDetection(clock: clock)
    if let outcome { detection.settle(outcome) }
    return detection
  }

  private func decoded(
    _ index: Int, offered: Double = 0, _ detections: [PendingDetection]
  ) throws -> FrameJob {
    let format = try #require(PixelFormat(name: "gray"))
    let frame = try VideoFrame(
      format: format, size: PixelSize(width: 16, height: 16),
      time: Time(ticks: Int64(index) * 40, base: .milliseconds))
    return Scripted.job(frame, index, offered: offered, results: detections)
  }

  private static func object(_ label: String) -> Detections {
    Detections(objects: [
      DetectedObject(classIndex: 0, label: label, score: 1, box: Box(x: 0, y: 0, width: 4, height: 4))
    ])
  }

  private func label(_ observations: Detections?) -> String? { observations?.objects?.first?.label }

  @Test func `a frame has the results of all its detectors`() throws {
    var resolver = DetectionResolver(hold: nil)
    let detections = [pending(.found(Self.object("a"))), pending(.found(Detections(faces: [])))]
    let resolution = try resolver.resolve(try decoded(0, detections))
    #expect(label(resolution.found) == "a" && resolution.found?.faces == [])
    #expect(resolution.late.isEmpty && resolution.recordedSource == nil)
  }

  /// Detectors are given frames whose pixels are square.
  @Test func `results are in the frame's own pixels`() throws {
    var resolver = DetectionResolver(hold: nil)
    var wide = try decoded(0, [pending(.found(Self.object("a")))])
    wide.detectedSize = PixelSize(width: 32, height: 8)
    let found = try resolver.resolve(wide).found
    #expect(found?.objects?.first?.box == Box(x: 0, y: 0, width: 2, height: 8))
    let square = try decoded(1, [pending(.found(Self.object("a")))])
    #expect(try resolver.resolve(square).found == Self.object("a"))
  }

  @Test func `a frame on which no detector is run is resolved at once`() throws {
    var resolver = DetectionResolver(hold: nil)
    let resolution = try resolver.resolve(try decoded(0, []))
    #expect(resolution.found == nil && resolution.late.isEmpty)
  }

  @Test func `without a deadline a frame waits for its result`() throws {
    let detection = pending()
    let waiting = try Transfer(decoded(0, [detection]))
    let resolved = Monitor<Detections?>(nil)
    DispatchQueue(label: "resolver").async {
      var resolver = DetectionResolver(hold: nil)
      guard let decoded = waiting.take(), let found = try? resolver.resolve(decoded).found else { return }
      resolved.update { $0 = found }
    }
    clock.advance(to: 1000)
    detection.settle(.found(Self.object("a")))
    #expect(label(resolved.wait { $0 }) == "a")
  }

  @Test func `after the deadline a frame is released, and its result is late for a later frame`() throws {
    var resolver = DetectionResolver(hold: 0.05)
    let detection = pending()
    clock.advance(to: 10.05)
    #expect(try resolver.resolve(try decoded(0, offered: 10, [detection])).found == nil)
    #expect(try resolver.resolve(try decoded(1, [])).late.isEmpty, "not there yet")
    detection.settle(.found(Self.object("a")))
    let late = try resolver.resolve(try decoded(2, [])).late
    #expect(late.map(\.time.ticks) == [0] && label(late.first?.found) == "a")
    #expect(try resolver.resolve(try decoded(3, [])).late.isEmpty, "reported once")
  }

  @Test func `a late result that has come shortens no later frame's hold`() throws {
    var resolver = DetectionResolver(hold: 0.05)
    // Frames a tenth of a second apart; the first result comes after 40 ms, and its frame was not held so long.
    let first = pending()
    clock.advance(to: 10.01)
    #expect(try resolver.resolve(try decoded(0, offered: 10, [first])).found == nil)
    clock.advance(to: 10.04)
    first.settle(.found(Self.object("a")))
    // The second frame is still held when its own result comes, 40 ms after its offer.
    clock.advance(to: 10.14)
    let second = pending()
    let waiting = try Transfer(decoded(1, offered: 10.1, [second]))
    let resolved = Monitor<String?>(nil)
    DispatchQueue(label: "resolver").async { [resolver] in
      var resolver = resolver
      guard let frame = waiting.take() else { return }
      let label = (try? resolver.resolve(frame))?.found?.objects?.first?.label
      resolved.update { $0 = label ?? "none" }
    }
    second.settle(.found(Self.object("b")))
    #expect(resolved.wait { $0 } == "b")
  }

  @Test func `late results keep the frames' order`() throws {
    var resolver = DetectionResolver(hold: 0)
    let detections = [pending(), pending()]
    clock.advance(to: 1)
    for index in 0..<2 { _ = try resolver.resolve(try decoded(index, [detections[index]])) }
    detections[1].settle(.found(Self.object("second")))
    #expect(try resolver.resolve(try decoded(2, [])).late.isEmpty, "the first is still pending")
    detections[0].settle(.found(Self.object("first")))
    let late = try resolver.resolve(try decoded(3, [])).late
    #expect(late.map { label($0.found) } == ["first", "second"])
  }

  @Test func `a superseded frame is released at once, and never has a result`() throws {
    var resolver = DetectionResolver(hold: nil)
    let next = pending()
    #expect(try resolver.resolve(try decoded(0, [pending(.superseded)])).found == nil)
    resolver.addUndelivered(
      PendingFrame(time: Time(ticks: 40, base: .milliseconds), offered: 0, results: [next]))
    next.settle(.found(Self.object("a")))
    #expect(
      try resolver.resolve(try decoded(2, [])).late.map(\.time.ticks) == [40], "does not wait for the superseded one")
  }

  @Test func `the result of a dropped frame is late for a later frame`() throws {
    var resolver = DetectionResolver(hold: nil)
    let detection = pending()
    resolver.addUndelivered(try decoded(0, [detection]).detection)
    detection.settle(.found(Self.object("a")))
    #expect(try label(resolver.resolve(try decoded(1, [])).late.first?.found) == "a")
  }

  @Test(arguments: [true, false]) func `a detector's failure is thrown, also if it is late`(isLate: Bool) throws {
    var resolver = DetectionResolver(hold: nil)
    let failed = pending(.failed(VStreamError(.library, "out of memory")))
    if isLate { resolver.addUndelivered(try decoded(0, [failed]).detection) }
    let error = #expect(throws: VStreamError.self) { try resolver.resolve(try decoded(1, isLate ? [] : [failed])) }
    #expect(error?.message == "out of memory")
  }
}
