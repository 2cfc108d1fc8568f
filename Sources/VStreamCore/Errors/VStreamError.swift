/// A failure: its kind, its subject and its remedy.
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
public struct VStreamError: Error, Sendable {
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
  /// One line without a full stop: the failure, and its subject.
  package var problem: Message
  /// One line: the remedy; empty if there is none.
  package var advice: Message

  /// The setting that is wrong.
  package var setting: Setting?
  /// The value of `setting` that is wrong, as it was given.
  package var value: String?
  /// The values that `setting` can have, where they are a range.
  package var limits: ClosedRange<Double>?
  /// Values that `setting` could have instead, nearest first; empty where they are not listed.
  package var alternatives: [String] = []
  /// The setting that excludes `setting`.
  package var conflicting: Setting?
  /// The file, URL, device or model that failed.
  public var subject: String?
  /// The error of other code that led to this one. Not compared.
  public var cause: (any Error)?
  /// Where in vstream's sources the failure was noticed. Not compared.
  public let location: SourceLocation

  /// A line of vstream's sources.
  public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// The module and the file: `VStreamMedia/MediaReader.swift`.
    public let file: String
    /// From 1.
    public let line: Int

    /// `VStreamMedia/MediaReader.swift:60`
    public var description: String { "\(file):\(line)" }
  }

  package init(
    _ code: Code, _ problem: Message, setting: Setting? = nil, value: String? = nil, subject: String? = nil,
    remedy: Message = "", cause: (any Error)? = nil, file: String = #fileID, line: Int = #line
  ) {
    self.cause = cause
    location = SourceLocation(file: file, line: line)
    self.code = code
    self.problem = problem
    advice = remedy
    self.setting = setting
    self.value = value
    self.subject = subject
  }

  /// Any error as one of ours: itself, if it is one.
  package init(any error: any Error) {
    self = error as? VStreamError ?? VStreamError(.library, Message(String(describing: error)), cause: error)
  }
}

extension VStreamError: Hashable {
  private var facts: [AnyHashable?] {
    [code, problem, advice, setting, value, limits, alternatives, conflicting, subject]
  }

  public static func == (one: VStreamError, other: VStreamError) -> Bool { one.facts == other.facts }
  public func hash(into hasher: inout Hasher) { hasher.combine(facts) }
}

extension VStreamError: CustomStringConvertible {
  /// `problem` with settings by the names of the library's properties.
  public var message: String { problem.description }
  /// `advice` with settings by the names of the library's properties.
  public var remedy: String { advice.description }

  /// Problem and advice on one line, with settings by the names of the library's properties.
  public var description: String { text(naming: \.name) }

  /// Problem and advice on one line, with each setting by the name that `name` gives it.
  package func text(naming name: (Setting) -> String) -> String {
    (advice.isEmpty ? problem : "\(problem); \(advice)").text(naming: name)
  }
}

/// The failures that many settings share, and their words. All have the code `usage`.
extension VStreamError {
  /// A value that the setting does not know: `'ultra' is not a preset of libx264 (--preset); use fast or slow`.
  ///
  /// - Parameters:
  ///   - expected: a noun for valid values, with its article: `a preset of libx264`.
  ///   - known: the values that it can have, to be listed; empty if there are too many.
  ///   - remedy: replaces the list of `known`.
  package static func unknownValue(
    _ value: String, of setting: Setting, expected: String, known: [String] = [], remedy: Message? = nil,
    file: String = #fileID, line: Int = #line
  ) -> VStreamError {
    var error = VStreamError(
      .usage, "'\(value)' is not \(expected) (\(setting))", setting: setting, value: value,
      remedy: remedy ?? (known.isEmpty ? "" : "use \(list(known))"), file: file, line: line)
    error.alternatives = known
    return error
  }

  /// A number outside the accepted range: `--crf 60 is out of range for libx264; use 0 to 51`.
  ///
  /// - Parameter user: the encoder or other part that has the range; empty if that is clear.
  package static func outOfRange(
    _ value: Double, of setting: Setting, limits: ClosedRange<Double>, for user: String = "", file: String = #fileID,
    line: Int = #line
  ) -> VStreamError {
    var error = VStreamError(
      .usage, "\(setting, number(value)) is out of range\(user.isEmpty ? "" : " for \(user)")", setting: setting,
      value: number(value), remedy: "use \(number(limits.lowerBound)) to \(number(limits.upperBound))", file: file,
      line: line)
    error.limits = limits
    return error
  }

  /// A setting that a part does not support: `ffv1 does not support --preset fast; omit --preset`.
  ///
  /// - Parameters:
  ///   - value: empty for a setting without a value.
  ///   - reason: why, if that helps.
  ///   - alternatives: the values that `user` supports, to be listed; with none of them the setting is to be omitted.
  package static func unsupported(
    _ setting: Setting, _ value: String, by user: String, reason: Message = "", alternatives: [String] = [],
    remedy: Message? = nil, file: String = #fileID, line: Int = #line
  ) -> VStreamError {
    var error = VStreamError(
      .usage, "\(user) does not support \(setting, value)\(reason.isEmpty ? "" : ": \(reason)" as Message)",
      setting: setting, value: value,
      remedy: remedy ?? (alternatives.isEmpty ? "omit \(setting)" : "use \(list(alternatives))"), file: file, line: line
    )
    error.alternatives = alternatives
    return error
  }

  /// Two settings that exclude each other: `--crf 20 cannot be combined with --bitrate; omit one of them`.
  ///
  /// - Parameters:
  ///   - values: the two settings'; empty for one without a value.
  ///   - reason: why, if that helps.
  package static func conflict(
    _ setting: Setting, _ value: String = "", with other: Setting, _ otherValue: String = "", reason: Message = "",
    remedy: Message = "omit one of them", file: String = #fileID, line: Int = #line
  ) -> VStreamError {
    var error = VStreamError(
      .usage,
      "\(setting, value) cannot be combined with \(other, otherValue)\(reason.isEmpty ? "" : ": \(reason)" as Message)",
      setting: setting, value: value, remedy: remedy, file: file, line: line)
    error.conflicting = other
    return error
  }

  /// More than one output: `one run writes one output, and 2 are given: a.mp4, b.mkv; write one, and copy…`.
  ///
  /// - Parameter cause: the outputs that were requested, as the end of a sentence.
  package static func severalOutputs(
    _ cause: Message, setting: Setting? = nil, value: String, file: String = #fileID, line: Int = #line
  ) -> VStreamError {
    VStreamError(
      .usage, "one run writes one output, and \(cause)", setting: setting, value: value,
      remedy: "write one, and copy its streams to the others with 'ffmpeg -i OUTPUT -map 0 -c copy OTHER'", file: file,
      line: line)
  }

  /// `a, b or c`.
  private static func list(_ values: [String]) -> String {
    guard let last = values.last, values.count > 1 else { return values.first ?? "" }
    return "\(values.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// A number without the `.0` of whole ones.
  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }
}

extension VStreamError {
  /// The exit code of a program that ends with this error, part of the command-line contract.
  package var exitCode: Int32 {
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
