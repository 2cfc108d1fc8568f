internal import VStreamScene
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

  /// Parses YAML, of which JSON is a part.
  ///
  /// - Throws: `VStreamError.usage` with the line of what is no YAML.
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
