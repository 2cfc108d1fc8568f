internal import VStreamCore
internal import VStreamPipeline
internal import VStreamSystem

/// A finished file of a recording.
struct RecordedFile: Hashable, Sendable {
  var camera: String
  /// `2026-11-25/08-00-00.mp4`, in UTC.
  var name: String
  var byteCount: Int
  /// Seconds since 1970.
  var start: Double
}

/// The recordings of all cameras: files in folders of cameras and days, which are found again at the start, and deleted by the rules of
/// age and space, the oldest first. Its lock is held while files are deleted.
final class RecordingStore: Sendable {
  private struct Contents: Sendable {
    var space: RecordingSpace
    /// By their starts.
    var files: [RecordedFile] = []
    var deletedCount = 0
    /// Seconds for which the files of a camera are kept.
    var keep: [String: Double] = [:]
  }

  private let contents: Monitor<Contents>
  /// The folder of all.
  let path: String

  /// - Throws: `VStreamError.cannotCreateOutput` if the folder cannot be made.
  init(_ space: RecordingSpace) throws(VStreamError) {
    path = space.path
    contents = Monitor(Contents(space: space))
    try Folder.createWithParents(Path.folder(of: path))
    try Folder.create(path, isPrivate: true)
    let files = Self.files(in: path)
    contents.update { $0.files = files }
  }

  /// Figures for metrics.
  struct Measures: Hashable, Sendable {
    /// By camera.
    var bytes: [String: Int]
    /// The start of the oldest file, in seconds since 1970.
    var oldest: Double?
    var deletedCount: Int
  }

  var measures: Measures {
    contents.read { contents in
      let bytes = contents.files.reduce(into: [:]) { $0[$1.camera, default: 0] += $1.byteCount }
      return Measures(bytes: bytes, oldest: contents.files.first?.start, deletedCount: contents.deletedCount)
    }
  }

  func update(_ space: RecordingSpace) {
    contents.update { $0.space = space }
    enforce()
  }

  func setKeep(_ seconds: Double?, of camera: String) { contents.update { $0.keep[camera] = seconds } }

  /// Creates the file of a moment, in seconds since 1970, after the rules were enforced.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`, also if too little would stay free.
  func create(_ camera: String, at wall: Double) throws(VStreamError) -> (name: String, file: AppendedFile) {
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
      let file = "\(path)/\(camera)/\(name)"
      if !FileCheck.exists(file) { return (name, try AppendedFile(creating: file)) }
    }
    throw VStreamError(
      .cannotCreateOutput, "there are \(Self.maximumOfSecond) recordings of '\(camera)' at \(time.text)")
  }

  private static let maximumOfSecond = 100

  /// Adds a finished file, and enforces the rules.
  func add(_ file: RecordedFile) {
    contents.update { contents in
      let index = contents.files.lastIndex { $0.start <= file.start }.map { $0 + 1 } ?? 0
      contents.files.insert(file, at: index)
    }
    enforce()
  }

  /// Deletes the files beyond the limits of age and space.
  ///
  /// - Parameter needed: bytes that have to be free besides the minimum.
  /// - Returns: whether something was deleted.
  @discardableResult
  func enforce(needing needed: Int = 0) -> Bool {
    contents.update { contents in
      let free = FreeSpace("\(path)/x").free
      let expired = RecordingRules(space: contents.space, keep: contents.keep).expired(
        contents.files, free: free.map { $0 - needed }, at: Double(UTCTime.secondsSince1970))
      for index in expired.reversed() {
        let file = contents.files.remove(at: index)
        PartFile.remove("\(path)/\(file.camera)/\(file.name)")
      }
      contents.deletedCount += expired.count
      return !expired.isEmpty
    }
  }

  /// The files that are there, by their names.
  static func files(in path: String) -> [RecordedFile] {
    func names(_ folder: String) -> [String] { (try? Folder.names(in: folder))?.filter { !$0.hasPrefix(".") } ?? [] }
    var files: [RecordedFile] = []
    for camera in names(path) where CameraName.isValid(camera) {
      for date in names("\(path)/\(camera)") {
        for clock in names("\(path)/\(camera)/\(date)") {
          guard let start = UTCTime.seconds(date: date, clock: clock),
            let status = FileStatus(of: "\(path)/\(camera)/\(date)/\(clock)", followsLink: false),
            status.kind == .regular
          else { continue }
          files.append(
            RecordedFile(camera: camera, name: "\(date)/\(clock)", byteCount: status.size, start: Double(start)))
        }
      }
    }
    return files.sorted { ($0.start, $0.name, $0.camera) < ($1.start, $1.name, $1.camera) }
  }
}

/// The rules by which recordings are deleted. Pure.
struct RecordingRules {
  var space: RecordingSpace
  var keep: [String: Double]

  /// The indices of files to delete, ascending.
  ///
  /// - Parameters:
  ///   - files: by their starts.
  ///   - free: bytes that are free on the disk; `nil` if that is not known.
  ///   - now: seconds since 1970.
  func expired(_ files: [RecordedFile], free: Int?, at now: Double) -> [Int] {
    var excess = max(
      space.maximumBytes.map { limit in files.reduce(0) { $0 + $1.byteCount } - limit } ?? 0,
      free.map { space.minimumFree - $0 } ?? 0)
    var expired = files.indices.filter { index in
      keep[files[index].camera].map { now - files[index].start > $0 } ?? false
    }
    for index in expired { excess -= files[index].byteCount }
    let old = Set(expired)
    for index in files.indices where excess > 0 && !old.contains(index) {
      expired.append(index)
      excess -= files[index].byteCount
    }
    return expired.sorted()
  }
}
