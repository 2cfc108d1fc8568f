extension FrameAnnotations: Recorded {
  @usableFromInline package static var blank: Self { Self(frame: 0, time: .blank, source: .detected) }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.type("frame")
    var index: Int? = frame
    try form.integer("frame", &index)
    frame = index ?? 0
    try form.time(&time)
    try form.name("source", &source)
    try form.integer("shot", omittingZero: &found.shot)
    try found.visitMembers(&form)
  }
}

extension TimedObservations: Recorded {
  @usableFromInline package static var blank: Self { Self(time: .blank, found: Detections()) }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.type("detections")
    try form.time(&time)
    try form.integer("shot", omittingZero: &found.shot)
    try found.visitMembers(&form)
  }
}

extension Detections: Recorded {
  @usableFromInline package static var blank: Self { Self() }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.observations(&objects)
    try form.observations(&faces)
    try form.observations(&poses)
    try form.search(&objectSearch)
  }
}

extension DetectedObject: Recorded {
  @usableFromInline package static var blank: Self { Self(classIndex: 0, label: "", score: 0, box: .blank) }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.integer("id", &id)
    try form.text("label", &label)
    try form.text("detectedLabel", &detectedLabel)
    try form.number("score", &score, places: 4)
    // A category that a later version adds is unknown to this one.
    var (name, categoryScore) = (category?.category.rawValue, category?.score)
    try form.text("category", &name)
    try form.number("categoryScore", &categoryScore, places: 4)
    category = name.map { CategoryLabel(ObjectCategory(rawValue: $0) ?? .unknown, score: categoryScore ?? 0) }
    try form.box("box", &box)
    try form.flag("predicted", &isPredicted)
    try form.unrecorded("classIndex", &classIndex)
  }
}

extension DetectedFace: Recorded {
  @usableFromInline package static var blank: Self { Self(score: 0, box: .blank) }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.integer("id", &id)
    try form.number("score", &score, places: 4)
    try form.box("box", &box)
    try form.object("angles", &angles)
    try form.landmarks("landmarks", &landmarks)
    try form.contours("contours", &contours)
    try form.number("smiling", &smiling, places: 4)
    try form.number("leftEyeOpen", &leftEyeOpen, places: 4)
    try form.number("rightEyeOpen", &rightEyeOpen, places: 4)
  }
}

extension HeadAngles: Recorded {
  @usableFromInline package static var blank: Self { Self(x: 0, y: 0, z: 0) }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.number("x", &x, places: 4)
    try form.number("y", &y, places: 4)
    try form.number("z", &z, places: 4)
  }
}

extension DetectedPose: Recorded {
  @usableFromInline package static var blank: Self { Self(score: 0, box: .blank, landmarks: []) }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.integer("id", &id)
    try form.number("score", &score, places: 4)
    try form.box("box", &box)
    try form.list("landmarks", &landmarks)
  }
}

extension PoseLandmark: Recorded {
  @usableFromInline package static var blank: Self { Self(.nose, at: Point(x: 0, y: 0), z: 0, inFrameLikelihood: 0) }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.name("type", &kind)
    try form.number("x", &position.x, places: 2)
    try form.number("y", &position.y, places: 2)
    try form.number("z", &z, places: 2)
    try form.number("inFrameLikelihood", &inFrameLikelihood, places: 4)
  }
}

extension TrackEvent: Recorded {
  @usableFromInline package static var blank: Self { Self(kind: .enter, id: 0, classIndex: 0, label: "", time: 0) }

  @inlinable package mutating func visitMembers<Form: RecordForm>(_ form: inout Form) throws(Form.Failure) {
    try form.type("event")
    try form.name("event", &kind)
    try form.integer("id", &id)
    try form.text("label", &label)
    try form.number("pts", &time, places: 6)
    try form.unrecorded("classIndex", &classIndex)
  }
}

extension Time {
  fileprivate static var blank: Time { Time(ticks: 0, base: .microseconds) }
}

/// A point is a list: x, y.
extension Point: NumberList {
  @usableFromInline package static var count: (value: Int, word: String) { (2, "two") }
  @usableFromInline package init(numbers: [Double]) { self.init(x: numbers[0], y: numbers[1]) }

  @inlinable package func forEachNumber(_ body: (Double) -> Void) {
    body(x)
    body(y)
  }
}

/// A box is a list: left, top, width, height.
extension Box: NumberList {
  fileprivate static var blank: Box { Box(x: 0, y: 0, width: 0, height: 0) }

  @usableFromInline package static var count: (value: Int, word: String) { (4, "four") }
  @usableFromInline package init(numbers: [Double]) {
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  @inlinable package func forEachNumber(_ body: (Double) -> Void) {
    body(x)
    body(y)
    body(width)
    body(height)
  }
}

/// A region is a list: left, top, width, height, scale.
extension FrameSearch.Region: NumberList {
  @usableFromInline package static var count: (value: Int, word: String) { (5, "five") }

  @usableFromInline package init(numbers: [Double]) throws(InvalidValue) {
    guard numbers[4] > 0 else { throw InvalidValue("has a scale that is not above 0") }
    self.init(box: Box(numbers: numbers), scale: numbers[4])
  }

  @inlinable package func forEachNumber(_ body: (Double) -> Void) {
    box.forEachNumber(body)
    body(scale)
  }
}
