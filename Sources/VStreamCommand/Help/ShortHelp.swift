internal import ArgumentParser
internal import VStreamCore

/// The help screen that fits a terminal: examples, the options that are used most, and where the rest is.
///
/// Lines have at most 80 characters.
enum ShortHelp {
  static var text: String {
    """
    Detects and tracks objects, faces and poses in a video, and writes an annotated
    copy.

    Usage: vstream INPUT -o OUTPUT [options]
           vstream INPUT… --output-dir FOLDER [options]

    Examples:
    \(examples)

    Options:
      -o OUTPUT               a file, a URL, - for standard output, or null for none
      -y                      replace existing files
      --detect LIST           objects, faces, poses or none (default: objects,faces)
      --classes LIST          only these classes, for example person,car
      --min-score S           score that starts a track (default: usually 0.5)
      --accuracy A            fast, balanced (default) or accurate
      --object-model MODEL    a name of 'vstream models', or a file of your own
      --draw LIST             boxes, labels, ids, landmarks, … or none
      --redact STYLE          mosaic, blur or fill what --redact-what names (faces)
      --verify                search the output for what should be redacted
      --records FILE          what was found: .jsonl, .csv, .txt, .vtt, .json, …
      --zone, --line          count objects in a polygon, or that cross a line
      --start T, --duration T only this much of the input: seconds, or 1:23:45
      --codec C, --crf N      encoder and quality (default: libx264, 20)

    Commands:
    \(commands(indented: 23))

    'vstream --help full' lists all options, 'vstream COMMAND --help' a command's.
    """
  }

  /// Example commands with descriptions, also for the complete help.
  static let examples = [
    ("vstream in.mp4 -o out.mp4", "boxes, labels and IDs"),
    ("vstream in.mp4 -o null --records found.jsonl", "records, no video"),
    ("vstream in.mp4 -o people.mkv --classes person", "people only"),
    ("vstream in.mp4 -o safe.mp4 --redact mosaic", "faces unrecognisable"),
    ("vstream in.mp4 -o poses.mp4 --detect poses", "skeletons"),
    ("vstream /dev/video0 -o - | ffplay -", "a camera, live"),
  ].map { command, meaning in "  \(padded(command, to: 48)) \(meaning)" }.joined(separator: "\n")

  /// The subcommands, each with the first clause of its description.
  ///
  /// - Parameter width: of the column of names.
  static func commands(indented width: Int) -> String {
    VStreamCommand.shownCommands.map {
      let clause = $0.configuration.abstract.prefix { !":;.".contains($0) }
      return "  \(padded($0._commandName, to: width)) \(clause.prefix(1).lowercased())\(clause.dropFirst())"
    }.joined(separator: "\n")
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

/// A request for the help of the default command, which has two screens; that of other commands is the parser's.
enum HelpRequest {
  case short
  case full
  /// `--help bench`, which the parser would take for the help of the default command.
  case command(any ParsableCommand.Type)

  /// The words that request all options, after `--help`, `-h` or `help`.
  private static let wordsForAll: Set = ["full", "all", "long"]

  /// - Parameters:
  ///   - arguments: of the process.
  ///   - commands: the names of the subcommands.
  /// - Returns: `nil` if the arguments request no help, or that of a subcommand.
  init?(_ arguments: [String], commands: [String] = VStreamCommand.commandNames) {
    let words = arguments.prefix { $0 != "--" }
    guard let first = arguments.first else {
      self = .short
      return
    }
    if commands.contains(first), first != AnnotateCommand.name { return nil }
    if words.contains(where: { ["--help-full", "--help-all", "--help=full", "--help=all"].contains($0) }) {
      self = .full
      return
    }
    // The parser knows the subcommands of subcommands.
    if first == "help", let next = words.dropFirst().first, commands.contains(next) { return nil }
    let index = first == "help" ? 0 : words.firstIndex { ["--help", "-h"].contains($0) }
    guard let index else { return nil }
    let next = words.dropFirst(index + 1).first
    if let next, let command = VStreamCommand.shownCommands.first(where: { $0._commandName == next }) {
      self = .command(command)
      return
    }
    self = next.map(Self.wordsForAll.contains) == true ? .full : .short
  }

  /// The screen.
  var text: String {
    switch self {
    case .short: ShortHelp.text
    case .command(let command): VStreamCommand.helpMessage(for: command)
    case .full: VStreamCommand.helpMessage(for: AnnotateCommand.self)
    }
  }
}
