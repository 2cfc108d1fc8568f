internal import ArgumentParser

struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models", abstract: "Lists, describes, checks, downloads and chooses models.",
    subcommands: [ListModels.self, DescribeModel.self, CheckModels.self, GetModel.self, UseModel.self],
    defaultSubcommand: ListModels.self)
}

/// Prints what is known of a model, the names in a column.
func printFacts(_ facts: [(name: String, value: String)]) {
  for (name, value) in facts {
    Terminal.printResult("  \(name)\(String(repeating: " ", count: max(1, 10 - name.count)))\(value)")
  }
}
