import Testing
import VStreamCore
import VStreamTracking

@testable import VStreamPipeline

/// What resolutions become, without frames, threads or clocks.
struct AnnotationStepTests {
  private static let size = PixelSize(width: 200, height: 100)

  private static func object(_ x: Double, side: Double = 20, score: Double = 0.9) -> DetectedObject {
    DetectedObject(classIndex: 0, label: "person", score: score, box: Box(x: x, y: 40, width: side, height: side))
  }

  private static func found(_ objects: DetectedObject...) -> Detections { Detections(objects: objects) }

  private static func late(_ seconds: Double, _ found: Detections) -> TimedObservations {
    TimedObservations(time: Time(ticks: Int64(seconds * 1000), base: .milliseconds), found: found)
  }

  private func step(
    _ mode: DetectionMode = .stream, maximumObjects: Int? = nil, counted: CountedRegions = CountedRegions()
  ) -> AnnotationStep {
    var options = AnnotationOptions(
      mode: mode,
      kinds: [.objects: .init(tracker: TrackerOptions(lostAfterSeconds: 1, confirmAfter: 2), minimumScore: 0.5)],
      maximumObjects: maximumObjects)
    options.counted = counted
    return AnnotationStep(options)
  }

  @Test func `a track has its ID from its second detection on, and its label is new once`() {
    var step = step()
    let first = step.annotate(ResolvedDetections(found: Self.found(Self.object(10))), at: 0, in: Self.size)
    #expect(first.found == Detections(objects: []) && first.newLabels == [])
    let second = step.annotate(ResolvedDetections(found: Self.found(Self.object(12))), at: 0.1, in: Self.size)
    #expect(second.found.objects?.map(\.id) == [1] && second.newLabels == ["person"])
    #expect(second.events.map(\.kind) == [.enter, .confirm])
    let third = step.annotate(ResolvedDetections(found: Self.found(Self.object(14))), at: 0.2, in: Self.size)
    #expect(third.newLabels == [] && third.events == [])
  }

  @Test func `a frame in which nothing has moved has the tracks where they were, and counts no pass`() throws {
    var step = step()
    for index in 0..<10 {
      _ = step.annotate(
        ResolvedDetections(found: Self.found(Self.object(Double(10 * index)))), at: Double(index) * 0.1, in: Self.size)
    }
    var unchanged = ResolvedDetections()
    unchanged.isUnchanged = true
    let annotation = step.annotate(unchanged, at: 9, in: Self.size)
    #expect(annotation.source == .predicted && annotation.runCount == 0 && annotation.newLabels == [])
    let object = try #require(annotation.found.objects?.first)
    #expect(object.id == 1 && object.isPredicted && abs(object.box.x - 90) < 2, "\(object)")
  }

  @Test func `a frame without detections has predicted tracks, and counts no pass`() throws {
    var step = step()
    for index in 0..<10 {
      let object = Self.object(Double(10 * index))
      _ = step.annotate(ResolvedDetections(found: Self.found(object)), at: Double(index) * 0.1, in: Self.size)
    }
    let annotation = step.annotate(ResolvedDetections(), at: 1, in: Self.size)
    #expect(annotation.source == .predicted && annotation.runCount == 0)
    let box = try #require(annotation.found.objects?.first?.box)
    #expect(box.x > 92 && box.x < 108, "moved on by its velocity: \(box)")
    #expect(abs((annotation.detectionAge ?? 0) - 0.1) < 1e-9)
  }

  @Test func `late detections update the tracks of later frames`() {
    var step = step()
    let nothing = step.annotate(ResolvedDetections(), at: 0, in: Self.size)
    #expect(nothing.found == Detections(objects: []) && nothing.detectionAge == nil)
    let resolution = ResolvedDetections(
      late: [Self.late(0, Self.found(Self.object(10))), Self.late(0.1, Self.found(Self.object(12)))])
    let annotation = step.annotate(resolution, at: 0.2, in: Self.size)
    #expect(annotation.source == .predicted && annotation.runCount == 2)
    #expect(annotation.found.objects?.map(\.id) == [1])
    #expect(annotation.events.map(\.kind) == [.enter, .confirm])
  }

  @Test func `a track that ends is listed, whether in the frame or in a late result`() {
    var step = step()
    for time in [0, 0.1] {
      _ = step.annotate(ResolvedDetections(found: Self.found(Self.object(10))), at: time, in: Self.size)
    }
    let resolution = ResolvedDetections(
      late: [Self.late(0.2, Self.found()), Self.late(1.5, Self.found())], found: Self.found())
    let annotation = step.annotate(resolution, at: 2, in: Self.size)
    #expect(annotation.ended == [.objects: [1]])
    #expect(annotation.events.map(\.kind) == [.lost, .exit])
  }

  @Test func `single images report all scores from the minimum on, the highest first, without IDs`() {
    var step = step(.singleImage)
    let found = Self.found(
      Self.object(10, score: 0.6), Self.object(30, score: 0.4), Self.object(50, score: 0.9), Self.object(70, score: 0.5)
    )
    let annotation = step.annotate(ResolvedDetections(found: found), at: 0, in: Self.size)
    #expect(annotation.found.objects?.map(\.score) == [0.9, 0.6, 0.5])
    #expect(annotation.found.objects?.allSatisfy { $0.id == nil } == true)
    #expect(annotation.newLabels == ["person", "person", "person"], "each image counts by itself")
  }

  @Test func `of many objects the most prominent are reported, and each is counted once`() {
    var step = step(maximumObjects: 1)
    let found = Self.found(Self.object(10, side: 10), Self.object(90, side: 40))
    var labels: [String] = []
    for index in 0..<4 {
      let annotation = step.annotate(ResolvedDetections(found: found), at: Double(index) * 0.1, in: Self.size)
      labels += annotation.newLabels
      if index > 0 { #expect(annotation.found.objects?.map(\.box.width) == [40]) }
    }
    #expect(labels == ["person"])
  }

  @Test func `an object that becomes prominent after later ones is counted as well`() {
    var step = step(maximumObjects: 1)
    let both = Self.found(Self.object(10, side: 10), Self.object(90, side: 40))
    let first = Self.found(Self.object(10, side: 10))
    var labels: [String] = []
    for (index, found) in [both, both, first].enumerated() {
      labels += step.annotate(ResolvedDetections(found: found), at: Double(index) * 0.1, in: Self.size).newLabels
    }
    #expect(labels == ["person", "person"])
  }

  @Test func `recorded annotations are reported as they are`() {
    var step = step()
    var object = Self.object(10)
    object.id = 7
    let detected = step.annotate(
      ResolvedDetections(found: Self.found(object), recordedSource: .detected), at: 0, in: Self.size)
    #expect(detected.found == Self.found(object) && detected.source == .detected && detected.runCount == 0)
    #expect(detected.newLabels == ["person"] && detected.events == [])
    let predicted = step.annotate(
      ResolvedDetections(found: Self.found(object), recordedSource: .predicted), at: 0.1, in: Self.size)
    #expect(predicted.source == .predicted && predicted.newLabels == [])
  }

  @Test func `tracks are counted in zones in their own size of frame`() {
    var counted = CountedRegions()
    let corners = [(0.0, 0.0), (0.5, 0), (0.5, 1), (0, 1)].map {
      CountedRegions.Corner(x: .fraction($0.0), y: .fraction($0.1))
    }
    counted.zones = [CountedRegions.Region(name: "left", corners: corners)]
    var step = step(counted: counted)
    #expect(step.counts == nil, "before the first frame")
    for (index, x) in [10.0, 12, 150, 152].enumerated() {
      let annotation = step.annotate(
        ResolvedDetections(found: Self.found(Self.object(x, side: 40))), at: Double(index) * 0.1, in: Self.size)
      let inside = annotation.counts?.zones.first?.inside.values.reduce(0, +)
      #expect(inside == (index == 1 ? 1 : 0), "frame \(index)")
    }
  }

  @Test func `the end of the stream ends its tracks at the last frame's time`() {
    var step = step()
    for time in [0, 0.1, 0.2] {
      _ = step.annotate(ResolvedDetections(found: Self.found(Self.object(10))), at: time, in: Self.size)
    }
    #expect(step.finish().map { "\($0.kind) \($0.time)" } == ["exit 0.2"])
  }
}
