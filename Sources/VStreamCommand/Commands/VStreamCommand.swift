internal import ArgumentParser

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

  /// The subcommands that the help lists, of which the default one's is part.
  static var shownCommands: [any ParsableCommand.Type] { others.filter { $0.configuration.shouldDisplay } }
}
