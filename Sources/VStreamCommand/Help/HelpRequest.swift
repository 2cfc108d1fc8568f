internal import ArgumentParser
internal import VStreamCore

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
