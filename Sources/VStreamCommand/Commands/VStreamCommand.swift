internal import ArgumentParser
internal import VStreamCore
internal import VStreamReporting
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The root of the command line.
struct VStreamCommand: ParsableCommand {
  static let abstract = "Detects and tracks objects, faces and poses in a video, and writes an annotated copy."

  static let configuration = CommandConfiguration(
    commandName: "vstream", abstract: abstract, version: "vstream \(Version.number)",
    subcommands: [AnnotateCommand.self] + others, defaultSubcommand: AnnotateCommand.self)

  /// The subcommands beside the default one.
  private static let others: [any ParsableCommand.Type] = [
    TrackCommand.self, SplitCommand.self, JoinCommand.self, BenchCommand.self, ServeCommand.self, ModelsCommand.self,
    SchemaCommand.self,
    DoctorCommand.self,
  ]

  /// The names of the subcommands.
  static var commandNames: [String] { [AnnotateCommand.name] + others.map { $0._commandName } }

  /// The subcommands that the help lists; it includes the default one's help.
  static var shownCommands: [any ParsableCommand.Type] { others.filter { $0.configuration.shouldDisplay } }
}

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the JSON Schema of records in JSON lines.",
    discussion: "Every line of records validates against it.")

  func run() throws {
    let output = try TextFile(creating: "-", overwrite: true)
    try output.write(Array(RecordSchema.text.utf8))
    try output.close()
  }
}

/// Starts `vstream-serve`, the program beside this one, in place of this process; all arguments are its own.
struct ServeCommand: ParsableCommand {
  static let name = "serve"
  static let program = "vstream-serve"

  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Runs many cameras in one process, with a live page.",
    discussion: "'vstream serve --help' lists the options of \(program), which this command starts.")

  @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Of \(program).", valueName: "arguments"))
  var arguments: [String] = []

  /// Starts the program if the process's arguments call `serve`; the parser here would take them for its own.
  ///
  /// - Throws: `VStreamError.missingDependency` if there is no such program.
  static func startIfRequested(_ arguments: [String]) throws(VStreamError) {
    let isHelp = arguments.count == 2 && ["help", "--help", "-h"].contains(arguments[0]) && arguments[1] == name
    if isHelp { try start(["--help"]) }
    guard arguments.first == name else { return }
    try start(Array(arguments.dropFirst()))
  }

  func run() throws { try Self.start(arguments) }

  private static func start(_ arguments: [String]) throws(VStreamError) {
    let path = "\(Installation.programFolder)/\(program)"
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    execv(path, &words)
    // Only a failure returns.
    let reason = String(cString: strerror(errno))
    for word in words { free(word) }
    throw VStreamError(
      .missingDependency, "'\(path)' cannot be started: \(reason)", subject: path,
      remedy: "'scripts/vstream serve' builds it in a checkout, and scripts/install installs it")
  }
}
