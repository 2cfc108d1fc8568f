internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop; a second one ends the process at once.
///
/// The newest instance gets the request; when it ends, the one before it, if there is one. Without any, a signal ends the
/// process.
final class StopSignals {
  private let before: Signals.Request

  init(_ stop: @escaping @Sendable () -> Void) {
    Signals.listen()
    before = Signals.request.withLock { request in
      defer { request = Signals.Request(stop: stop) }
      return request
    }
  }

  func end() { Signals.request.withLock { $0 = before } }
}

/// The signals of the process, which are handled from the first use on.
private enum Signals {
  /// The pending request to stop.
  struct Request {
    var stop: (@Sendable () -> Void)?
    /// Number of signals received.
    var count = 0
  }

  static let request = Mutex(Request())

  private static let sources = Mutex<[any DispatchSourceSignal]>([])

  static func listen() {
    sources.withLock { sources in
      if sources.isEmpty { sources = makeSources() }
    }
  }

  /// Returns when the signals are listened to: until then each has its usual effect, so that none is lost.
  private static func makeSources() -> [any DispatchSourceSignal] {
    let isRegistered = DispatchSemaphore(value: 0)
    // nohup ignores SIGHUP, which must stay so.
    let sources: [any DispatchSourceSignal] = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !isIgnored($0) }.map {
      number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { take() }
      source.setRegistrationHandler { isRegistered.signal() }
      source.resume()
      return source
    }
    for _ in sources { isRegistered.wait() }
    return sources
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0, let handler = action.__sigaction_handler.sa_handler else {
      return false
    }
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func take() {
    let request = request.withLock { request in
      request.count += 1
      return request
    }
    guard let stop = request.stop, request.count == 1 else { _exit(ExitStatus.interrupted) }
    stop()
  }
}
