internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

/// Process-wide settings and properties of FFmpeg's libraries.
package enum LibAV {
  /// The least severe of libav's messages that are written to standard error.
  package enum Verbosity: Int32, Sendable {
    case quiet = -8
    case error = 16
    case warning = 24
    case info = 32
    case debug = 48
  }

  /// Copies libav's messages up to `verbosity` to standard error, without passwords and control characters; without this call,
  /// none. Process-wide.
  package static func echoMessages(_ verbosity: Verbosity) {
    _ = recordsMessages
    CVStreamLibAV_keepMessages(verbosity.rawValue) { line in
      guard let line else { return }
      StandardError.write(LibAVCode.shown(String(cString: line)).printable)
    }
  }

  /// Installs the callback that records libav's messages for our errors, when it is first read.
  static let recordsMessages: Void = CVStreamLibAV_keepMessages(Verbosity.quiet.rawValue, nil)

  /// The number of processors that this process may run on: with `taskset` or in a container perhaps fewer than the
  /// machine has.
  package static var processorCount: Int {
    _ = recordsMessages
    return max(1, Int(av_cpu_count()))
  }

  /// The versions of the loaded libraries, for example `libavformat 59.27.100`.
  package static var versions: [String] {
    [
      ("libavformat", avformat_version()), ("libavcodec", avcodec_version()), ("libavutil", avutil_version()),
      ("libswscale", swscale_version()),
    ].map { name, version in "\(name) \(version >> 16).\(version >> 8 & 255).\(version & 255)" }
  }
}

/// Runs `body` with a libav dictionary of `options`, from which libav's functions remove the applied ones.
///
/// - Returns: The result of `body`, and the names of the unused options.
func withDictionary<R, Failure: Error>(
  _ options: [(key: String, value: String)], _ body: (UnsafeMutablePointer<OpaquePointer?>) throws(Failure) -> R
) throws(Failure) -> (result: R, unused: [String]) {
  var dictionary: OpaquePointer?
  defer { av_dict_free(&dictionary) }
  for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
  let result = try body(&dictionary)
  return (result, entries(of: dictionary).map(\.key))
}

/// The entries of a libav dictionary in their order; empty for `nil`.
func entries(of dictionary: OpaquePointer?) -> [(key: String, value: String)] {
  var result: [(key: String, value: String)] = []
  var entry = av_dict_get(dictionary, "", nil, AV_DICT_IGNORE_SUFFIX)
  while let found = entry {
    result.append((String(cString: found.pointee.key), String(cString: found.pointee.value)))
    entry = av_dict_get(dictionary, "", found, AV_DICT_IGNORE_SUFFIX)
  }
  return result
}

extension [String: String] {
  /// The entries of a libav dictionary; of entries with one name, the last.
  init(_ dictionary: OpaquePointer?) {
    self.init(entries(of: dictionary).map { ($0.key, $0.value) }) { $1 }
  }
}

extension Rational {
  init?(_ rational: AVRational) { self.init(rational.num, rational.den) }
  var av: AVRational { AVRational(num: numerator, den: denominator) }

  /// A time in ticks of this base, rounded to nearest and limited so that another time can be added.
  func ticks(seconds: Double) -> Int64 {
    let ticks = (seconds / value).rounded()
    if abs(ticks) < 9e18 { return Int64(ticks) }
    return ticks < 0 ? Int64.min / 2 : Int64.max / 2
  }

  /// The last tick of this base that is not after a time; a difference by rounding does not count.
  func ticks(atOrBefore seconds: Double) -> Int64 {
    let nearest = ticks(seconds: seconds)
    return Double(nearest) * value > seconds + 1e-6 ? nearest - 1 : nearest
  }
}

extension Int64 {
  /// The sum of two times in ticks, which a file may set to any value: saturated, and never `Int64.min`, which is
  /// libav's value for an unset time.
  func limitedSum(_ other: Int64) -> Int64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? (other > 0 ? Int64.max : -Int64.max) : Swift.max(sum, -Int64.max)
  }

  /// The difference of two times in ticks, saturated as `limitedSum`.
  func limitedDifference(_ other: Int64) -> Int64 { limitedSum(other == Int64.min ? Int64.max : -other) }
}

extension Time {
  /// The moment in ticks of another base, rounded to nearest.
  package func rescaled(to other: Rational) -> Time {
    Time(ticks: av_rescale_q(ticks, base.av, other.av), base: other)
  }
}

extension UnsafePointer<AVOutputFormat> {
  /// FFmpeg's name of the format.
  var name: String { String(cString: pointee.name) }
}

extension UnsafePointer<AVFormatContext> {
  /// FFmpeg's name of an output's format.
  var formatName: String { String(cString: pointee.oformat.pointee.name) }
}

extension UnsafeMutablePointer<AVFormatContext> {
  /// FFmpeg's name of an output's format.
  var formatName: String { UnsafePointer(self).formatName }

  /// The streams, in their order.
  var streams: [UnsafeMutablePointer<AVStream>] { (0..<Int(pointee.nb_streams)).compactMap { pointee.streams[$0] } }

  /// The codec parameters of the streams, in their order.
  var codecs: [AVCodecParameters] { streams.map(\.pointee.codecpar.pointee) }
}

extension AVFormatContext {
  /// FFmpeg's name of an input's format; of frames that a program makes `frames`.
  var inputFormatName: String { iformat.map { String(cString: $0.pointee.name) } ?? "frames" }
}
