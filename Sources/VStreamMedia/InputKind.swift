/// The kind of place that media comes from.
public enum InputKind: String, Hashable, Sendable {
  case file
  case pipe
  case device
  case network
}

extension MediaInput {
  var kind: InputKind { isURL ? .network : location == "-" ? .pipe : .file }
}
