/// Why something failed: what, on what, and what to do about it.
///
/// An error is made of facts. `setting`, `value`, `limits`, `alternatives` and `conflicting` describe a setting that is wrong;
/// `subject` is the file, URL, device or model that failed. `problem` and `remedy` hold the sentence, in which settings are
/// references; the command shows it with its options, the library with its properties. Modules never write the name of an option.
///
/// The common failures of settings have a factory, which words them:
///
///     throw VStreamError.unknownValue("ultra", of: .preset, expected: "a preset of libx264", known: names)
///     throw VStreamError.outOfRange(60, of: .crf, limits: 0...51, for: "libx264")
///     throw VStreamError.unsupported(.preset, "fast", by: "ffv1")
///     throw VStreamError.conflict(.crf, "20", with: .bitrate)
///
/// All others are a sentence with their facts. `\(.setting)` refers to a setting, `\(.setting, value)` to one with its value:
///
///     throw VStreamError(
///       .cannotCreateOutput, "'\(path)' already exists", subject: path, remedy: "\(.overwrite) replaces it")
public struct VStreamError: Error, Hashable, Sendable {
  /// The kind of failure. More may be added; compare with the static members.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// Its name, as below.
    public var description: String { name }

    /// A setting or argument is invalid; nothing was read or written.
    public static let usage = Code("usage")
    /// The input is not media that can be read, or none of its frames can be decoded.
    public static let unreadableInput = Code("unreadableInput")
    /// The input does not exist.
    public static let inputNotFound = Code("inputNotFound")
    /// The input's server rejects the user and password.
    public static let inputDenied = Code("inputDenied")
    /// A required library or model is missing.
    public static let missingDependency = Code("missingDependency")
    /// The output already exists or cannot be created.
    public static let cannotCreateOutput = Code("cannotCreateOutput")
    /// Reading or writing failed part way.
    public static let inputOutput = Code("inputOutput")
    /// The reader of standard output closed it, which is how a reader ends early on purpose.
    public static let closedByReader = Code("closedByReader")
    /// A library failed in a way that has no better name.
    public static let library = Code("library")
  }

  /// The kind of failure.
  public var code: Code
  /// One line without a full stop: what failed, and on what.
  public var problem: Message
  /// One line: what to do about it; empty if nothing can be said.
  public var advice: Message

  /// The setting that is wrong.
  public var setting: Setting?
  /// The value of `setting` that is wrong, as it was given.
  public var value: String?
  /// The values that `setting` can have, where they are a range.
  public var limits: ClosedRange<Double>?
  /// Values that `setting` could have instead, nearest first; empty where they are not listed.
  public var alternatives: [String] = []
  /// The setting that excludes `setting`.
  public var conflicting: Setting?
  /// The file, URL, device or model that failed.
  public var subject: String?

  public init(
    _ code: Code, _ problem: Message, setting: Setting? = nil, value: String? = nil, subject: String? = nil,
    remedy: Message = ""
  ) {
    self.code = code
    self.problem = problem
    advice = remedy
    self.setting = setting
    self.value = value
    self.subject = subject
  }

  /// Any error as one of ours: itself, if it is one.
  public init(any error: any Error) {
    self = error as? VStreamError ?? VStreamError(.library, Message(String(describing: error)))
  }
}

extension VStreamError: CustomStringConvertible {
  /// `problem` with settings by the names of the library's properties.
  public var message: String { problem.description }
  /// `advice` with settings by the names of the library's properties.
  public var remedy: String { advice.description }

  /// Problem and advice on one line, with settings by the names of the library's properties.
  public var description: String { text(naming: \.name) }

  /// Problem and advice on one line, with each setting by the name that `name` gives it.
  public func text(naming name: (Setting) -> String) -> String {
    (advice.isEmpty ? problem : "\(problem); \(advice)").text(naming: name)
  }
}
