internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamSystem

/// Names of subcommands that were probably meant.
enum Misspelling {
  /// - Parameter arguments: of the process.
  /// - Throws: `VStreamError` for a first argument that is like the name of a subcommand, and no file: `usage`, or
  ///   `inputNotFound` if an output is given, as it may be an input.
  static func check(_ arguments: [String]) throws(VStreamError) {
    guard let word = arguments.first, !word.hasPrefix("-"), !word.contains("."), !word.contains("/"),
      !(VStreamCommand.commandNames + ["help"]).contains(word), !MediaInput(word).isURL, !FileCheck.exists(word)
    else { return }
    let names = VStreamCommand.shownCommands.map { $0._commandName } + ["help"]
    guard let suggestion = suggestion(for: word, in: names) else { return }
    let hasOutput = arguments.contains { ["-o", "--output", "--output-dir"].contains($0) }
    throw VStreamError(
      hasOutput ? .inputNotFound : .usage, "'\(word)' is neither a command nor a file", value: word,
      remedy: "\(suggestion) ('vstream --help' lists the commands)")
  }

  /// The error of a word after a command that has subcommands: `models lst`.
  ///
  /// - Returns: `nil` if the first argument is not such a command, or the second a subcommand or an option.
  static func subcommandProblem(_ arguments: [String]) -> String? {
    guard let parent = arguments.first, let word = arguments.dropFirst().first, !word.hasPrefix("-"),
      let command = VStreamCommand.configuration.subcommands.first(where: { $0._commandName == parent })
    else { return nil }
    let names = command.configuration.subcommands.map { $0._commandName }
    guard !names.isEmpty, !names.contains(word) else { return nil }
    let hint =
      suggestion(for: word, in: names) ?? "use \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
    return "'\(parent) \(word)': there is no such command; \(hint)"
  }

  /// `did you mean 'bench'?`; `nil` if no name is like the word.
  static func suggestion(for word: String, in names: [String]) -> String? {
    let similar = SimilarNames.of(word, in: names)
    return similar.isEmpty ? nil : "did you mean \(similar.joined(separator: " or "))?"
  }
}
