/// An option that names a file or folder.
///
/// Batches give each input files of its own by these options; a run checks by them that it overwrites nothing that it reads.
struct FileOption {
  enum Use {
    case read
    /// Records, statistics or a receipt.
    case writtenText
    case writtenVideo
    case writtenFolder
  }

  let name: String
  let use: Use
  private let read: (AnnotateCommand) -> [String]
  private let change: (inout AnnotateCommand, (String) -> String) -> Void

  init(_ name: String, _ path: WritableKeyPath<AnnotateCommand, String?>, use: Use = .writtenText) {
    self.name = name
    self.use = use
    read = { [$0[keyPath: path]].compactMap(\.self) }
    change = { command, renamed in command[keyPath: path] = command[keyPath: path].map(renamed) }
  }

  init(_ name: String, _ path: WritableKeyPath<AnnotateCommand, [String]>) {
    self.name = name
    use = .writtenText
    read = { $0[keyPath: path] }
    change = { command, renamed in command[keyPath: path] = command[keyPath: path].map(renamed) }
  }

  /// The names that a command line gives.
  func names(in command: AnnotateCommand) -> [String] { read(command) }

  /// Replaces each name by what `renamed` makes of it.
  func rename(in command: inout AnnotateCommand, _ renamed: (String) -> String) { change(&command, renamed) }
}
