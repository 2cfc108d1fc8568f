/// Why a value that has the right type cannot be decoded. The underlying error of a `DecodingError`.
public struct InvalidValue: Error, CustomStringConvertible {
  /// Continues a sentence that starts with the member: `does not have four numbers`.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension DecodingError {
  /// - Parameter problem: continues a sentence that starts with the last member of `path`.
  static func invalid(_ path: [any CodingKey], _ problem: String) -> DecodingError {
    dataCorrupted(Context(codingPath: path, debugDescription: problem, underlyingError: InvalidValue(problem)))
  }
}

/// Numbers of observations are pixels, scores or angles: far below this, which is small enough to be written again.
private let maximumNumber = 1e9

extension Double {
  func checked(_ path: [any CodingKey]) throws -> Double {
    guard magnitude <= maximumNumber else { throw DecodingError.invalid(path, "is out of range: \(self)") }
    return self
  }
}

/// An integer, whose decoding names the member if a number has decimals or is too large.
package struct WholeNumber<Value: FixedWidthInteger & Decodable & Sendable>: Decodable, Sendable {
  package let value: Value

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      value = try container.decode(Value.self)
    } catch {
      // Decoders do not say of which member this is. What is no number at all is reported as that.
      _ = try container.decode(Double.self)
      throw DecodingError.invalid(decoder.codingPath, "is not a whole number")
    }
  }
}

extension KeyedDecodingContainer {
  /// An integer that may be missing.
  func optionalInteger(_ key: Key) throws -> Int? { try decodeIfPresent(WholeNumber<Int>.self, forKey: key)?.value }

  /// A number of an observation.
  func number(_ key: Key) throws -> Double { try decode(Double.self, forKey: key).checked(codingPath + [key]) }

  /// A number of an observation that may be missing.
  func optionalNumber(_ key: Key) throws -> Double? {
    try decodeIfPresent(Double.self, forKey: key)?.checked(codingPath + [key])
  }
}

extension Decoder {
  /// A list of so many numbers of an observation.
  ///
  /// - Parameter count: in words.
  func numbers(_ count: Int, _ words: String) throws -> [Double] {
    var list = try unkeyedContainer()
    var numbers: [Double] = []
    while !list.isAtEnd { numbers.append(try list.decode(Double.self)) }
    guard numbers.count == count else { throw DecodingError.invalid(codingPath, "does not have \(words) numbers") }
    return try numbers.map { try $0.checked(codingPath) }
  }
}
