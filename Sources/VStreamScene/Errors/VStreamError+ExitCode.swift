extension VStreamError {
  /// The exit code of a program that ends with this error, part of the command-line contract.
  public var exitCode: Int32 {
    switch code {
    case .closedByReader: 0
    case .usage: 64
    case .unreadableInput: 65
    case .inputNotFound, .inputDenied: 66
    case .missingDependency: 69
    case .cannotCreateOutput: 73
    default: 74
    }
  }
}
