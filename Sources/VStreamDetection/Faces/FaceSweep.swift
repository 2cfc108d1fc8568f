internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Finds the faces of a stream by their boxes alone: looks at the whole of each frame and wherever a face was, and in turns at
/// the closer squares, all of them once in an interval, or a frame later.
///
/// A face is sought where it was two frames before, so that two frames can be looked at side by side; and if it is not found,
/// where it was on the frame before. One owner at a time, for one stream, its frames in their order.
struct FaceSweep {
  private var turns: CropRotation
  /// Where faces are sought in the next two frames that are begun.
  private var places: [[Box]] = [[], []]
  /// Where they were on the last frame that is done.
  private var last: [Box] = []
  private var begun: [FaceFinder.Looks] = []

  /// - Parameter interval: seconds of the stream's time.
  init(interval: Double) { turns = CropRotation(interval: interval) }

  /// The faces in a frame, best first, where no other is begun.
  mutating func faces(
    in frame: VideoFrame, with finder: inout FaceFinder, timer: any StepTimer
  ) throws -> [FaceCandidate] {
    places[0] = last
    try begin(frame, with: &finder, timer: timer)
    return try end(with: &finder, timer: timer)
  }

  /// Begins to look at the next frame, at most one more than have ended.
  mutating func begin(_ frame: VideoFrame, with finder: inout FaceFinder, timer: any StepTimer) throws {
    var turns = turns
    let closer = turns.next(of: finder.cropCount(at: frame), at: frame.time.seconds)
    begun.append(try finder.start(in: frame, closer: closer, places: places[0], timer: timer))
    // A frame that failed was none.
    self.turns = turns
    places.removeFirst()
  }

  /// The faces in the frame that was begun first, best first.
  mutating func end(with finder: inout FaceFinder, timer: any StepTimer) throws -> [FaceCandidate] {
    defer { places.append(last) }
    let faces = try finder.finish(begun.removeFirst(), known: last, timer: timer)
    last = faces.map(\.box)
    return faces
  }
}

/// Which of so many looks are taken at which frames, so that each is taken once in an interval, or a frame later.
struct CropRotation: Hashable, Sendable {
  let interval: Double
  private var count = 0
  /// Looks that are due; the fraction is left for the next frame.
  private var due = 0.0
  private var first = 0
  private var last: Double?

  init(interval: Double) { self.interval = interval }

  /// The looks that are taken at the next frame; all of them at the first, and where time goes back or leaps.
  ///
  /// - Parameters:
  ///   - count: of all looks.
  ///   - seconds: the frame's time.
  mutating func next(of count: Int, at seconds: Double) -> [Int] {
    let passed = last.map { seconds - $0 } ?? interval
    last = seconds
    guard count == self.count, passed >= 0, passed < interval else {
      (self.count, first, due) = (count, 0, 0)
      return Array(0..<count)
    }
    due += Double(count) * passed / interval
    // What is due but for rounding is due.
    let taken = min(count, Int(due + 1e-6))
    due = max(0, due - Double(taken))
    defer { first = count == 0 ? 0 : (first + taken) % count }
    return (0..<taken).map { (first + $0) % count }
  }
}
