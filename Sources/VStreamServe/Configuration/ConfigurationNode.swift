internal import VStreamScene
internal import VStreamSystem
internal import Yams

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

  /// The error of a key that is not known.
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

  /// The error of a key or value that is not known, with those that were probably meant.
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
    guard let variables = text.variables, string.contains("$") else { return string }
    var result = ""
    var rest = string[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      if rest.first == "$" {
        result += "$"
        rest = rest.dropFirst()
      } else if rest.first == "{" {
        guard let end = rest.firstIndex(of: "}") else {
          throw fault("'${' has no '}'", remedy: "write ${NAME}, or $$ for a dollar sign")
        }
        let name = String(rest[rest.index(after: rest.startIndex)..<end])
        guard let value = variables(name) else {
          throw fault("the environment has no variable '\(name)'", remedy: "set it before the program is started")
        }
        result += value
        rest = rest[rest.index(after: end)...]
      } else {
        result += "$"
      }
    }
    return result + rest
  }
}
