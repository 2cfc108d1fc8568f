internal import ArgumentParser

/// The root of the command line.
struct VStreamCommand: ParsableCommand {
  static let abstract = "Detects and tracks objects, faces and poses in a video, and writes an annotated copy."

  static let configuration = CommandConfiguration(
    commandName: "vstream", abstract: abstract, version: "vstream \(Version.number)",
    subcommands: [AnnotateCommand.self, TrackCommand.self, BenchCommand.self, ModelsCommand.self, SchemaCommand.self],
    defaultSubcommand: AnnotateCommand.self)
}
