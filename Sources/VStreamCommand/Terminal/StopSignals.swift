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

  private static func makeSources() -> [any DispatchSourceSignal] {
    // nohup ignores SIGHUP, which must stay so.
    let hangUp = signal(SIGHUP, SIG_IGN)
    let ignoresHangUp = unsafeBitCast(hangUp, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    return ([SIGINT, SIGTERM] + (ignoresHangUp ? [] : [SIGHUP])).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { take() }
      source.resume()
      return source
    }
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
