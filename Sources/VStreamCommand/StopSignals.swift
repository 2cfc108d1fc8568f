internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Turns SIGINT, SIGTERM and SIGHUP into a request to stop; a second one ends the process at once.
final class StopSignals {
  private let sources: [any DispatchSourceSignal]

  init(_ stop: @escaping @Sendable () -> Void) {
    let count = SignalCount()
    // Under nohup a hang-up is to be ignored, and stays so.
    let hangUp = signal(SIGHUP, SIG_IGN)
    let ignoresHangUp = unsafeBitCast(hangUp, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    sources = ([SIGINT, SIGTERM] + (ignoresHangUp ? [] : [SIGHUP])).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if count.next() == 1 { stop() } else { _exit(ExitStatus.interrupted) }
      }
      source.resume()
      return source
    }
  }

  func end() {
    for source in sources { source.cancel() }
  }
}

/// How many signals came.
private final class SignalCount: Sendable {
  private let count = Atomic<Int>(0)
  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
