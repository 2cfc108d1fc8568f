internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Detects the faces of a stream by their boxes alone: in the whole of each frame, wherever a face was, and in the small
/// crops in rotation, each once in an interval; in all of them where a scene begins, and in those where most has changed.
///
/// A face is searched for where it was two frames before, so that two frames can be in flight; if it is not detected there,
/// where it was on the frame before. One owner at a time, for one stream, its frames in their order.
struct ScheduledFaceSearch {
  private var schedule: CropSchedule
  private var change = FrameChange()
  /// Boxes of known faces for the next two frames that are started.
  private var knownFaces: [[Box]] = [[], []]
  /// Boxes of the faces in the last frame that was finished.
  private var last: [Box] = []
  private var inFlight: [FaceFinder.Search] = []

  /// - Parameter interval: seconds of the stream's time.
  init(interval: Double) { schedule = CropSchedule(interval: interval) }

  /// The faces in a frame, best first, while no other frame is in flight.
  mutating func faces(
    in frame: VideoFrame, with finder: inout FaceFinder, timer: any StepTimer
  ) throws -> [FaceCandidate] {
    knownFaces[0] = last
    try start(frame, with: &finder, timer: timer)
    return try finish(with: &finder, timer: timer)
  }

  /// Starts on the next frame. At most two frames are in flight.
  mutating func start(_ frame: VideoFrame, with finder: inout FaceFinder, timer: any StepTimer) throws {
    // A frame that fails does not advance the schedule.
    var (schedule, change) = (schedule, change)
    let count = finder.smallCropCount(of: frame)
    var crops = schedule.crops(of: count, at: frame.time.seconds)
    let difference = try change.next(frame)
    if difference.isCut {
      crops = Array(0..<count)
    } else if crops.count < count {
      crops += finder.smallCrops(of: frame, showing: difference.points, besides: crops)
    }
    inFlight.append(try finder.start(on: frame, smallCrops: crops, knownFaces: knownFaces[0], timer: timer))
    (self.schedule, self.change) = (schedule, change)
    knownFaces.removeFirst()
  }

  /// The faces in the frame that has been in flight longest, best first.
  mutating func finish(with finder: inout FaceFinder, timer: any StepTimer) throws -> [FaceCandidate] {
    defer { knownFaces.append(last) }
    let faces = try finder.finish(inFlight.removeFirst(), knownFaces: last, timer: timer)
    last = faces.map(\.box)
    return faces
  }
}
