internal import Synchronization
internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// Stores the tracks of a camera's run in the index, with pictures of their best moments.
final class TrackObserver: Sendable {
  private struct State {
    var journal: TrackJournal
    /// The tracks whose picture is wanted, by the number of the frame that has it.
    var wanted: [Int: [IndexedTrack]] = [:]
    /// Of the frames that the records refer to.
    var size = PixelSize(width: 0, height: 0)
  }

  private let index: ArchiveIndex
  /// Of the annotator's and the writer's threads.
  private let state: Mutex<State>

  /// Frames whose pictures may be awaited.
  private static let maximumWanted = 50

  init(_ camera: Camera, _ index: ArchiveIndex) {
    self.index = index
    state = Mutex(State(journal: TrackJournal(camera.name, camera.settings) { index.makeTrackID() }))
  }

  /// - Parameter size: of the frames that the record refers to.
  func annotated(_ record: FrameRecord, _ size: PixelSize) {
    let now = WallClock.now
    let updates = state.withLock { state in
      state.size = size
      let updates = state.journal.add(record, size, at: now)
      let best = updates.filter(\.isBest).map(\.track)
      if !best.isEmpty, state.wanted.count < Self.maximumWanted { state.wanted[record.annotations.frame] = best }
      return updates
    }
    index.store(updates, at: now)
  }

  /// - Parameter painted: masked and redacted, as it may be shown.
  func painted(_ painted: ObservedFrame) {
    let number = painted.record.annotations.frame
    let (tracks, size) = state.withLock { state in
      defer { state.wanted = state.wanted.filter { $0.key > number } }
      return (state.wanted[number] ?? [], state.size)
    }
    for track in tracks {
      guard let jpeg = try? TrackPicture.jpeg(of: track, in: size, painted.image) else { continue }
      index.storePicture(jpeg, of: track.id)
    }
  }

  func finish() { index.store(state.withLock { $0.journal.finish() }, at: WallClock.now) }
}

/// The picture of a track: its box with a margin, small.
enum TrackPicture {
  /// Pixels of the longer side.
  private static let longestSide = 160
  /// On each side, as a fraction of the box.
  private static let margin = 0.2

  /// - Parameter size: of the frames that the track's box refers to.
  /// - Returns: a JPEG image; `nil` for a box outside the frame.
  static func jpeg(of track: IndexedTrack, in size: PixelSize, _ frame: VideoFrame) throws -> [UInt8]? {
    let (x, y) = (
      Double(frame.size.width) / Double(max(1, size.width)), Double(frame.size.height) / Double(max(1, size.height))
    )
    let box = Box(x: track.x * x, y: track.y * y, width: track.width * x, height: track.height * y)
    guard let visible = box.buffered(by: margin).clipped(to: frame.size) else { return nil }
    let face = DetectedFace(score: track.score, box: visible)
    guard FaceCrop.isPossible(of: face, in: frame.size) else { return nil }
    return try CameraImage.jpeg(of: FaceCrop.image(of: face, in: frame, margin: 0, longestSide: longestSide))
  }
}
