internal import GRDB
internal import VStreamCore
internal import VStreamPipeline
internal import VStreamSystem

/// A file of a recording. Times are seconds since 1970.
struct RecordedFile: Hashable, Sendable, Codable {
  var camera: String
  /// `2026-11-25/08-00-00.mp4`, in UTC.
  var name: String
  var start: Double
  var end: Double
  var bytes = 0
  /// Whether something was tracked meanwhile.
  var hasEvent = false
  /// Whether it is being written.
  var isOpen = false

  private enum CodingKeys: CodingKey {
    case camera, name, start, end, bytes, hasEvent
  }

  /// The name of the file with its boxes, for which lines of JSON follow its description.
  var boxesName: String { name.dropLast(".mp4".count) + ".jsonl" }
}

extension RecordedFile: FetchableRecord, PersistableRecord {
  static let databaseTableName = "files"
}

/// The recordings of all cameras: files in folders of cameras and days, which are found again at the start, and deleted by the
/// rules of age and space, the oldest first. Its lock is held while files are deleted.
final class RecordingStore: Sendable {
  private struct Contents: Sendable {
    var space: RecordingSpace
    /// By their starts.
    var files: [RecordedFile] = []
    var deletedCount = 0
    /// By camera.
    var settings: [String: RecordingSettings] = [:]
    /// Of cameras that were removed.
    var defaults = RecordingSettings()
  }

  private let contents: Monitor<Contents>
  /// The folder of all.
  let path: String
  let index: ArchiveIndex

  /// - Throws: `VStreamError.cannotCreateOutput` if the folder or the index cannot be made.
  init(_ space: RecordingSpace, log: ServeLog) throws(VStreamError) {
    path = space.path
    contents = Monitor(Contents(space: space))
    try Folder.createWithParents(Path.folder(of: path))
    try Folder.create(path, isPrivate: true)
    index = try ArchiveIndex("\(path)/index.sqlite", log: log)
    let known = index.files
    let files = Self.files(in: path, known: known)
    contents.update { $0.files = files }
    let (found, indexed) = (Set(files), Set(known))
    let (missing, gone) = (found.subtracting(indexed), indexed.subtracting(found))
    if missing.isEmpty, gone.isEmpty { return }
    index.write { database in
      for file in gone { try file.delete(database) }
      for file in missing { try file.upsert(database) }
    }
  }

  /// Figures for metrics.
  struct Measures: Hashable, Sendable {
    /// By camera.
    var bytes: [String: Int]
    /// The start of the oldest file, in seconds since 1970.
    var oldest: Double?
    var deletedCount: Int
    /// Changes of the index that could not be written.
    var lostCount: Int
  }

  var measures: Measures {
    contents.read { contents in
      let bytes = contents.files.filter { !$0.isOpen }.reduce(into: [:]) { $0[$1.camera, default: 0] += $1.bytes }
      return Measures(
        bytes: bytes, oldest: contents.files.first?.start, deletedCount: contents.deletedCount,
        lostCount: index.lostCount)
    }
  }

  /// The files of a camera that have something of a span of time, by their starts. Of an open file, the end is now.
  func files(of camera: String?, in span: ClosedRange<Double>) -> [RecordedFile] {
    let now = WallClock.now
    return contents.read { contents in
      contents.files.compactMap { file in
        var file = file
        // As the recorder noted last, and the fragments since.
        if file.isOpen { file.end = max(file.start, min(now, file.end + Self.noteInterval)) }
        let isInSpan = file.start <= span.upperBound && file.end >= span.lowerBound
        return isInSpan && (camera ?? file.camera) == file.camera ? file : nil
      }
    }
  }

  /// Seconds in which a recorder notes how far an open file reaches.
  static let noteInterval = 5.0

  func note(_ open: RecordedFile) {
    contents.update { contents in
      let index = contents.files.lastIndex { $0.isOpen && $0.camera == open.camera && $0.name == open.name }
      if let index { contents.files[index] = open }
    }
  }

  /// - Parameter defaults: of cameras that were removed.
  func update(_ space: RecordingSpace, defaults: RecordingSettings) {
    contents.update { ($0.space, $0.defaults) = (space, defaults) }
    enforce()
  }

  func set(_ settings: RecordingSettings, of camera: String) { contents.update { $0.settings[camera] = settings } }

  /// Creates the file of a moment, in seconds since 1970, and the one for its boxes, after the rules were enforced.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`, also if too little would stay free.
  func create(_ camera: String, at wall: Double) throws(VStreamError) -> OpenRecording {
    enforce()
    let (free, minimum) = (FreeSpace("\(path)/x").free, contents.read { $0.space.minimumFree })
    if let free, free < minimum {
      throw VStreamError(
        .cannotCreateOutput,
        "\(free.formatted(.bytes)) are free on the disk of '\(path)', less than \(minimum.formatted(.bytes))",
        subject: path, remedy: "free some, or set recordings.min-free")
    }
    let time = UTCTime(secondsSince1970: Int(wall))
    for folder in [camera, "\(camera)/\(time.date)"] {
      try Folder.create("\(path)/\(folder)", isPrivate: true)
    }
    // Two files of a second, after a loss or beside a replaced camera.
    for number in 1...Self.maximumOfSecond {
      let name = "\(time.date)/\(time.clock)\(number == 1 ? "" : "-\(number)").mp4"
      let file = RecordedFile(camera: camera, name: name, start: wall, end: wall, isOpen: true)
      if FileCheck.exists(path(of: file)) { continue }
      let open = try OpenRecording(
        file: file, video: AppendedFile(creating: path(of: file)),
        boxes: AppendedFile(creating: "\(path)/\(camera)/\(file.boxesName)", existing: .emptied))
      insert(file)
      index.write { try file.upsert($0) }
      return open
    }
    throw VStreamError(
      .cannotCreateOutput, "there are \(Self.maximumOfSecond) recordings of '\(camera)' at \(time.text)")
  }

  private static let maximumOfSecond = 100

  func path(of file: RecordedFile) -> String { "\(path)/\(file.camera)/\(file.name)" }

  private func insert(_ file: RecordedFile) {
    contents.update { contents in
      let index = contents.files.lastIndex { $0.start <= file.start }.map { $0 + 1 } ?? 0
      contents.files.insert(file, at: index)
    }
  }

  private func removeOpen(_ file: RecordedFile) {
    contents.update { contents in
      contents.files.removeAll { $0.isOpen && $0.camera == file.camera && $0.name == file.name }
    }
  }

  /// Replaces an open file by the finished one, and enforces the rules.
  func finish(_ file: RecordedFile) {
    removeOpen(file)
    insert(file)
    index.write { try file.upsert($0) }
    enforce()
  }

  /// Forgets an open file, which is not kept.
  func discard(_ file: RecordedFile) {
    removeOpen(file)
    remove(file)
    index.write { try file.delete($0) }
  }

  private func remove(_ file: RecordedFile) {
    for name in [file.name, file.boxesName] { PartFile.remove("\(path)/\(file.camera)/\(name)") }
  }

  /// Deletes the files beyond the limits of age and space.
  ///
  /// - Parameter needed: bytes that have to be free besides the minimum.
  /// - Returns: whether something was deleted.
  @discardableResult
  func enforce(needing needed: Int = 0) -> Bool {
    let deleted = contents.update { contents in
      let free = FreeSpace("\(path)/x").free
      let rules = RecordingRules(space: contents.space, settings: contents.settings, defaults: contents.defaults)
      let expired = rules.expired(contents.files, free: free.map { $0 - needed }, at: WallClock.now)
      var deleted: [RecordedFile] = []
      for index in expired.reversed() {
        deleted.append(contents.files.remove(at: index))
        remove(deleted[deleted.count - 1])
      }
      contents.deletedCount += expired.count
      return deleted
    }
    if !deleted.isEmpty { index.write { database in for file in deleted { try file.delete(database) } } }
    return !deleted.isEmpty
  }

  /// Deletes tracks and events by their age, and those before the oldest file where files were deleted for space.
  func enforceOnTracks() {
    let now = WallClock.now
    let (moments, others) = contents.read { contents in
      let oldest = contents.deletedCount > 0 ? contents.files.first?.start : nil
      func moment(_ settings: RecordingSettings) -> Double? { settings.keepsEvents.map { now - $0 } ?? oldest }
      // Cameras whose tracks are kept have a moment too: the others are removed cameras.
      return (contents.settings.mapValues { moment($0) ?? 0 }, moment(contents.defaults))
    }
    index.deleteTracks(endedBefore: moments, others: others)
  }

  /// The files that are there, by their starts.
  ///
  /// - Parameter known: of the index. The length of other files is read from their fragments, and they are kept like those of
  ///   events.
  static func files(in path: String, known: [RecordedFile] = []) -> [RecordedFile] {
    func names(_ folder: String) -> [String] { (try? Folder.names(in: folder))?.filter { !$0.hasPrefix(".") } ?? [] }
    let known = Dictionary(known.map { ("\($0.camera)/\($0.name)", $0) }) { one, _ in one }
    var files: [RecordedFile] = []
    for camera in names(path) where CameraName.isValid(camera) {
      for date in names("\(path)/\(camera)") {
        for clock in names("\(path)/\(camera)/\(date)") {
          guard let start = UTCTime.seconds(date: date, clock: clock) else { continue }
          let file = "\(camera)/\(date)/\(clock)"
          if let whole = known[file], whole.end > whole.start {
            files.append(whole)
            continue
          }
          guard let found = found(camera, "\(date)/\(clock)", start: known[file]?.start ?? Double(start)) else {
            continue
          }
          files.append(found)
        }
      }
    }
    return files.sorted { ($0.start, $0.name, $0.camera) < ($1.start, $1.name, $1.camera) }
    func found(_ camera: String, _ name: String, start: Double) -> RecordedFile? {
      var file = RecordedFile(camera: camera, name: name, start: start, end: start, hasEvent: true)
      guard let video = FileStatus(of: "\(path)/\(camera)/\(name)", followsLink: false), video.kind == .regular else {
        return nil
      }
      let boxes = FileStatus(of: "\(path)/\(camera)/\(file.boxesName)", followsLink: false)
      (file.end, file.bytes) = (max(start, Double(video.seconds + 1)), video.size + (boxes?.size ?? 0))
      return file
    }
  }
}

/// A recording that is being written: the video, and the boxes of its frames.
struct OpenRecording {
  var file: RecordedFile
  let video: AppendedFile
  let boxes: AppendedFile
}

/// The rules by which recordings are deleted. Pure.
struct RecordingRules {
  var space: RecordingSpace
  /// By camera.
  var settings: [String: RecordingSettings]
  /// Of other cameras.
  var defaults = RecordingSettings()

  /// The indices of files to delete, ascending.
  ///
  /// - Parameters:
  ///   - files: by their starts.
  ///   - free: bytes that are free on the disk; `nil` if that is not known.
  ///   - now: seconds since 1970.
  func expired(_ files: [RecordedFile], free: Int?, at now: Double) -> [Int] {
    var excess = max(
      space.maximumBytes.map { limit in files.reduce(0) { $0 + $1.bytes } - limit } ?? 0,
      free.map { space.minimumFree - $0 } ?? 0)
    var expired = files.indices.filter { index in
      let settings = settings[files[index].camera] ?? defaults
      let keep = files[index].hasEvent ? settings.keepsEvents : settings.keep
      return !files[index].isOpen && keep.map { now - files[index].start > $0 } ?? false
    }
    for index in expired { excess -= files[index].bytes }
    let old = Set(expired)
    for index in files.indices where excess > 0 && !old.contains(index) && !files[index].isOpen {
      expired.append(index)
      excess -= files[index].bytes
    }
    return expired.sorted()
  }
}
