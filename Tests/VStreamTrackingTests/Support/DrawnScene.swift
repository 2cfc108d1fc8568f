import VStreamCore
import VStreamTestSupport

/// Boxes that move in straight lines between positions, with the ground truth, and detections with known faults.
///
/// Each seed gives another scene of the same kind. Only sums, products and quotients are used, so that it is the same on
/// any machine.
struct DrawnScene {
  /// The errors of a detector.
  struct Faults {
    /// Fraction of objects that are not detected.
    var missed = 0.0
    /// Maximum displacement of a box, as a fraction of its size.
    var jitter = 0.02
    /// False positives per frame.
    var falseBoxes = 0
  }

  struct Frame {
    let time: Double
    /// Number of each detection's object; `nil` for a false positive.
    let truth: [Int?]
    let detections: [DetectedObject]
  }

  /// The corners of an object's path, with their times.
  typealias Way = [(time: Double, place: Point)]

  var ways: [Way] = []
  /// Width and height of each object.
  var sizes: [(width: Double, height: Double)] = []
  /// The times at which an object is hidden.
  var hidden: [Int: ClosedRange<Double>] = [:]
  /// The times of the frames, in seconds.
  var times = (0..<300).map { Double($0) / 25 }
  /// Maximum movement of the camera between frames, in pixels.
  var shake = 0.0
  var faults = Faults()

  private func place(_ way: Way, at time: Double) -> Point {
    guard let next = way.firstIndex(where: { $0.time > time }), next > 0 else {
      return time <= way[0].time ? way[0].place : way[way.count - 1].place
    }
    let (from, to) = (way[next - 1], way[next])
    let share = (time - from.time) / (to.time - from.time)
    return Point(
      x: from.place.x + share * (to.place.x - from.place.x), y: from.place.y + share * (to.place.y - from.place.y))
  }

  /// All frames, with faults generated from a seed.
  func frames(seed: UInt64) -> [Frame] {
    var generator = SeededNumbers(seed: seed)
    return times.map { time in
      let camera = Point(x: draw(-shake...shake, &generator), y: draw(-shake...shake, &generator))
      var truth: [Int?] = []
      var detections: [DetectedObject] = []
      for (index, way) in ways.enumerated() {
        let place = place(way, at: time)
        let box = jittered(
          Box(center: place, width: sizes[index].width, height: sizes[index].height), by: camera, &generator)
        let isMissed = draw(0...1, &generator) < faults.missed
        guard !isMissed, hidden[index]?.contains(time) != true else { continue }
        truth.append(index)
        detections.append(detection(box, score: draw(0.55...0.95, &generator)))
      }
      for _ in 0..<faults.falseBoxes {
        let place = Point(x: draw(0...960, &generator), y: draw(0...540, &generator))
        truth.append(nil)
        detections.append(
          detection(Box(center: place, width: 40, height: 90), score: draw(0.1...0.7, &generator)))
      }
      return Frame(time: time, truth: truth, detections: detections)
    }
  }

  private func jittered(_ box: Box, by camera: Point, _ generator: inout SeededNumbers) -> Box {
    func moved(_ value: Double, _ size: Double) -> Double {
      value + size * draw(-faults.jitter...faults.jitter, &generator)
    }
    return Box(
      left: moved(box.x + camera.x, box.width), top: moved(box.y + camera.y, box.height),
      right: moved(box.x + box.width + camera.x, box.width), bottom: moved(box.y + box.height + camera.y, box.height))
  }

  private func detection(_ box: Box, score: Double) -> DetectedObject {
    DetectedObject(classIndex: 0, label: "person", score: score, box: box)
  }
}

private func draw(_ range: ClosedRange<Double>, _ generator: inout SeededNumbers) -> Double {
  range.lowerBound + (range.upperBound - range.lowerBound) * Double(generator.next() >> 11) / 9_007_199_254_740_992
}

// MARK: - Situations

extension DrawnScene {
  /// Ten people who walk back and forth and cross each other's paths for 12 s.
  static func crossing(seed: UInt64) -> DrawnScene {
    var generator = SeededNumbers(seed: seed)
    var scene = DrawnScene()
    for index in 0..<10 {
      let speed = draw(45...110, &generator) * (index % 2 == 0 ? 1 : -1)
      let y = 110 + Double(index * 7 % 10) * 32
      let drift = draw(-14...14, &generator)
      scene.add(
        [
          (0, Point(x: 480 - 6 * speed, y: y - 6 * drift)), (12, Point(x: 480 + 6 * speed, y: y + 6 * drift)),
        ], &generator)
    }
    return scene
  }

  /// Six people in separate lanes, each hidden for a time.
  static func occlusion(seconds: Double, seed: UInt64) -> DrawnScene {
    var generator = SeededNumbers(seed: seed)
    var scene = DrawnScene()
    for lane in 0..<6 {
      let speed = draw(50...100, &generator) * (lane % 2 == 0 ? 1 : -1)
      let y = 45 + Double(lane) * 92
      scene.add([(0, Point(x: 480 - 6 * speed, y: y)), (12, Point(x: 480 + 6 * speed, y: y))], &generator)
      let since = draw(4...7, &generator)
      scene.hidden[lane] = since...since + seconds
    }
    return scene
  }

  /// Eight people who run and turn abruptly.
  static func turns(seed: UInt64) -> DrawnScene {
    var generator = SeededNumbers(seed: seed)
    var scene = DrawnScene()
    for _ in 0..<8 {
      var way: Way = [(0, Point(x: draw(60...900, &generator), y: draw(60...480, &generator)))]
      while way[way.count - 1].time < 12 {
        let (time, place) = way[way.count - 1]
        let duration = draw(0.6...1.6, &generator)
        let target = Point(
          x: min(max(place.x + draw(-150...150, &generator) * duration, 40), 920),
          y: min(max(place.y + draw(-150...150, &generator) * duration, 50), 490))
        way.append((time + duration, target))
      }
      scene.add(way, &generator)
    }
    return scene
  }

  /// An object as wide as a walking person.
  private mutating func add(_ way: Way, _ generator: inout SeededNumbers) {
    let width = draw(28...44, &generator)
    ways.append(way)
    sizes.append((width, width * draw(2.1...2.6, &generator)))
  }

  /// The same scene at another frame rate.
  func at(rate: Double) -> DrawnScene {
    var scene = self
    scene.times = (0..<Int(12 * rate)).map { Double($0) / rate }
    return scene
  }

  /// The same scene with frames 0.03 to 0.2 s apart.
  func atVaryingRate(seed: UInt64) -> DrawnScene {
    var generator = SeededNumbers(seed: seed)
    var scene = self
    scene.times = [0]
    while let last = scene.times.last, last < 12 {
      scene.times.append(last + [1 / 30, 1 / 15, 0.1, 0.2][Int(generator.next() % 4)])
    }
    return scene
  }

  func with(_ change: (inout DrawnScene) -> Void) -> DrawnScene {
    var scene = self
    change(&scene)
    return scene
  }
}
