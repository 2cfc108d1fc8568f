internal import ArgumentParser
internal import VStreamCore
internal import VStreamPipeline

struct RunningOptionGroup: ParsableArguments {
  enum Progress: String, ExpressibleByArgument, CaseIterable {
    case auto
    case always
    case never
  }

  enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case error
    case warning
    case info
    case debug
  }

  @Option(help: ArgumentHelp("Number of threads. (default: number of processors)", valueName: "n"))
  var threads: Int?

  @Option(help: ArgumentHelp("Show progress; auto: on a terminal.", valueName: "when"))
  var progress = Progress.auto

  @Option(help: ArgumentHelp("Print the status as a line of JSON at this interval.", valueName: "seconds"))
  var statsEvery: Double?

  @Flag(help: "Print errors only.")
  var quiet = false

  @Flag(help: "Print more: stage times and FFmpeg's messages.")
  var verbose = false

  @Option(help: ArgumentHelp("The messages to print.", valueName: "level"))
  var logLevel: LogLevel?

  /// `--quiet` and `--verbose` are short for levels.
  var level: LogLevel { logLevel ?? (quiet ? .error : verbose ? .info : .warning) }

  func threadCount() throws(VStreamError) -> Int? {
    guard let threads else { return nil }
    let limit = PipelineConfiguration.maximumThreads
    guard (1...limit).contains(threads) else {
      throw usageError(
        "--threads", "\(threads)", "is not a number of threads for this machine",
        remedy: "give 1 to \(limit)")
    }
    return threads
  }

  /// Seconds from one status line to the next; `nil` for none.
  func statusInterval() throws(VStreamError) -> Double? {
    if let statsEvery, !(statsEvery > 0 && statsEvery < 1e9) {
      throw usageError("--stats-every", "\(statsEvery)", "is not a time", remedy: "give more than 0 seconds")
    }
    return statsEvery
  }
}
