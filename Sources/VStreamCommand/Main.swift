internal import ArgumentParser
internal import CVStreamMemory
internal import VStreamCore
internal import VStreamPipeline

#if canImport(Glibc)
  internal import Glibc
#endif

@main
enum Main {
  static func main() {
    // A closed pipe fails the write, instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    // A file opened later must not get the descriptor of a closed standard stream, and the messages written to it.
    for descriptor in 0...2 where fcntl(Int32(descriptor), F_GETFD) == -1 { _ = open("/dev/null", O_RDWR) }
    CVStreamMemory_limitArenas(Int32(max(2, PipelineConfiguration.processorCount)))
    setenv("SVT_LOG", "0", 0)  // SVT-AV1 prints its version otherwise
    do {
      try run(ArgumentText.ofProcess())
    } catch let error as VStreamError {
      if error.code != .closedByReader { Terminal.printLine("vstream: \(error.commandText)") }
      exit(ExitStatus.code(for: error))
    } catch let code as ExitCode {
      exit(code.rawValue)
    } catch {
      end(parsing: error)
    }
  }

  private static func run(_ arguments: [String]) throws {
    if arguments == ["--version"] {
      print(Version.text)
      exit(ExitStatus.success)
    }
    try ServeCommand.startIfRequested(arguments)
    if let help = HelpRequest(arguments) {
      print(help.text)
      exit(ExitStatus.success)
    }
    try Misspelling.check(arguments)
    var command = try VStreamCommand.parseAsRoot(ArgumentText.prepared(arguments))
    try command.run()
  }

  /// Prints help to standard output, or the arguments' error to standard error, on one line.
  private static func end(parsing error: any Error) -> Never {
    guard let problem = ArgumentText.problem(error) else {
      print(VStreamCommand.fullMessage(for: error))
      exit(ExitStatus.success)
    }
    let text = Misspelling.subcommandProblem(Array(CommandLine.arguments.dropFirst())) ?? problem
    Terminal.printLine("vstream: \(text) ('vstream --help full' lists the options)")
    exit(ExitStatus.usage)
  }
}
