/// The members of values as an encoder writes and a decoder reads them.
///
/// A frame has the member `timeBase`, which records state once in their header; without it, the time is that of `pts` in
/// microseconds. A decoder with a `RecordContext` in its `userInfo` reads the lines of records.
struct CodedForm: RecordForm {
  private enum Members {
    case written(KeyedEncodingContainer<MemberKey>)
    case read(KeyedDecodingContainer<MemberKey>, RecordContext?)
  }

  private let members: Members

  init(to encoder: any Encoder) { members = .written(encoder.container(keyedBy: MemberKey.self)) }

  init(from decoder: any Decoder) throws {
    let context = CodingUserInfoKey.records.flatMap { decoder.userInfo[$0] as? RecordContext }
    members = .read(try decoder.container(keyedBy: MemberKey.self), context)
  }

  private func value<Value: Codable>(_ key: String, _ value: inout Value) throws {
    switch members {
    case .written(var members): try members.encode(value, forKey: MemberKey(key))
    case .read(let members, _): value = try members.decode(Value.self, forKey: MemberKey(key))
    }
  }

  private func value<Value: Codable>(_ key: String, _ value: inout Value?) throws {
    switch members {
    case .written(var members): try members.encodeIfPresent(value, forKey: MemberKey(key))
    case .read(let members, _): value = try members.decodeIfPresent(Value.self, forKey: MemberKey(key))
    }
  }

  private func path(_ key: String) -> [any CodingKey] {
    switch members {
    case .written(let members): members.codingPath + [MemberKey(key)]
    case .read(let members, _): members.codingPath + [MemberKey(key)]
    }
  }

  func type(_ name: String) throws {
    var type: String? = name
    try value("type", &type)
    if let type, type != name { throw DecodingError.invalid(path("type"), "is \(type), not \(name)") }
  }

  func number(_ key: String, _ number: inout Double, places: Int) throws {
    try value(key, &number)
    try check(key, number)
  }

  func number(_ key: String, _ number: inout Double?, places: Int) throws {
    try value(key, &number)
    try check(key, number)
  }

  private func check(_ key: String, _ number: Double?) throws {
    if case .read = members { try number?.requireInRange(path(key)) }
  }

  func integer(_ key: String, _ integer: inout Int) throws {
    var whole = WholeNumber(value: integer)
    try value(key, &whole)
    integer = whole.value
  }

  func integer(_ key: String, _ integer: inout Int?) throws {
    var whole = integer.map(WholeNumber.init)
    try value(key, &whole)
    integer = whole?.value
  }

  func unrecorded(_ key: String, _ integer: inout Int) throws {
    var present: Int? = integer
    try self.integer(key, &present)
    integer = present ?? integer
  }

  func text(_ key: String, _ text: inout String) throws { try value(key, &text) }
  func text(_ key: String, _ text: inout String?) throws { try value(key, &text) }

  func flag(_ key: String, _ isSet: inout Bool) throws {
    var present = isSet ? true : nil
    try value(key, &present)
    isSet = present ?? false
  }

  func name<Name: RawRepresentable<String>>(_ key: String, _ name: inout Name) throws {
    var text = name.rawValue
    try value(key, &text)
    guard let known = Name(rawValue: text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: path(key), debugDescription: text, underlyingError: UnknownName()))
    }
    name = known
  }

  func time(_ time: inout Time) throws {
    var (seconds, ticks) = (time.seconds, WholeNumber(value: time.ticks))
    var base: String? = time.base.description
    switch members {
    case .written:
      try value("pts", &seconds)
      try value("ticks", &ticks)
      try value("timeBase", &base)
      return
    case .read(_, let context?): time = Time(ticks: 0, base: context.timeBase)
    case .read:
      try value("timeBase", &base)
      guard let base else {
        try number("pts", &seconds, places: 6)
        time = Time(ticks: Int64((seconds * 1e6).rounded()), base: .microseconds)
        return
      }
      guard let fraction = Rational(fraction: base) else {
        throw DecodingError.invalid(path("timeBase"), "is not a fraction such as 1/25")
      }
      time = Time(ticks: 0, base: fraction)
    }
    try value("ticks", &ticks)
    time.ticks = ticks.value
  }

  func box(_ key: String, _ box: inout Box) throws { try value(key, &box) }
  func object<Value: Recorded>(_ key: String, _ object: inout Value?) throws { try value(key, &object) }

  func list<Value: Recorded>(_ key: String, _ values: inout [Value]) throws {
    var list = values.map { Known(value: $0) }
    try value(key, &list)
    values = list.compactMap(\.value)
  }

  func landmarks(_ key: String, _ landmarks: inout [FaceLandmark]?) throws {
    try named(key, &landmarks, \.kind, \.position) { FaceLandmark($0, at: $1) }
  }

  func contours(_ key: String, _ contours: inout [FaceContour]?) throws {
    try named(key, &contours, \.kind, \.points) { FaceContour($0, points: $1) }
  }

  /// Values by the names of their kinds: of several of one kind the first; read in the kinds' order, without the names that a
  /// later version adds.
  private func named<Element, Kind: RawRepresentable<String> & CaseIterable, Value: Codable>(
    _ key: String, _ elements: inout [Element]?, _ kind: (Element) -> Kind, _ value: (Element) -> Value,
    _ make: (Kind, Value) -> Element
  ) throws {
    switch members {
    case .written:
      var values = elements.map { list in
        Dictionary(list.map { (kind($0).rawValue, value($0)) }, uniquingKeysWith: { first, _ in first })
      }
      try self.value(key, &values)
    case .read(let members, _):
      guard members.contains(MemberKey(key)), try !members.decodeNil(forKey: MemberKey(key)) else { return }
      let values = try members.nestedContainer(keyedBy: MemberKey.self, forKey: MemberKey(key))
      elements = try Kind.allCases.compactMap { kind in
        try values.decodeIfPresent(Value.self, forKey: MemberKey(kind.rawValue)).map { make(kind, $0) }
      }
    }
  }

  func observations<Kind: Detection & Recorded>(_ list: inout [Kind]?) throws { try value(Kind.kind.rawValue, &list) }

  func search(_ search: inout FrameSearch?) throws {
    guard case .read(_, let context?) = members else { return try value("objectSearch", &search) }
    var regions: [FrameSearch.Region]?
    try value("searched", &regions)
    search = regions.map { FrameSearch(frame: context.size, regions: $0) }
  }
}

/// The facts in the header of records that their lines are read with.
package struct RecordContext: Sendable {
  let timeBase: Rational
  let size: PixelSize

  package init(timeBase: Rational, size: PixelSize) { (self.timeBase, self.size) = (timeBase, size) }
}

extension CodingUserInfoKey {
  /// The key of the `RecordContext`.
  package static let records = CodingUserInfoKey(rawValue: "records")
}

extension Recorded {
  public init(from decoder: any Decoder) throws {
    self = Self.blank
    var form = try CodedForm(from: decoder)
    try visitMembers(&form)
  }

  public func encode(to encoder: any Encoder) throws {
    var (value, form) = (self, CodedForm(to: encoder))
    try value.visitMembers(&form)
  }
}

extension NumberList {
  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    var numbers: [Double] = []
    while !list.isAtEnd { numbers.append(try list.decode(Double.self)) }
    guard numbers.count == Self.count.value else {
      throw DecodingError.invalid(decoder.codingPath, "does not have \(Self.count.word) numbers")
    }
    for number in numbers { try number.requireInRange(decoder.codingPath) }
    do throws(InvalidValue) {
      try self.init(numbers: numbers)
    } catch {
      throw DecodingError.invalid(decoder.codingPath, error.description)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var numbers: [Double] = []
    forEachNumber { numbers.append($0) }
    try numbers.encode(to: encoder)
  }
}

/// The name of a member.
private struct MemberKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A name that a later version may have added. The underlying error of a `DecodingError`.
private struct UnknownName: Error {}

/// A value; `nil` if it is of a kind that a later version adds.
private struct Known<Value: Recorded>: Codable {
  let value: Value?

  init(value: Value) { self.value = value }

  init(from decoder: any Decoder) throws {
    do {
      value = try Value(from: decoder)
    } catch DecodingError.dataCorrupted(let context) where context.underlyingError is UnknownName {
      value = nil
    }
  }

  func encode(to encoder: any Encoder) throws { try value?.encode(to: encoder) }
}

/// An integer, whose decoding names the member if a number has decimals or is too large.
private struct WholeNumber<Value: FixedWidthInteger & Codable>: Codable {
  var value: Value

  init(value: Value) { self.value = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      value = try container.decode(Value.self)
    } catch {
      // Decoders do not name the member. A value that is no number at all is reported as that.
      _ = try container.decode(Double.self)
      throw DecodingError.invalid(decoder.codingPath, "is not a whole number")
    }
  }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// Why a value that has the right type cannot be decoded. The underlying error of a `DecodingError`.
@usableFromInline
package struct InvalidValue: Error, CustomStringConvertible {
  /// Continues a sentence that starts with the member: `does not have four numbers`.
  @usableFromInline package let description: String

  init(_ description: String) { self.description = description }
}

extension DecodingError {
  /// - Parameter problem: continues a sentence that starts with the last member of `path`.
  fileprivate static func invalid(_ path: [any CodingKey], _ problem: String) -> DecodingError {
    dataCorrupted(Context(codingPath: path, debugDescription: problem, underlyingError: InvalidValue(problem)))
  }
}

extension Double {
  /// Numbers of observations are pixels, scores or angles: far below this, which is small enough to be written again.
  private static let maximumOfRecords = 1e9

  fileprivate func requireInRange(_ path: [any CodingKey]) throws {
    guard magnitude <= Self.maximumOfRecords else { throw DecodingError.invalid(path, "is out of range: \(self)") }
  }
}
