internal import FoundationEssentials
internal import VStreamScene

/// What is wrong with a line of records that cannot be decoded.
enum RecordDamage {
  /// The member and its problem: `objects[2].box does not have four numbers`.
  static func text(of error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context)?: "\(member(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context)? where !context.codingPath.isEmpty: "\(member(context.codingPath)) is null"
    case .typeMismatch(let type, let context)? where !context.codingPath.isEmpty:
      "\(member(context.codingPath)) is not \(name(of: type))"
    case .dataCorrupted(let context)? where !context.codingPath.isEmpty:
      "\(member(context.codingPath)) \(context.underlyingError as? InvalidValue, default: "is not a valid value")"
    default: "it is not the JSON of a record"
    }
  }

  /// `objects[2].box`.
  private static func member(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { member, key in
      if let index = key.intValue {
        member += "[\(index)]"
      } else {
        member += member.isEmpty ? key.stringValue : ".\(key.stringValue)"
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
