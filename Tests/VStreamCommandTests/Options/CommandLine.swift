import VStreamPipeline

@testable import VStreamCommand
@testable import VStreamCore

/// A command line, parsed and applied without running the program.
struct CommandLineOptions {
  let command: AnnotateCommand

  /// - Parameter words: the options after `in.avi -o null`; a later `-o` replaces the output.
  init(_ words: [String]) throws {
    let output = words.contains("-o") ? [] : ["-o", "null"]
    command = try AnnotateCommand.parse(["in.avi"] + output + words)
  }

  /// The configuration that the groups make, without the checks of files.
  func configuration() throws -> PipelineConfiguration {
    let run = try RunContext(command)
    var configuration = PipelineConfiguration(input: run.input, fontPath: "", threads: 1)
    for group in command.groups { try group.apply(to: &configuration, run) }
    return configuration
  }

  /// The options that the groups record, as `name=value` words: those of the header, or of the receipt alone.
  func recorded(forReceipt: Bool = false) throws -> [String] {
    let run = try RunContext(command)
    return try command.groups.flatMap { try $0.recorded(run) }.filter { $0.isForReceipt == forReceipt }.map { option in
      switch option.value {
      case .text(let text): "\(option.name)=\(text)"
      case .number(let number): "\(option.name)=\(number)"
      case .integer(let number): "\(option.name)=\(number)"
      case .flag(let flag): "\(option.name)=\(flag)"
      case .list(let list): "\(option.name)=\(list.joined(separator: ","))"
      }
    }
  }

  /// The line that the command prints for the error of a wrong command line; `nil` if nothing is wrong.
  static func message(_ words: [String]) throws -> String? {
    do {
      _ = try CommandLineOptions(words).configuration()
      return nil
    } catch let error as VStreamError {
      return error.commandText
    }
  }
}
