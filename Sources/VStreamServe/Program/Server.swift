internal import CVStreamMemory
internal import VStreamPipeline
internal import VStreamScene
internal import VStreamSystem

/// The running program: its cameras and its HTTP server, until a signal ends it.
struct Server {
  private let options: ServeOptions
  private let configuration: ServeConfiguration
  private let log: ServeLog
  private let cameras: CameraRegistry

  init(_ options: ServeOptions, _ configuration: ServeConfiguration) {
    self.options = options
    self.configuration = configuration
    log = ServeLog(format: options.logFormat)
    cameras = CameraRegistry(CameraDetectors(threads: PipelineConfiguration.processorCount), log: log)
  }

  /// Runs until a signal ends it.
  ///
  /// - Returns: whether all threads that use models have ended.
  /// - Throws: `VStreamError` if it cannot start.
  func run() throws(VStreamError) -> Bool {
    let token = try configuration.tokenFile.map { (path) throws(VStreamError) in try AccessControl.token(of: path) }
    let router = Router(
      cameras: cameras, access: AccessControl(token: token), proxies: configuration.trustedProxies, reload: reload)
    let web = try WebServer(router, certificate: configuration.tlsCertificate, key: configuration.tlsKey)
    let signals = ServeSignals()
    try cameras.replace(by: configuration)
    let scheme = configuration.tlsCertificate == nil ? "http" : "https"
    for address in configuration.listen {
      log.note(
        "serving \(configuration.cameras.count.counted("camera")) at \(scheme)://\(try web.listen(at: address))/")
    }
    SystemManager.notify("READY=1")
    waitForEnd(signals)
    SystemManager.notify("STOPPING=1")
    let haveEnded = BackgroundWork.runChange { cameras.stop() }
    web.stop()
    log.note("stopped")
    return haveEnded
  }

  private func waitForEnd(_ signals: ServeSignals) {
    var releasedAt = MonotonicTime.now
    while true {
      switch signals.next(within: min(SystemManager.watchdogInterval ?? .infinity, Self.releaseInterval)) {
      case .stop: return
      case .reload: BackgroundWork.run(.changes) { reloadAndLog() }
      case nil: SystemManager.notify("WATCHDOG=1")
      }
      // The memory of lost cameras is fragmented between that of others.
      guard MonotonicTime.now - releasedAt >= Self.releaseInterval else { continue }
      CVStreamMemory_releaseUnused()
      releasedAt = MonotonicTime.now
    }
  }

  /// Seconds after which memory that is not used is given back.
  private static let releaseInterval = 60.0

  private func reloadAndLog() {
    guard let reload else { return log.warn("there is no configuration file to read again") }
    do throws(VStreamError) {
      try reload()
    } catch {
      log.warn("the configuration is not used: \(error.text(naming: \.configurationKey))")
    }
  }

  /// Reads the configuration again; only cameras change, and only those whose settings did.
  private var reload: (@Sendable () throws(VStreamError) -> Void)? {
    guard let path = options.configurationPath else { return nil }
    let (cameras, log) = (cameras, log)
    return { () throws(VStreamError) in
      let configuration = try ConfigurationReader.read(path)
      try configuration.requireCameras()
      try cameras.replace(by: configuration)
      log.note("the configuration was read: \(cameras.all.count.counted("camera"))")
    }
  }
}
