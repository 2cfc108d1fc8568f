internal import Dispatch
internal import Synchronization
internal import VStreamPipeline

#if canImport(Glibc)
  internal import Glibc
#endif

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
