import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamTracking

/// A pattern that a detector takes for an object, and objects that resemble one.
struct DoubtfulTrackTests {
  private static let rate = 25.0

  private static func object(x: Double = 100, score: Double) -> DetectedObject {
    DetectedObject(classIndex: 0, label: "person", score: score, box: Box(x: x, y: 100, width: 20, height: 40))
  }

  struct Class: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let label: String
    /// Of each frame; 0 for none.
    let scores: [Double]
    var options = TrackerOptions()
    /// The frame, from 0, on which it has an ID; `nil` for never.
    let confirmed: Int?
  }

  /// Scores of grass and of a van's roof, as detected in the sample videos.
  private static let grass = [
    0.55, 0.65, 0.44, 0.24, 0.51, 0.25, 0.28, 0.27, 0.26, 0.24, 0.53, 0.28, 0.18, 0.35, 0.56, 0.53, 0.5,
  ]
  private static let roof = [
    0.6, 0.66, 0.73, 0.77, 0.48, 0.2, 0.29, 0.42, 0.11, 0.17, 0.29, 0.59, 0.58, 0.1, 0.15, 0.27,
  ]

  @Test(arguments: [
    Class(testDescription: "grass that is a ball now and then", label: "sports ball", scores: grass, confirmed: nil),
    Class(testDescription: "a van's roof that is a vase for some frames", label: "vase", scores: roof, confirmed: nil),
    Class(testDescription: "a ball with high scores", label: "sports ball", scores: [0.9, 0.9, 0.9], confirmed: 2),
    Class(
      testDescription: "a ball with middling ones", label: "sports ball",
      scores: Array(repeating: 0.7, count: 20), confirmed: 4),
    Class(
      testDescription: "a ball, with a missed frame that starts it afresh", label: "sports ball",
      scores: [0.9, 0.9, 0, 0.9, 0.9, 0.9], confirmed: 5),
    Class(
      testDescription: "a chair with some scores just below the minimum", label: "chair",
      scores: [0.6, 0.62, 0.49, 0.69, 0.66, 0.54, 0.48, 0.57, 0.63, 0.64, 0.66, 0.6], confirmed: 10),
    Class(testDescription: "a person with the scores of grass", label: "person", scores: grass, confirmed: 1),
    Class(testDescription: "a dog", label: "dog", scores: [0.6, 0.6], confirmed: 1),
    Class(testDescription: "a class of another model", label: "drone", scores: [0.6, 0.6], confirmed: 1),
    Class(
      testDescription: "where doubtful tracks are reported", label: "sports ball", scores: [0.6, 0.6],
      options: reporting, confirmed: 1),
  ])
  func `a class that is rare has an ID once its scores add up`(row: Class) {
    var tracker = Tracker(row.options)
    let confirmed = row.scores.indices.first { index in
      let score = row.scores[index]
      let box = Box(x: 100, y: 100, width: 20, height: 20)
      let found = DetectedObject(classIndex: 1, label: row.label, score: score, box: box)
      return !tracker.update(score > 0 ? [found] : [], at: Double(index) / Self.rate).isEmpty
    }
    #expect(confirmed == row.confirmed)
  }

  struct Scores: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// In a cycle of frames; `nil` for none.
    let scores: [Double?]
    /// Pixels a frame.
    var speed = 0.0
    var options = TrackerOptions()
    let isReported: Bool
  }

  @Test(arguments: [
    Scores(testDescription: "around the minimum", scores: [0.52, 0.55, 0.47, 0.49], isReported: false),
    Scores(
      testDescription: "just above it, and not always detected", scores: [0.53, 0.54, nil, 0.51], isReported: false),
    Scores(testDescription: "just above it, always", scores: [0.5, 0.52], isReported: true),
    Scores(testDescription: "far above it, and sometimes below", scores: [0.8, 0.8, 0.3, nil], isReported: true),
    Scores(
      testDescription: "around it, of something that moves", scores: [0.52, 0.47, 0.55], speed: 0.5, isReported: true),
    Scores(
      testDescription: "around a minimum of 0.3", scores: [0.32, 0.28, 0.34],
      options: TrackerOptions(minimumScore: 0.3), isReported: false),
    Scores(
      testDescription: "around the minimum, where doubtful tracks are reported", scores: [0.52, 0.55, 0.47, 0.49],
      options: reporting, isReported: true),
  ])
  func `what never moved and hovers around the minimum score is not reported for ever`(row: Scores) {
    var tracker = Tracker(row.options)
    var reported: [Int] = []
    for frame in 0..<750 {
      let x = 100 + row.speed * Double(frame)
      let found = row.scores[frame % row.scores.count].map { [Self.object(x: x, score: $0)] } ?? []
      if !tracker.update(found, at: Double(frame) / Self.rate).isEmpty { reported.append(frame) }
    }
    #expect(reported.contains { $0 < 50 }, "it may be an object at first")
    let later = reported.count { $0 >= 100 }
    #expect(row.isReported ? later > 400 : later == 0, "\(later)")
  }

  private static var reporting: TrackerOptions {
    var options = TrackerOptions()
    options.omitsDoubtful = false
    return options
  }

  @Test func `somebody who stood still and walks off is reported again, with the same ID`() {
    var tracker = Tracker()
    var events: [TrackEvent.Kind] = []
    for frame in 0..<250 {
      let x = 100 + 2 * Double(max(0, frame - 150))
      let score = frame < 150 ? [0.52, 0.47, 0.54][frame % 3] : 0.55
      let found = tracker.update([Self.object(x: x, score: score)], at: Double(frame) / Self.rate)
      events += tracker.events.map(\.kind)
      if frame == 140 { #expect(found.isEmpty) }
      if frame == 200 { #expect(found.map(\.id) == [1]) }
    }
    #expect(events == [.enter, .confirm, .lost, .recovered])
  }

  @Test func `a pattern that is detected now and then is remembered, and gets no new ID each time`() {
    var tracker = Tracker()
    var ids: Set<Int> = []
    for frame in 0..<2000 {
      // For four seconds in six.
      let isDetected = frame % 150 < 100
      let found = tracker.update(
        isDetected ? [Self.object(score: [0.52, 0.48, 0.54][frame % 3])] : [], at: Double(frame) / Self.rate)
      ids.formUnion(found.compactMap(\.id))
    }
    #expect(ids == [1])
    // Seen again at its old position with high scores, hours later too, it is the same object.
    for frame in 0..<50 {
      let found = tracker.update([Self.object(score: 0.9)], at: 36_000 + Double(frame) / Self.rate)
      ids.formUnion(found.compactMap(\.id))
      if frame >= 2 { #expect(found.map(\.id) == [1]) }
    }
    #expect(ids == [1])
  }

  @Test func `what comes near a remembered pattern, and not to its position, has an ID of its own`() {
    var tracker = Tracker()
    for frame in 0..<300 {
      _ = tracker.update([Self.object(score: [0.52, 0.48, 0.54][frame % 3])], at: Double(frame) / Self.rate)
    }
    var ids: [Int?] = []
    for frame in 0..<50 {
      let found = tracker.update([Self.object(x: 112, score: 0.9)], at: 100 + Double(frame) / Self.rate)
      ids += found.map(\.id)
    }
    #expect(Set(ids) == [2])
  }

  /// A parked van: a car and a truck in one box, each with scores around the minimum.
  private static func van(_ frame: Int, scores: [Double]) -> [DetectedObject] {
    var truck = object(score: scores[(frame + 1) % scores.count] - 0.04)
    (truck.classIndex, truck.label) = (7, "truck")
    var car = object(score: scores[frame % scores.count])
    (car.classIndex, car.label) = (2, "car")
    return [car, truck]
  }

  @Test(arguments: [("car and truck", true), ("car alone", false)])
  func `a parked van that is detected as two related classes is listed all the time`(
    name: String, hasBoth: Bool
  ) {
    var tracker = Tracker()
    var ids: [Int?] = []
    var events: [TrackEvent.Kind] = []
    for frame in 0..<3000 {
      let found = Self.van(frame, scores: [0.52, 0.47, 0.49, 0.46, 0.51])
      ids += tracker.update(hasBoth ? found : [found[0]], at: Double(frame) / Self.rate).map(\.id)
      events += tracker.events.map(\.kind)
    }
    #expect(Set(ids) == [1])
    #expect(hasBoth ? ids.count > 2990 : ids.count < 100)
    #expect(events == [.enter, .confirm] + (hasBoth ? [] : [.lost]))
  }

  @Test(arguments: [(0.3, true), (0.2, false)])
  func `an object that stays where it is is listed for as long as it is detected with half the minimum score`(
    score: Double, isListed: Bool
  ) {
    var tracker = Tracker()
    var listed = 0
    for frame in 0..<1000 {
      let found = tracker.update([Self.object(score: frame < 100 ? 0.8 : score)], at: Double(frame) / Self.rate)
      listed += found.map(\.id) == [1] ? 1 : 0
    }
    #expect(isListed ? listed == 999 : listed < 150, "\(listed)")
  }

  @Test(arguments: [2, 5]) func `a single detection at a remembered pattern gives no ID`(confirmAfter: Int) {
    var tracker = Tracker(TrackerOptions(confirmAfter: confirmAfter))
    var ids: Set<Int> = []
    for frame in 0..<700 {
      let scores = [0.52, 0.54, 0.55, 0.56, 0.57, 0.48]
      let found = frame < 300 ? [Self.object(score: scores[frame % 6])] : frame == 650 ? [Self.object(score: 0.9)] : []
      let reported = tracker.update(found, at: Double(frame) / Self.rate)
      ids.formUnion(reported.compactMap(\.id))
      if frame >= 300 { #expect(reported.isEmpty) }
    }
    #expect(ids == [1])
  }
}
