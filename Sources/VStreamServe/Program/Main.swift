internal import ArgumentParser
internal import CVStreamMemory
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

@main
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vstream serve",
    abstract: "Runs many cameras in one process and shows them on a live page.",
    usage: "vstream serve CONFIGURATION.yaml [options]\n       vstream serve SOURCE… [options]",
    discussion: "The page is at http://127.0.0.1:8480/ by default. docs/serve.md describes the configuration.",
    version: ProgramVersion.name)

  @OptionGroup var options: ServeOptions

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    CVStreamMemory_limitArenas(Int32(max(2, PipelineConfiguration.processorCount)))
    do {
      let command = try parse(Array(CommandLine.arguments.dropFirst()))
      try command.serve()
      Glibc.exit(command.options.check ? 0 : ServeSignals.exitCode)
    } catch let error as VStreamError {
      printLine("vstream: \(error.text(naming: \.configurationKey))")
      Glibc.exit(error.exitCode)
    } catch {
      end(parsing: error)
    }
  }

  private func serve() throws(VStreamError) {
    let configuration = try options.configuration()
    if options.check {
      try CameraDetectors.check(configuration)
      print(
        "\(configuration.cameras.count.counted("camera")): \(configuration.cameras.map(\.name).joined(separator: ", "))"
      )
      return
    }
    // The libraries' code and data are freed at an ordinary exit, which no thread may still use.
    if try !Server(options, configuration).run() { _exit(ServeSignals.exitCode) }
  }

  /// Prints help to standard output, or what is wrong with the arguments to standard error, on one line.
  private static func end(parsing error: any Error) -> Never {
    guard exitCode(for: error) != .success else {
      print(fullMessage(for: error))
      Glibc.exit(0)
    }
    let problem = message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
    printLine("vstream: \(problem) ('vstream serve --help' lists the options)")
    Glibc.exit(VStreamError(.usage, "").exitCode)
  }

  private static func printLine(_ text: String) {
    StandardError.write("\(ShownLocation.inText(text).printable.replacing("\n", with: "\\x0a"))\n")
  }
}

extension Setting {
  /// The key of the configuration, `object-model` for `objectModel`.
  var configurationKey: String {
    if self == .objectModel { return "object-model" }
    return name.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
  }
}
