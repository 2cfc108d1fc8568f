internal import VStreamCore
internal import VStreamSystem
internal import Yams

/// A text with settings: a file, the body of a request, or an option of the command line.
struct ConfigurationText: Sendable {
  /// How messages refer to it: `'cameras.yaml'`.
  let name: String
  /// Whether its lines are of use to the reader.
  let hasLines: Bool
  /// The variables that `${NAME}` stands for; `nil` where texts are taken as they are.
  let variables: (@Sendable (String) -> String?)?

  /// Larger texts are refused.
  static let maximumBytes = 1 << 20

  /// The configuration of a file, with the environment's variables.
  static func file(_ path: String) -> ConfigurationText {
    ConfigurationText(name: "'\(path)'", hasLines: true, variables: Installation.environment)
  }

  /// The body of a request: it does not see the environment.
  static let request = ConfigurationText(name: "the request", hasLines: true, variables: nil)

  /// An option of the command line.
  static func option(_ name: String) -> ConfigurationText {
    ConfigurationText(name: name, hasLines: false, variables: nil)
  }

  /// Parses YAML, which includes JSON.
  ///
  /// - Throws: `VStreamError.usage` with the line of invalid YAML.
  func root(of text: String) throws(VStreamError) -> ConfigurationNode {
    guard text.utf8.count <= Self.maximumBytes else {
      throw fault("is longer than \(Self.maximumBytes >> 20) MB", line: nil, remedy: "it is probably another file")
    }
    do {
      guard let node = try Yams.compose(yaml: text) else {
        throw fault(
          "is empty", line: nil, remedy: "name the cameras: 'cameras: {front: {source: rtsp://front/stream}}'")
      }
      return ConfigurationNode(node, path: [], of: self)
    } catch let error as YamlError {
      throw fault(error)
    } catch {
      throw VStreamError(any: error)
    }
  }

  /// The error of a setting.
  ///
  /// - Parameter line: from 1; `nil` for the whole text.
  func fault(_ problem: String, line: Int?, remedy: String) -> VStreamError {
    let location = hasLines ? line.map { "\(name), line \($0): " } ?? "\(name) " : "\(name) "
    return VStreamError(.usage, Message("\(location)\(problem)"), remedy: Message(remedy))
  }

  private func fault(_ error: YamlError) -> VStreamError {
    let yaml = "indent by spaces, and quote texts that have ': ' or begin with one of * & % @ [ {"
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
      return fault("this is not YAML: \(problem)", line: mark.line, remedy: yaml)
    case .composer(_, let problem, let mark, _):
      return fault("this is not YAML: \(problem)", line: mark.line, remedy: yaml)
    case .duplicatedKeysInMapping(let duplicates, let context):
      return fault(
        "\(duplicates.map { "'\($0)'" }.joined(separator: ", ")) is there twice", line: context.mark.line,
        remedy: "remove one of them")
    default: return fault("is not YAML", line: nil, remedy: yaml)
    }
  }
}

/// A value of a configuration, which knows where it is for the messages about it.
struct ConfigurationNode {
  private let node: Node
  /// The keys that lead to it: `cameras`, `front`, `weight`.
  let path: [String]
  private let text: ConfigurationText
  /// The line of its key, from 1; `nil` for the elements of a list.
  private let keyLine: Int?

  init(_ node: Node, path: [String], of text: ConfigurationText, keyLine: Int? = nil) {
    self.node = node
    self.path = path
    self.text = text
    self.keyLine = keyLine
  }

  /// The value of an option.
  init(option name: String, _ value: String) {
    self.init(Node(value), path: [name], of: .option("--\(name)"))
  }

  /// A group of settings or a list starts where its key is.
  private var line: Int? {
    if case .scalar = node { return node.mark?.line ?? keyLine }
    return keyLine ?? node.mark?.line
  }

  /// The error of this value: `'cameras.yaml', line 7: weight: 'x' is not a number; give 0.01 to 100`.
  func fault(_ problem: String, remedy: String) -> VStreamError {
    let key = text.hasLines && !path.isEmpty ? "\(path.joined(separator: ".")): " : ""
    return text.fault("\(key)\(problem)", line: line, remedy: remedy)
  }

  func unknownKey(of known: [String]) -> VStreamError {
    text.fault(
      "there is no setting '\(path.joined(separator: "."))'", line: keyLine, remedy: Self.hint(path.last, known))
  }

  // MARK: Values

  /// A text, with the variables that it names.
  func string() throws(VStreamError) -> String {
    guard case .scalar(let scalar) = node else {
      throw fault("is \(kind), not a text", remedy: "write one value")
    }
    let value = try expanded(scalar.string)
    guard !value.isEmpty else { throw fault("has no value", remedy: "give it one, or remove the line") }
    return value
  }

  func number(in limits: ClosedRange<Double>) throws(VStreamError) -> Double {
    let value = try string()
    let remedy = "give \(limits.lowerBound.formatted(.shortest)) to \(limits.upperBound.formatted(.shortest))"
    guard let number = Double(value) else { throw fault("'\(value)' is not a number", remedy: remedy) }
    guard limits.contains(number) else { throw fault("\(value) is out of range", remedy: remedy) }
    return number
  }

  func integer(in limits: ClosedRange<Int>) throws(VStreamError) -> Int {
    let value = try string()
    guard let number = Int(value), limits.contains(number) else {
      throw fault(
        "'\(value)' is not a number of that kind", remedy: "give \(limits.lowerBound) to \(limits.upperBound)")
    }
    return number
  }

  func boolean() throws(VStreamError) -> Bool {
    switch try string() {
    case "true": true
    case "false": false
    case let value: throw fault("'\(value)' is neither true nor false", remedy: "give true or false")
    }
  }

  /// One of the values of an enumeration.
  func value<Value: RawRepresentable<String> & CaseIterable>(_ type: Value.Type) throws(VStreamError) -> Value {
    let value = try string()
    if let known = Value(rawValue: value) { return known }
    throw unknown(value, of: Value.allCases.map(\.rawValue))
  }

  /// A list: of YAML, or a text with commas as an option has it.
  func list() throws(VStreamError) -> [ConfigurationNode] {
    switch node {
    case .sequence(let sequence):
      return sequence.map { ConfigurationNode($0, path: path, of: text) }
    case .scalar(let scalar):
      let parts = scalar.string.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
      guard !parts.isEmpty else { throw fault("is empty", remedy: "name one or more, or remove the line") }
      return parts.map { part in
        ConfigurationNode(.scalar(Node.Scalar(part, scalar.tag, scalar.style, scalar.mark)), path: path, of: text)
      }
    default: throw fault("is \(kind), not a list", remedy: "write [a, b]")
    }
  }

  /// The elements of a list of YAML.
  func elements() throws(VStreamError) -> [ConfigurationNode] {
    guard case .sequence(let sequence) = node else { throw fault("is \(kind), not a list", remedy: "write [a, b]") }
    return sequence.map { ConfigurationNode($0, path: path, of: text) }
  }

  /// The entries of a mapping, in the order of the text.
  func entries() throws(VStreamError) -> [(key: String, value: ConfigurationNode)] {
    guard case .mapping(let mapping) = node else {
      throw fault("is \(kind), not settings", remedy: "write 'key: value' lines, indented below it")
    }
    var entries: [(key: String, value: ConfigurationNode)] = []
    for (key, value) in mapping {
      guard case .scalar(let name) = key else { throw fault("has a key that is no text", remedy: "write 'key: value'") }
      let entry = ConfigurationNode(value, path: path + [name.string], of: text, keyLine: key.mark?.line)
      entries.append((name.string, entry))
    }
    return entries
  }

  /// The error of an unknown key or value, with similar known ones.
  func unknown(_ value: String, of known: [String]) -> VStreamError {
    fault("'\(value)' is not known", remedy: Self.hint(value, known))
  }

  private static func hint(_ value: String?, _ known: [String]) -> String {
    let similar = SimilarNames.of(value ?? "", in: known)
    return similar.isEmpty
      ? "use \(known.joined(separator: ", "))" : "did you mean \(similar.joined(separator: " or "))?"
  }

  private var kind: String {
    switch node {
    case .scalar: "one value"
    case .mapping: "a group of settings"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }

  /// The text with the values of `${NAME}`; `$$` is a dollar sign.
  private func expanded(_ string: String) throws(VStreamError) -> String {
    guard let variables = text.variables else { return string }
    var (result, rest) = ("", string[...])
    while let match = rest.firstMatch(of: /\$(?:\$|\{([^}]*)(\})?)/) {
      result += rest[..<match.range.lowerBound]
      rest = rest[match.range.upperBound...]
      guard let name = match.1 else {
        result += "$"
        continue
      }
      guard match.2 != nil else { throw fault("'${' has no '}'", remedy: "write ${NAME}, or $$ for a dollar sign") }
      guard let value = variables(String(name)) else {
        throw fault("the environment has no variable '\(name)'", remedy: "set it before the program is started")
      }
      result += value
    }
    return result + rest
  }
}
