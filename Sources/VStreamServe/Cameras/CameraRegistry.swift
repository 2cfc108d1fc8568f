internal import VStreamPipeline
internal import VStreamScene

/// The running cameras. Cameras are added, replaced and removed while the others go on, by one change at a time
/// (`BackgroundWork.Kind.changes`).
final class CameraRegistry: Sendable {
  private let cameras = Monitor<[Camera]>([])
  private let isStopped = Monitor(false)
  private let commonSettings = Monitor(CameraConfiguration())
  private let detectors: CameraDetectors
  private let log: ServeLog

  /// Seconds that a camera's run may take to end.
  private static let stopLimit = 15.0

  init(_ detectors: CameraDetectors, log: ServeLog) {
    self.detectors = detectors
    self.log = log
  }

  /// In the order in which they were added.
  var all: [Camera] { cameras.read { $0 } }

  /// The settings of cameras that do not have their own.
  var defaults: CameraConfiguration { commonSettings.read { $0 } }

  func camera(named name: String) -> Camera? { all.first { $0.name == name } }

  /// Adds a camera, in the place of one of the same name.
  ///
  /// - Returns: whether there was one of that name; `nil` if it has the same settings, and goes on.
  /// - Throws: `VStreamError` if its detectors cannot be made; then nothing changes.
  @discardableResult
  func put(_ named: ServeConfiguration.NamedCamera) throws(VStreamError) -> Bool? {
    if isStopped.read({ $0 }) { throw VStreamError(.missingDependency, "the server is stopping") }
    let old = camera(named: named.name)
    if old?.settings == named.settings { return nil }
    let added = Camera(named, log: log)
    try added.start(detectors)
    let replaced = cameras.update { cameras -> Camera? in
      guard let index = cameras.firstIndex(where: { $0.name == named.name }) else {
        cameras.append(added)
        return nil
      }
      defer { cameras[index] = added }
      return cameras[index]
    }
    if let replaced { end(replaced) }
    return replaced != nil
  }

  /// - Returns: whether there was such a camera.
  func remove(_ name: String) -> Bool {
    let removed = cameras.update { cameras -> Camera? in
      guard let index = cameras.firstIndex(where: { $0.name == name }) else { return nil }
      return cameras.remove(at: index)
    }
    if let removed { end(removed) }
    return removed != nil
  }

  /// Checks that the cameras of a configuration could be started.
  ///
  /// - Throws: `VStreamError` for the first one that could not.
  func check(_ configuration: ServeConfiguration) throws(VStreamError) {
    for camera in configuration.cameras { _ = try detectors.configuration(of: camera.settings, observer: nil) }
  }

  /// Makes the cameras those of a configuration. Those whose settings are the same go on.
  ///
  /// - Throws: `VStreamError` if one of them could not be started; then nothing changes.
  func replace(by configuration: ServeConfiguration) throws(VStreamError) {
    try check(configuration)
    commonSettings.update { $0 = configuration.defaults }
    let names = Set(configuration.cameras.map(\.name))
    for camera in all where !names.contains(camera.name) { _ = remove(camera.name) }
    for camera in configuration.cameras { try put(camera) }
  }

  /// Ends all cameras and the detectors.
  ///
  /// - Returns: `false` if some of their threads did not end in time.
  @discardableResult
  func stop() -> Bool {
    isStopped.update { $0 = true }
    let all = cameras.update { cameras in
      defer { cameras = [] }
      return cameras
    }
    for camera in all { camera.stop() }
    let areStopped = all.map { $0.waitUntilStopped(seconds: Self.stopLimit) }
    detectors.stop()
    return detectors.waitUntilStopped(seconds: Self.stopLimit) && !areStopped.contains(false)
  }

  /// Ends a camera without waiting for it, as its source may not answer: its threads keep it until they have ended.
  private func end(_ camera: Camera) {
    camera.stop()
    camera.close()
  }
}
