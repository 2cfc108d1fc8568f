internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Detects the faces of a stream by their boxes alone: in the whole of each frame, wherever a face was, and in the crops that
/// `CropSelection` chooses.
///
/// A face is searched for where it was two frames before, so that two frames can be in flight; if it is not detected there,
/// where it was on the frame before. One owner at a time, for one stream, its frames in their order.
struct ScheduledFaceSearch {
  private var selection: CropSelection
  /// Known faces for the next two frames that are started.
  private var knownFaces: [[FaceCandidate]] = [[], []]
  /// The faces in the last frame that was finished.
  private var last: [FaceCandidate] = []
  private var inFlight: [FaceFinder.Search] = []

  init(_ options: FaceDetectorOptions) { selection = CropSelection(options) }

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
    let doubtful = knownFaces[0].filter { $0.score < FaceFinder.confidentScore }
    let crops = try selection.crops(of: finder.crops(of: frame), in: frame, doubtful: doubtful)
    inFlight.append(try finder.start(on: frame, crops: crops, knownFaces: knownFaces[0], timer: timer))
    knownFaces.removeFirst()
  }

  /// The faces in the frame that has been in flight longest, best first.
  mutating func finish(with finder: inout FaceFinder, timer: any StepTimer) throws -> [FaceCandidate] {
    defer { knownFaces.append(last) }
    let faces = try finder.finish(inFlight.removeFirst(), knownFaces: last, timer: timer)
    last = faces
    return faces
  }
}
