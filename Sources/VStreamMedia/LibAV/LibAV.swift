internal import CVStreamLibAV
public import VStreamScene

/// What the program says and hears of libav as a whole.
public enum LibAV {
  /// How much of libav's own messages go to standard error.
  public enum Verbosity: Int32, Sendable {
    case quiet = -8
    case error = 16
    case warning = 24
    case info = 32
    case debug = 48
  }

  /// Echoes libav's messages up to `verbosity` to standard error; without this call, none. Process-wide.
  public static func echoMessages(_ verbosity: Verbosity) {
    _ = keepsMessages
    CVStreamLibAV_keepMessages(verbosity.rawValue)
  }

  /// Looked at before libav is called, so that its messages are kept for our errors from the first one on.
  static let keepsMessages: Void = CVStreamLibAV_keepMessages(Verbosity.quiet.rawValue)

  /// Processors that this process may run on: with `taskset` or in a container perhaps fewer than the machine has.
  public static var processorCount: Int {
    _ = keepsMessages
    return max(1, Int(av_cpu_count()))
  }

  /// Versions of the libraries that are loaded, for example `libavformat 59.27.100`.
  public static var versions: [String] {
    [
      ("libavformat", avformat_version()), ("libavcodec", avcodec_version()), ("libavutil", avutil_version()),
      ("libswscale", swscale_version()),
    ].map { name, version in "\(name) \(version >> 16).\(version >> 8 & 255).\(version & 255)" }
  }
}

/// What a libav call said: a value, "not now", the end, or a failure that is thrown.
enum LibAVResult {
  case value(Int32)
  case tryAgain
  case endOfStream
}

/// The one place where libav's return codes are looked at.
///
/// Runs `call`; a negative code other than "try again" and "end" becomes a `VStreamError` whose message is `what`
/// followed by the reason, libav's own first message on this thread where it gave one.
func libav(
  _ code: VStreamError.Code, _ what: @autoclosure () -> String, remedy: @autoclosure () -> Message = "",
  _ call: () -> Int32
) throws(VStreamError) -> LibAVResult {
  _ = LibAV.keepsMessages
  CVStreamLibAV_forgetMessage()
  let result = call()
  if result >= 0 { return .value(result) }
  if result == CVStreamLibAV_EAGAIN { return .tryAgain }
  if result == CVStreamLibAV_EOF { return .endOfStream }
  throw VStreamError(code, "\(what()): \(reason(result))", remedy: remedy())
}

/// Like `libav`, where "try again" and "end" are failures as well.
@discardableResult
func requireLibAV(
  _ code: VStreamError.Code, _ what: @autoclosure () -> String, remedy: @autoclosure () -> Message = "",
  _ call: () -> Int32
) throws(VStreamError) -> Int32 {
  switch try libav(code, what(), remedy: remedy(), call) {
  case .value(let value): return value
  case .tryAgain: throw VStreamError(code, "\(what()): \(reason(CVStreamLibAV_EAGAIN))", remedy: remedy())
  case .endOfStream: throw VStreamError(code, "\(what()): \(reason(CVStreamLibAV_EOF))", remedy: remedy())
  }
}

/// libav's name for a code, and its first message on this thread where it gave one.
func reason(_ code: Int32) -> String {
  let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
    guard let base = buffer.baseAddress, av_strerror(code, base, buffer.count) == 0 else { return "error \(code)" }
    return String(cString: base)
  }
  let message = String(cString: CVStreamLibAV_firstMessage())
  return message.isEmpty ? name : "\(name) (\(message))"
}

/// A failed allocation, as the error it is.
func outOfMemory(_ what: String) -> VStreamError { VStreamError(.library, "\(what): out of memory") }

/// Runs `body` with a libav dictionary made of `options`, frees what is left of it, and returns the names of the
/// options that nobody took.
func withDictionary<R, Failure: Error>(
  _ options: [(key: String, value: String)], _ body: (UnsafeMutablePointer<OpaquePointer?>) throws(Failure) -> R
) throws(Failure) -> (result: R, unused: [String]) {
  var dictionary: OpaquePointer?
  defer { av_dict_free(&dictionary) }
  for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
  let result = try body(&dictionary)
  var unused: [String] = []
  var entry = av_dict_get(dictionary, "", nil, AV_DICT_IGNORE_SUFFIX)
  while let found = entry {
    unused.append(String(cString: found.pointee.key))
    entry = av_dict_get(dictionary, "", found, AV_DICT_IGNORE_SUFFIX)
  }
  return (result, unused)
}

extension Rational {
  init?(_ rational: AVRational) { self.init(rational.num, rational.den) }
  var av: AVRational { AVRational(num: numerator, den: denominator) }

  /// How many ticks of this base a time is, rounded to nearest.
  func ticks(seconds: Double) -> Int64 {
    let ticks = (seconds / value).rounded()
    if abs(ticks) < 9e18 { return Int64(ticks) }
    return ticks < 0 ? Int64.min / 2 : Int64.max / 2
  }
}

extension Int64 {
  /// The sum of times that a file may say anything of: where it is too large, the largest, and never what stands for no time.
  func limitedSum(_ other: Int64) -> Int64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? (other > 0 ? Int64.max : -Int64.max) : Swift.max(sum, -Int64.max)
  }

  func limitedDifference(_ other: Int64) -> Int64 { limitedSum(other == Int64.min ? Int64.max : -other) }
}

extension Time {
  /// The moment in ticks of another base, rounded to nearest.
  public func rescaled(to other: Rational) -> Time {
    Time(ticks: av_rescale_q(ticks, base.av, other.av), base: other)
  }
}
