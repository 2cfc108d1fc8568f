internal import CVStreamLibAV
internal import VStreamScene
internal import VStreamSystem

/// Process-wide settings and properties of FFmpeg's libraries.
public enum LibAV {
  /// The least severe of libav's messages that are written to standard error.
  public enum Verbosity: Int32, Sendable {
    case quiet = -8
    case error = 16
    case warning = 24
    case info = 32
    case debug = 48
  }

  /// Copies libav's messages up to `verbosity` to standard error, without passwords and control characters; without this call,
  /// none. Process-wide.
  public static func echoMessages(_ verbosity: Verbosity) {
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
  public static var processorCount: Int {
    _ = recordsMessages
    return max(1, Int(av_cpu_count()))
  }

  /// The versions of the loaded libraries, for example `libavformat 59.27.100`.
  public static var versions: [String] {
    [
      ("libavformat", avformat_version()), ("libavcodec", avcodec_version()), ("libavutil", avutil_version()),
      ("libswscale", swscale_version()),
    ].map { name, version in "\(name) \(version >> 16).\(version >> 8 & 255).\(version & 255)" }
  }
}
