internal import ArgumentParser
internal import VStreamDetection

extension CompletionKind {
  /// Words that depend on what is installed.
  static func words(_ words: @escaping @Sendable () -> [String]) -> CompletionKind { .custom { _, _, _ in words() } }

  /// The words of a list separated by commas, each behind those that are typed already.
  static func commaSeparated(_ words: @escaping @Sendable () -> [String]) -> CompletionKind {
    .custom { _, _, typed in
      let done = typed.lastIndex(of: ",").map { typed[...$0] } ?? ""
      return words().map { done + $0 }
    }
  }

  static var models: CompletionKind { .words { ModelCatalogue.all.map(\.name) } }
}
