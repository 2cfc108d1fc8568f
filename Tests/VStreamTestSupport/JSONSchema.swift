import Foundation

/// A JSON Schema, as far as the project's own uses the language (draft 2020-12). Keywords that are not known are errors of the
/// schema, so that none is ignored.
public struct JSONSchema: Sendable {
  private let root: JSONValue

  private static let annotations: Set = ["$schema", "$defs", "title", "description"]

  public init(_ text: String) throws { root = try JSONValue(json: text) }

  /// What is wrong with a value, each with its path; empty for a valid one.
  public func errors(in value: JSONValue) -> [String] { errors(of: value, against: root, at: "") }

  /// The names of all properties that it describes.
  public var propertyNames: Set<String> {
    func names(_ schema: JSONValue) -> Set<String> {
      if let list = schema.list { return list.reduce(into: []) { $0.formUnion(names($1)) } }
      let members = schema.members ?? [:]
      let own = Set(members["properties"]?.members?.keys.map(\.self) ?? [])
      return members.values.reduce(into: own) { $0.formUnion(names($1)) }
    }
    return names(root)
  }

  private func errors(of value: JSONValue, against schema: JSONValue, at path: String) -> [String] {
    (schema.members ?? [:]).sorted { $0.key < $1.key }.flatMap { keyword, rule in
      Self.annotations.contains(keyword) ? [] : errors(of: value, keyword, rule, schema, at: path)
    }
  }

  private func errors(
    of value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONValue, at path: String
  ) -> [String] {
    func error(_ problem: String, unless isValid: Bool) -> [String] { isValid ? [] : ["\(path): \(problem)"] }
    switch keyword {
    case "$ref": return errors(of: value, against: definition(rule.text ?? ""), at: path)
    case "oneOf": return branchErrors(of: value, rule.list ?? [], at: path)
    case "type": return error("is not \(rule)", unless: Self.isType(rule.text ?? "", value))
    case "const": return error("is not \(rule)", unless: value == rule)
    case "enum": return error("is not one of \(rule)", unless: rule.list?.contains(value) == true)
    case "pattern":
      return error(
        "does not match \(rule)", unless: value.text?.range(of: rule.text ?? "", options: .regularExpression) != nil)
    case "minimum": return error("is below \(rule)", unless: (value.number ?? .infinity) >= (rule.number ?? 0))
    case "maximum": return error("is above \(rule)", unless: (value.number ?? 0) <= (rule.number ?? 0))
    case "minItems": return error("is too short", unless: Double(value.list?.count ?? .max) >= (rule.number ?? 0))
    case "maxItems": return error("is too long", unless: Double(value.list?.count ?? 0) <= (rule.number ?? 0))
    case "items":
      return (value.list ?? []).enumerated().flatMap { errors(of: $1, against: rule, at: "\(path)[\($0)]") }
    case "required":
      let names = rule.list?.compactMap(\.text) ?? []
      return names.filter { value.members?[$0] == nil }.map { "\(path): lacks \($0)" }
    case "properties":
      return (rule.members ?? [:]).flatMap { name, member in
        value[name].map { errors(of: $0, against: member, at: "\(path).\(name)") } ?? []
      }
    case "additionalProperties": return additionalErrors(of: value, rule, schema, at: path)
    default: return ["\(path): the schema has the unknown keyword \(keyword)"]
    }
  }

  private func additionalErrors(
    of value: JSONValue, _ rule: JSONValue, _ schema: JSONValue, at path: String
  ) -> [String] {
    let known = schema["properties"]?.members ?? [:]
    return (value.members ?? [:]).filter { known[$0.key] == nil }.flatMap { name, member in
      rule == .flag(false)
        ? ["\(path): has the unknown member \(name)"] : errors(of: member, against: rule, at: "\(path).\(name)")
    }
  }

  /// The errors of the branch that has the fewest, unless exactly one is valid.
  private func branchErrors(of value: JSONValue, _ branches: [JSONValue], at path: String) -> [String] {
    let found = branches.map { errors(of: value, against: $0, at: path) }
    let valid = found.count(where: \.isEmpty)
    if valid > 1 { return ["\(path): is valid in \(valid) ways"] }
    return found.min { $0.count < $1.count } ?? []
  }

  private func definition(_ reference: String) -> JSONValue {
    root["$defs"]?[String(reference.dropFirst("#/$defs/".count))] ?? .object(["missing": .text(reference)])
  }

  private static func isType(_ name: String, _ value: JSONValue) -> Bool {
    switch (name, value) {
    case ("object", .object), ("array", .list), ("string", .text), ("number", .number), ("boolean", .flag): true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }
}
