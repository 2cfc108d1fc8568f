internal import VStreamDetection
internal import VStreamReporting

#if canImport(Glibc)
  internal import Glibc
#endif

/// The system's measurements of this process, and of all processes.
enum Machine {
  /// When the process started, on the system's clock; from `/proc/self/stat`, with a resolution of 0.01 s.
  static let processStart: Double = {
    guard let file = fopen("/proc/self/stat", "r") else { return SystemClock().now }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 2048)
    let count = fread(&bytes, 1, bytes.count, file)
    // The program's name is in parentheses and may contain spaces: fields are counted after it.
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 20, let ticks = Double(fields[20]) else { return SystemClock().now }
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }()

  /// The maximum resident size of the process.
  static func peakMemoryBytes() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }

  /// Seconds of processor time that this process has used.
  static func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// Seconds of processor time since an unspecified moment: of all processes; of this process only, if it uses fewer than all
  /// processors.
  static func busySeconds(processors: Int) -> Double {
    if processors >= sysconf(Int32(_SC_NPROCESSORS_ONLN)), let all = busySecondsOfAll() { return all }
    return processorSeconds()
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }

  /// From `/proc/stat`: user, nice, system, idle, waiting, interrupts, soft interrupts, stolen.
  private static func busySecondsOfAll() -> Double? {
    guard let file = fopen("/proc/stat", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = fread(&bytes, 1, bytes.count, file)
    let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
    let numbers = String(decoding: line, as: UTF8.self).split(separator: " ").dropFirst().prefix(8).compactMap {
      Double($0)
    }
    guard numbers.count == 8 else { return nil }
    return (numbers.reduce(0, +) - numbers[3] - numbers[4]) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

/// Measures the durations of one thread's stages.
final class StageTimer: StepTimer {
  private(set) var histograms: [Stage: DurationHistogram] = [:]

  func measure<R>(_ stage: Stage, _ body: () throws -> R) rethrows -> R {
    let start = SystemClock().now
    defer { histograms[stage, default: DurationHistogram()].add(SystemClock().now - start) }
    return try body()
  }

  func sampling<R>(_ body: () throws -> R) rethrows -> R { try measure(.sample, body) }
  func inferring<R>(_ body: () throws -> R) rethrows -> R { try measure(.infer, body) }
}
