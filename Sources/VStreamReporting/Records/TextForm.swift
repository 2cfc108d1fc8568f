internal import VStreamCore
internal import VStreamSystem

/// The members of values as the text of records.
struct TextForm: RecordForm {
  typealias Failure = Never

  /// The precision of the numbers of observations.
  enum Precision {
    /// At most two decimals for pixels, and four for scores and angles.
    case rounded
    /// All digits, so that a tracker that reads them back gives the same result, and the searched regions.
    case exact
  }

  private(set) var json = TextBuffer()
  let precision: Precision
  /// Whether each observation is marked as predicted.
  let isPredicted: Bool

  /// Appends the members of a value to an object.
  static func add(
    membersOf value: some Recorded, _ precision: Precision = .rounded, isPredicted: Bool = false,
    to json: inout TextBuffer
  ) {
    var (value, form) = (value, TextForm(precision: precision, isPredicted: isPredicted))
    // Exchanged instead of copied.
    swap(&form.json, &json)
    value.visitMembers(&form)
    swap(&form.json, &json)
  }

  mutating func type(_ name: String) { json.add("type", name) }

  mutating func number(_ key: String, _ number: inout Double, places: Int) {
    json.addKey(key)
    append(number, places: places)
  }

  mutating func number(_ key: String, _ number: inout Double?, places: Int) {
    if var present = number { self.number(key, &present, places: places) }
  }

  private mutating func append(_ number: Double, places: Int) {
    if precision == .exact { json.appendExactly(number) } else { json.append(number, places: places) }
  }

  mutating func integer(_ key: String, _ integer: inout Int) { json.add(key, integer) }

  mutating func integer(_ key: String, _ integer: inout Int?) {
    if let integer { json.add(key, integer) }
  }

  mutating func unrecorded(_ key: String, _ integer: inout Int) {}

  mutating func text(_ key: String, _ text: inout String) { json.add(key, text) }

  mutating func text(_ key: String, _ text: inout String?) {
    if let text { json.add(key, text) }
  }

  mutating func flag(_ key: String, _ isSet: inout Bool) {
    if isSet { json.add(key, true) }
  }

  mutating func name<Name: RawRepresentable<String>>(_ key: String, _ name: inout Name) { json.add(key, name.rawValue) }

  mutating func time(_ time: inout Time) {
    json.add("pts", time.seconds, places: 6)
    json.add("ticks", Int(time.ticks))
  }

  mutating func box(_ key: String, _ box: inout Box) {
    json.addKey(key)
    append(box)
  }

  private mutating func append(_ numbers: some NumberList) {
    json.separate()
    json.append("[")
    numbers.forEachNumber { number in
      json.separate()
      append(number, places: 2)
    }
    json.append("]")
  }

  mutating func object<Value: Recorded>(_ key: String, _ value: inout Value?) {
    guard var value else { return }
    json.addKey(key)
    append(&value)
  }

  private mutating func append(_ value: inout some Recorded, isPredicted: Bool = false) {
    json.separate()
    json.append("{")
    value.visitMembers(&self)
    if isPredicted { json.add("predicted", true) }
    json.append("}")
  }

  /// Adds a list, or with braces an object.
  private mutating func add<Element>(
    _ key: String, _ elements: [Element]?, _ brackets: (String, String) = ("[", "]"),
    _ append: (inout TextForm, inout Element) -> Void
  ) {
    guard let elements else { return }
    json.addKey(key)
    json.append(brackets.0)
    for var element in elements { append(&self, &element) }
    json.append(brackets.1)
  }

  mutating func list<Value: Recorded>(_ key: String, _ values: inout [Value]) {
    add(key, values) { $0.append(&$1) }
  }

  mutating func landmarks(_ key: String, _ landmarks: inout [FaceLandmark]?) {
    add(key, landmarks, ("{", "}")) { form, landmark in
      form.json.addKey(landmark.kind.rawValue)
      form.append(landmark.position)
    }
  }

  mutating func contours(_ key: String, _ contours: inout [FaceContour]?) {
    add(key, contours, ("{", "}")) { form, contour in
      form.add(contour.kind.rawValue, contour.points) { $0.append($1) }
    }
  }

  mutating func observations<Kind: Detection & Recorded>(_ list: inout [Kind]?) {
    let areMarked = isPredicted
    add(Kind.kind.rawValue, list) { $0.append(&$1, isPredicted: areMarked && !$1.isPredicted) }
  }

  mutating func search(_ search: inout FrameSearch?) {
    if precision == .exact { add("searched", search?.regions) { $0.append($1) } }
  }
}
