internal import VStreamCore

/// An option, and whether a command line has it.
struct GivenOption: Sendable {
  let name: String
  private let given: @Sendable (AnnotateCommand) -> String?

  /// - Parameter given: the option's value, empty for a flag; `nil` if it is not given.
  init(_ name: String, _ given: @escaping @Sendable (AnnotateCommand) -> String?) {
    self.name = name
    self.given = given
  }

  init(_ name: String, _ path: any KeyPath<AnnotateCommand, String?> & Sendable) {
    self.init(name) { $0[keyPath: path] }
  }

  init(_ name: String, _ path: any KeyPath<AnnotateCommand, Bool> & Sendable) {
    self.init(name) { $0[keyPath: path] ? "" : nil }
  }

  /// The option's value, empty for a flag; `nil` if it is not given.
  func value(in command: AnnotateCommand) -> String? { given(command) }
}

/// One option excludes or requires another.
struct OptionRule: Sendable {
  enum Relation: Sendable {
    case excludes
    case requires
  }

  let option: GivenOption
  let relation: Relation
  let other: GivenOption
  private let problem: String
  private let remedy: String

  /// `option` and `other` cannot be combined.
  static func excludes(_ option: GivenOption, _ other: GivenOption, _ problem: String, remedy: String) -> OptionRule {
    OptionRule(option: option, relation: .excludes, other: other, problem: problem, remedy: remedy)
  }

  /// `option` has no effect without `other`.
  static func requires(_ option: GivenOption, _ other: GivenOption, _ problem: String, remedy: String) -> OptionRule {
    OptionRule(option: option, relation: .requires, other: other, problem: problem, remedy: remedy)
  }

  /// - Throws: `VStreamError.usage` if a command line breaks the rule.
  func check(_ command: AnnotateCommand) throws(VStreamError) {
    guard let value = option.value(in: command) else { return }
    let hasOther = other.value(in: command) != nil
    if hasOther == (relation == .excludes) { throw usageError(option.name, value, problem, remedy: remedy) }
  }
}
