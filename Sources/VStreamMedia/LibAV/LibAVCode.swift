internal import CVStreamLibAV
internal import VStreamCore

/// A return code of libav: negative for a failure, else a value or 0.
///
/// Codes of FFmpeg's libraries and of the C shims are interpreted here, and by the functions below that throw them.
struct LibAVCode: Hashable, Sendable {
  let rawValue: Int32

  init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The code of a call, whose first message is recorded for `reason`.
  init(of call: () -> Int32) {
    _ = LibAV.recordsMessages
    CVStreamLibAV_forgetMessage()
    rawValue = call()
  }

  /// The code that stands for an `errno` of the system.
  static func system(_ number: Int32) -> LibAVCode { LibAVCode(-number) }

  static let tryAgain = LibAVCode(CVStreamLibAV_EAGAIN)
  static let endOfStream = LibAVCode(CVStreamLibAV_EOF)
  /// The code of a call that `Interrupt` ended.
  static let interrupted = LibAVCode(CVStreamLibAV_EXIT)
  static let invalidData = LibAVCode(CVStreamLibAV_INVALIDDATA)
  static let notImplemented = LibAVCode(CVStreamLibAV_PATCHWELCOME)
  static let libraryBug = LibAVCode(CVStreamLibAV_BUG)
  static let protocolNotFound = LibAVCode(CVStreamLibAV_PROTOCOL_NOT_FOUND)
  static let httpUnauthorized = LibAVCode(CVStreamLibAV_HTTP_UNAUTHORIZED)
  static let httpForbidden = LibAVCode(CVStreamLibAV_HTTP_FORBIDDEN)
  static let httpNotFound = LibAVCode(CVStreamLibAV_HTTP_NOT_FOUND)
  static let httpOtherClientError = LibAVCode(CVStreamLibAV_HTTP_OTHER_4XX)
  static let httpServerError = LibAVCode(CVStreamLibAV_HTTP_SERVER_ERROR)

  var isFailure: Bool { rawValue < 0 }

  /// The `errno` that a failure of the system stands for.
  var systemError: Int32 { -rawValue }

  /// libav's name of the code, with the first message that libav logged on this thread during the call, if any.
  var reason: String {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, !LibAVCode(av_strerror(rawValue, base, buffer.count)).isFailure else {
        return "error \(rawValue)"
      }
      return String(cString: base)
    }
    let message = String(cString: CVStreamLibAV_firstMessage())
    return message.isEmpty ? name : "\(name) (\(Self.shown(message)))"
  }

  /// A message of libav without credentials.
  static func shown(_ message: String) -> String { ShownLocation.inText(withoutHost(withoutValue(message))) }

  /// A message about a host that cannot be found, which may be part of a password, without it.
  private static func withoutHost(_ message: String) -> String {
    for (start, end) in [("resolve hostname ", ":"), ("getaddrinfo(", ",")] {
      guard let before = message.firstRange(of: start) else { continue }
      let rest = message[before.upperBound...]
      return message[..<before.upperBound] + "…" + (rest.firstRange(of: end).map { rest[$0.lowerBound...] } ?? "")
    }
    return message
  }

  /// A message about an option's value, or about a part of an address that is no option: either may be a key.
  static func withoutValue(_ message: String) -> String {
    for (start, end) in [("to value ", "."), ("option value \"", "\""), ("Query string option '", "'")] {
      guard message.lowercased().contains("option"), let before = message.firstRange(of: start) else { continue }
      let rest = message[before.upperBound...]
      return message[..<before.upperBound] + "…" + (rest.lastIndex { end.contains($0) }.map { rest[$0...] } ?? "")
    }
    return message
  }
}

/// The outcome of a libav call that did not fail.
enum LibAVResult {
  case value(Int32)
  case tryAgain
  case endOfStream
}

/// Runs a libav call.
///
/// - Parameter what: the failed operation, the start of the error's message.
/// - Throws: A `VStreamError` with that code for a failure other than "try again" and "end of stream"; its message gives
///   libav's reason.
func libav(
  _ code: VStreamError.Code, _ what: @autoclosure () -> String, remedy: @autoclosure () -> Message = "",
  _ call: () -> Int32
) throws(VStreamError) -> LibAVResult {
  let result = LibAVCode(of: call)
  if result == .tryAgain { return .tryAgain }
  if result == .endOfStream { return .endOfStream }
  if result.isFailure { throw VStreamError(code, "\(what()): \(result.reason)", remedy: remedy()) }
  return .value(result.rawValue)
}

/// Runs a libav call for which "try again" and "end of stream" are failures as well.
///
/// - Throws: A `VStreamError` with that code for any failure.
@discardableResult
func requireLibAV(
  _ code: VStreamError.Code, _ what: @autoclosure () -> String, remedy: @autoclosure () -> Message = "",
  _ call: () -> Int32
) throws(VStreamError) -> Int32 {
  let result = LibAVCode(of: call)
  if result.isFailure { throw VStreamError(code, "\(what()): \(result.reason)", remedy: remedy()) }
  return result.rawValue
}

/// The error of a failed allocation.
func outOfMemory(_ what: String) -> VStreamError { VStreamError(.library, "\(what): out of memory") }
