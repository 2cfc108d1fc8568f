internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop; a second one ends the process at once.
///
/// The newest one that has not ended is asked. Where there is none, as between two of several runs, a signal ends the
/// process.
final class StopSignals {
  init(_ stop: @escaping @Sendable () -> Void) {
    Signals.listen()
    Signals.request.withLock { $0 = Signals.Request(stop: stop) }
  }

  func end() { Signals.request.withLock { $0 = Signals.Request() } }
}

/// The process's signals, which are taken from the first use on.
private enum Signals {
  /// What a signal asks for.
  struct Request {
    var stop: (@Sendable () -> Void)?
    /// How many signals came.
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
    // Under nohup a hang-up is to be ignored, and stays so.
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
