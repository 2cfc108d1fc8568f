internal import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The server's messages on standard error, one line each, without credentials.
struct ServeLog: Sendable {
  let format: LogFormat
  /// Writes a line, with its line feed.
  var write: @Sendable (String) -> Void = { StandardError.write($0) }

  /// Logs a normal event.
  func note(_ text: String, camera: String? = nil) { log("info", text, camera) }

  /// Logs a problem for the user.
  func warn(_ text: String, camera: String? = nil) { log("warning", text, camera) }

  /// A message of a camera's run. Warnings begin with that word.
  func report(_ message: Message, camera: String) {
    let text = message.text(naming: \.configurationKey)
    guard text.hasPrefix(Self.warningPrefix) else { return note(text, camera: camera) }
    warn(String(text.dropFirst(Self.warningPrefix.count)), camera: camera)
  }

  private static let warningPrefix = "warning: "

  private func log(_ level: String, _ text: String, _ camera: String?) {
    let shown = ShownLocation.inText(text).printable.replacing("\n", with: "\\x0a")
    let time = UTCTime.now.text
    switch format {
    case .text:
      let source = camera.map { "\($0): " } ?? ""
      write("\(time) \(level == "info" ? "" : "\(level): ")\(source)\(shown)\n")
    case .json:
      let line = TextBuffer.json { json in
        json.add("time", time)
        json.add("level", level)
        if let camera { json.add("camera", camera) }
        json.add("message", shown)
      }
      write(line + "\n")
    }
  }
}

/// Seconds of the system's clock that never goes back.
enum MonotonicTime {
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// Seconds since 1970 of the calendar's clock, which may be set.
enum WallClock {
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// A moment of the calendar, in UTC.
struct UTCTime {
  private let parts: tm

  static var now: UTCTime { UTCTime(secondsSince1970: Int(WallClock.now)) }

  init(secondsSince1970 seconds: Int) {
    var (moment, parts) = (time_t(seconds), tm())
    gmtime_r(&moment, &parts)
    self.parts = parts
  }

  /// `2026-11-25`.
  var date: String {
    "\(1900 + Int(parts.tm_year))-\(Self.digits(parts.tm_mon + 1))-\(Self.digits(parts.tm_mday))"
  }

  /// `08-00-00`.
  var clock: String { [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.digits).joined(separator: "-") }

  /// The moment of a recording, in seconds since 1970, by the names of its folder and file: `2026-11-25`, `08-00-00.mp4`.
  ///
  /// - Returns: `nil` for other names.
  static func seconds(date: String, clock: String) -> Int? {
    guard let name = try? /(\d\d)-(\d\d)-(\d\d)(?:-\d+)?\.mp4/.wholeMatch(in: clock),
      let day = try? /(\d{4})-(\d\d)-(\d\d)/.wholeMatch(in: date)
    else { return nil }
    var parts = tm()
    let numbers = [day.1, day.2, day.3, name.1, name.2, name.3].compactMap { Int32($0) }
    guard numbers.count == 6 else { return nil }
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    return timegm(&parts)
  }

  /// `2026-11-25T08:00:00Z`.
  var text: String {
    "\(date)T\(Self.digits(parts.tm_hour)):\(Self.digits(parts.tm_min)):\(Self.digits(parts.tm_sec))Z"
  }

  private static func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
