internal import VStreamScene

/// The reason why a line cannot be read.
struct LineError: Error, Hashable {
  /// Continues the sentence that starts with the line's number.
  var problem: String
}

/// The errors in a file's lines: the first one in full, some others by line number, and the number of the rest.
struct LineErrors {
  private var first: (line: Int, error: LineError)?
  private var others: [Int] = []
  private var count = 0
  private static let maximumListed = 4

  mutating func add(_ error: LineError, line: Int) {
    count += 1
    if first == nil {
      first = (line, error)
    } else if others.count < Self.maximumListed {
      others.append(line)
    }
  }

  /// - Throws: `VStreamError.unreadableInput` if there are errors.
  func check(name: String) throws(VStreamError) {
    guard let first else { return }
    var message = "'\(name)' line \(first.line): \(first.error.problem)"
    if !others.isEmpty {
      let rest = count - 1 - others.count
      message += ", and line\(others.count > 1 ? "s" : "") \(others.map(String.init).joined(separator: ", "))"
      message += rest > 0 ? " and \(rest) more cannot be read either" : " cannot be read either"
    }
    throw VStreamError(
      .unreadableInput, Message(message), subject: name,
      remedy: "write each line as frame,id,left,top,width,height,score with up to 3 more columns")
  }
}
