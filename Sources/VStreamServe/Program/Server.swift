internal import CVStreamMemory
internal import Dispatch
internal import Synchronization
internal import VStreamCore
internal import VStreamPipeline
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

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
    let haveEnded = cameras.stop()
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
      // Recordings age also where none is added.
      cameras.recordings?.enforce()
      cameras.recordings?.enforceOnTracks()
      // The memory of lost cameras is fragmented between that of others.
      guard MonotonicTime.now - releasedAt >= Self.releaseInterval else { continue }
      CVStreamMemory_releaseUnused()
      releasedAt = MonotonicTime.now
    }
  }

  /// Seconds between releases of unused memory.
  private static let releaseInterval = 60.0

  private func reloadAndLog() {
    guard let reload else { return log.warn("there is no configuration file to read again") }
    do throws(VStreamError) {
      try reload()
    } catch {
      log.warn("the configuration is not used: \(error.text(naming: \.configurationKey))")
    }
  }

  /// Reads the configuration again; only cameras with changed settings are restarted.
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

/// SIGINT and SIGTERM end the program, a second one at once; SIGHUP has it read its configuration again.
final class ServeSignals: Sendable {
  enum Request: Hashable, Sendable {
    case stop
    case reload
  }

  private struct State: Sendable {
    var requests: [Request] = []
    var isStopping = false
  }

  private let state = Monitor(State())
  private let sources = Mutex<[any DispatchSourceSignal]>([])
  private let isAwaited = DispatchSemaphore(value: 0)

  /// The exit code of a program that a signal ended, part of the contract.
  static let exitCode: Int32 = 130

  init() {
    sources.withLock { sources in sources = Self.listen { [self] in take($0) } }
  }

  /// Returns when the signals are listened to: one that came before would be lost.
  private static func listen(_ take: @escaping @Sendable (Request) -> Void) -> [any DispatchSourceSignal] {
    let isRegistered = DispatchSemaphore(value: 0)
    let sources: [any DispatchSourceSignal] = [SIGINT, SIGTERM, SIGHUP].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { take(number == SIGHUP ? .reload : .stop) }
      source.setRegistrationHandler { isRegistered.signal() }
      source.resume()
      return source
    }
    for _ in sources { isRegistered.wait() }
    return sources
  }

  /// Waits for the next request.
  ///
  /// - Returns: `nil` if the time is over.
  func next(within seconds: Double) -> Request? {
    _ = isAwaited.wait(timeout: .now() + seconds)
    return state.update { $0.requests.isEmpty ? nil : $0.requests.removeFirst() }
  }

  private func take(_ request: Request) {
    let isSecond = state.update { state in
      defer { if request == .stop { state.isStopping = true } }
      state.requests.append(request)
      return state.isStopping && request == .stop
    }
    if isSecond { _exit(Self.exitCode) }
    isAwaited.signal()
  }
}

/// The service manager that started the program: systemd, with `Type=notify`. Without one, nothing happens.
enum SystemManager {
  /// Sends a state as `sd_notify` does: a datagram to the socket that the environment names.
  static func notify(_ state: String) {
    guard let path = Installation.environment("NOTIFY_SOCKET"),
      path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { name in
      name.copyBytes(from: path.utf8)
      // An abstract name, which begins with a zero.
      if name.first == UInt8(ascii: "@") { name[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    let bytes = Array(state.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), general, length)
      }
    }
  }

  /// Seconds between signs of life: half of the time after which the manager restarts the program; `nil` if it does not.
  static let watchdogInterval: Double? = {
    guard let text = Installation.environment("WATCHDOG_USEC"), let microseconds = Double(text), microseconds > 0 else {
      return nil
    }
    return microseconds * 1e-6 / 2
  }()
}

/// Work that may block, apart from the event loops of the connections.
enum BackgroundWork {
  enum Kind: Sendable {
    case reads
    /// Changes of the cameras or of their configuration: one at a time, in the order of their requests, so that the last one
    /// holds. Waiting changes occupy no thread.
    case changes
  }

  private static let reads = DispatchQueue(label: "vstream.serve.reads", attributes: .concurrent)
  private static let changes = DispatchQueue(label: "vstream.serve.changes")

  static func run(_ kind: Kind, _ work: @escaping @Sendable () -> Void) {
    (kind == .reads ? reads : changes).async { work() }
  }

  /// Runs a change after those before it, and waits for its result.
  static func runChange<Result>(_ work: () -> Result) -> Result { changes.sync(execute: work) }
}
