internal import FoundationEssentials

extension DamagedRecord {
  /// - Parameter error: of decoding a line.
  init(_ error: any Error) {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context)?:
      self.init(Self.field(context.codingPath + [key]), "is missing")
    case .valueNotFound(_, let context)? where !context.codingPath.isEmpty:
      self.init(Self.field(context.codingPath), "is null")
    case .typeMismatch(let type, let context)? where !context.codingPath.isEmpty:
      self.init(Self.field(context.codingPath), "is not \(Self.name(of: type))")
    case .dataCorrupted(let context)? where !context.codingPath.isEmpty:
      self.init(Self.field(context.codingPath), "is not a valid value")
    default: self.init("it", "is not the JSON of a record")
    }
  }

  /// `objects[2].box`.
  private static func field(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { field, key in
      if let index = key.intValue {
        field += "[\(index)]"
      } else {
        field += field.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is Double.Type, is Int.Type, is Int64.Type: "a number"
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any Collection.Type where "\(type)".hasPrefix("Array"): "a list"
    default: "an object"
    }
  }
}
