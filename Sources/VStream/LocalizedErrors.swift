public import VStreamCore

public import protocol FoundationEssentials.LocalizedError

extension VStreamError: LocalizedError {
  /// Problem and remedy: what `localizedDescription` is.
  public var errorDescription: String? { description }
  /// The error of other code that led to this one; `nil` for none.
  public var failureReason: String? { cause.map { String(describing: $0) } }
  /// The remedy; `nil` if there is none.
  public var recoverySuggestion: String? { advice.isEmpty ? nil : remedy }
}
