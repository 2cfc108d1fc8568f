/// Why something could not be done: what, where, and what to do about it.
public struct VStreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure. More may be added; compare with the static members.
  public struct Code: Hashable, Sendable {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// An option or argument cannot be meant; nothing was touched.
    public static let usage = Code("usage")
    /// The input is not media that can be read, or none of its frames can be decoded.
    public static let unreadableInput = Code("unreadableInput")
    /// The input does not exist.
    public static let inputNotFound = Code("inputNotFound")
    /// A library or model that is needed is not there.
    public static let missingDependency = Code("missingDependency")
    /// The output exists already or cannot be created.
    public static let cannotCreateOutput = Code("cannotCreateOutput")
    /// Reading or writing failed part way.
    public static let inputOutput = Code("inputOutput")
    /// Standard output's reader went away, which is how a reader says that it has seen enough.
    public static let closedByReader = Code("closedByReader")
    /// A library failed in a way that has no better name.
    public static let library = Code("library")
  }

  public var code: Code
  /// One line without a full stop: what failed and where, in the user's words.
  public var message: String
  /// One line: what to do about it; empty if there is nothing to say.
  public var remedy: String

  public init(_ code: Code, _ message: String, remedy: String = "") {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// Any error as one of ours: itself, if it is one.
  public init(any error: any Error) { self = error as? VStreamError ?? VStreamError(.library, "\(error)") }

  /// Message and remedy on one line.
  public var description: String {
    let text = remedy.isEmpty ? message : "\(message); \(remedy)"
    return String(text.map { $0.isNewline ? " " : $0 })
  }
}
