/// A value that is a JSON object in records, where they are read, and as the library's `Codable`: all three follow
/// `visitMembers`, the only list of its members.
@usableFromInline package protocol Recorded: Codable {
  /// A value whose members are still to be read.
  static var blank: Self { get }

  /// Passes each member to a form, in the order of records. A form that reads sets them.
  mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure)
}

/// One form of the members of `Recorded` values: the text of records, an encoder or a decoder.
///
/// Members that are `nil` are omitted.
@usableFromInline package protocol RecordForm {
  associatedtype Failure: Error

  /// The type of a line.
  mutating func type(_ name: String) throws(Failure)
  /// - Parameter places: the decimals in rounded records.
  mutating func number(_ key: String, _ number: inout Double, places: Int) throws(Failure)
  mutating func number(_ key: String, _ number: inout Double?, places: Int) throws(Failure)
  mutating func integer(_ key: String, _ integer: inout Int) throws(Failure)
  mutating func integer(_ key: String, _ integer: inout Int?) throws(Failure)
  /// An integer that records do not have.
  mutating func unrecorded(_ key: String, _ integer: inout Int) throws(Failure)
  mutating func text(_ key: String, _ text: inout String) throws(Failure)
  mutating func text(_ key: String, _ text: inout String?) throws(Failure)
  /// Omitted unless it is set.
  mutating func flag(_ key: String, _ isSet: inout Bool) throws(Failure)
  mutating func name<Name: RawRepresentable<String>>(_ key: String, _ name: inout Name) throws(Failure)
  /// The members `pts` and `ticks`.
  mutating func time(_ time: inout Time) throws(Failure)
  mutating func box(_ key: String, _ box: inout Box) throws(Failure)
  mutating func object<Value: Recorded>(_ key: String, _ value: inout Value?) throws(Failure)
  /// A list without the elements of a kind that a later version adds.
  mutating func list<Value: Recorded>(_ key: String, _ values: inout [Value]) throws(Failure)
  /// The points by the names of their kinds.
  mutating func landmarks(_ key: String, _ landmarks: inout [FaceLandmark]?) throws(Failure)
  mutating func contours(_ key: String, _ contours: inout [FaceContour]?) throws(Failure)
  /// The list of a kind.
  mutating func observations<Kind: Detection & Recorded>(_ list: inout [Kind]?) throws(Failure)
  mutating func search(_ search: inout FrameSearch?) throws(Failure)
}

extension RecordForm {
  /// An integer that is omitted if it is 0.
  @inlinable package mutating func integer(_ key: String, omittingZero integer: inout Int) throws(Failure) {
    var present = integer == 0 ? nil : integer
    try self.integer(key, &present)
    integer = present ?? 0
  }
}

/// A value that is a list of numbers in JSON.
@usableFromInline package protocol NumberList: Codable {
  static var count: (value: Int, word: String) { get }
  init(numbers: [Double]) throws(InvalidValue)
  func forEachNumber(_ body: (Double) -> Void)
}
