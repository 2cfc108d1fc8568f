internal import VStreamCore
internal import VStreamPipeline

/// The running cameras. Cameras are added, replaced and removed while the others go on, by one change at a time
/// (`BackgroundWork.Kind.changes`), which waits for no camera: the source of one that is removed may not answer.
final class CameraRegistry: Sendable {
  private struct Contents: Sendable {
    var cameras: [Camera] = []
    var defaults = CameraConfiguration()
    var space = RecordingSpace()
    /// `nil` until a camera is recorded.
    var recordings: RecordingStore?
    var isStopped = false
  }

  private let contents = Monitor(Contents())
  private let detectors: CameraDetectors
  private let log: ServeLog

  /// Seconds that the cameras' runs may take to end.
  private static let stopLimit = 15.0

  init(_ detectors: CameraDetectors, log: ServeLog) {
    self.detectors = detectors
    self.log = log
  }

  /// In the order of addition.
  var all: [Camera] { contents.read { $0.cameras } }

  /// The settings of cameras that do not have their own.
  var defaults: CameraConfiguration { contents.read { $0.defaults } }

  /// `nil` until a camera is recorded.
  var recordings: RecordingStore? { contents.read { $0.recordings } }

  func camera(named name: String) -> Camera? { all.first { $0.name == name } }

  /// Adds a camera, in the place of one of the same name.
  ///
  /// - Returns: whether there was one of that name; `nil` if it has the same settings, and goes on.
  /// - Throws: `VStreamError` if its detectors cannot be made; then nothing changes.
  @discardableResult
  func put(_ named: ServeConfiguration.NamedCamera) throws(VStreamError) -> Bool? {
    if contents.read(\.isStopped) { throw VStreamError(.missingDependency, "the server is stopping") }
    let old = camera(named: named.name)
    if named.settings.record.mode != .never { try openRecordings() }
    let recordings = recordings
    recordings?.set(named.settings.record, of: named.name)
    if old?.settings == named.settings, old?.recordings === recordings { return nil }
    let added = Camera(named, recordings, log: log)
    try added.start(detectors)
    contents.update { contents in
      guard let index = contents.cameras.firstIndex(where: { $0.name == named.name }) else {
        return contents.cameras.append(added)
      }
      contents.cameras[index] = added
    }
    old?.stop()
    return old != nil
  }

  private func openRecordings() throws(VStreamError) {
    if recordings != nil { return }
    let opened = try RecordingStore(contents.read { $0.space }, log: log)
    contents.update { $0.recordings = opened }
  }

  /// - Returns: whether there was such a camera.
  func remove(_ name: String) -> Bool {
    let removed = contents.update { contents in
      contents.cameras.firstIndex { $0.name == name }.map { contents.cameras.remove(at: $0) }
    }
    removed?.stop()
    return removed != nil
  }

  /// Applies a configuration. Cameras with unchanged settings go on.
  ///
  /// - Throws: `VStreamError` if one of them could not be started; then nothing changes.
  func replace(by configuration: ServeConfiguration) throws(VStreamError) {
    try detectors.check(configuration)
    let space = configuration.recordings ?? RecordingSpace()
    contents.update { ($0.defaults, $0.space) = (configuration.defaults, space) }
    if configuration.recordings != nil || configuration.cameras.contains(where: { $0.settings.record.mode != .never }) {
      try openRecordings()
    }
    recordings?.update(space, defaults: configuration.defaults.record)
    if let recordings, recordings.path != space.path {
      log.warn("recordings stay in '\(recordings.path)' until a restart")
    }
    let names = Set(configuration.cameras.map(\.name))
    for camera in all where !names.contains(camera.name) { _ = remove(camera.name) }
    for camera in configuration.cameras { try put(camera) }
  }

  /// Ends all cameras and the detectors. Changes that are requested meanwhile fail, and wait for no camera.
  ///
  /// - Returns: `false` if some of their threads did not end in time.
  @discardableResult
  func stop() -> Bool {
    let archive = recordings
    let runs = BackgroundWork.runChange {
      let all = contents.update { contents in
        defer { contents = Contents(isStopped: true) }
        return contents.cameras
      }
      return all.flatMap { $0.stop() }
    }
    let deadline = MonotonicTime.now + Self.stopLimit
    let haveEnded = runs.map { $0.waitUntilEnded(seconds: max(0, deadline - MonotonicTime.now)) }
    detectors.stop()
    archive?.index.waitUntilWritten()
    return detectors.waitUntilStopped(seconds: Self.stopLimit) && !haveEnded.contains(false)
  }
}
