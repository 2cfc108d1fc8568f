internal import ArgumentParser

struct BatchOptionGroup: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Folder for the outputs of several inputs, each under its input's name; created if it is missing.",
      valueName: "folder"), completion: .directory)
  var outputDir: String?

  @Option(
    help: ArgumentHelp(
      "File that lists inputs, one on each line, or - for standard input; empty lines and lines that start with # are "
        + "ignored.", valueName: "file"), completion: .file())
  var list: String?

  @Flag(help: "Skip inputs whose output already exists; unfinished outputs are replaced.")
  var resume = false

  static let all = [
    GivenOption("--list", \.batch.list), GivenOption("--output-dir", \.batch.outputDir),
    GivenOption("--resume", \.batch.resume),
  ]
}
