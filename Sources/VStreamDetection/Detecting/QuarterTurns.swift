internal import VStreamCore

/// Decides at which quarter turns a frame is searched for faces besides upright, for redaction and verification. Photos: at all three. A
/// stream: at each once in half a second, at all three at once where there is no upright face, and on every frame at turns that
/// detected a face of their own last.
struct QuarterTurns: Hashable, Sendable {
  /// Seconds of stream time between searches at a turn that finds nothing.
  private static let interval = 0.5
  private var finding: Set<Int> = []
  private var lastSearch: Double?
  /// The last search at all turns.
  private var lastFullSearch: Double?
  private var searchCount = 0
  /// Whether the next frame is searched at all turns, as nothing is known of it.
  private var isAllDue = true

  /// - Parameter isEmpty: whether there is no upright face.
  mutating func due(at time: Double, _ options: FaceDetectorOptions, isEmpty: Bool) -> [Int] {
    guard options.purpose != .annotation else { return [] }
    if options.detectorMode == .singleImage {
      guard options.purpose == .verification, time > 0 else { return [1, 2, 3] }
      return [1 + Int(Self.hash(of: time) % 3)]
    }
    if isAllDue || isEmpty, isAllDue || Self.isOver(Self.interval, since: lastFullSearch, at: time) {
      (lastSearch, lastFullSearch, isAllDue) = (time, time, false)
      return [1, 2, 3]
    }
    guard Self.isOver(Self.interval / 3, since: lastSearch, at: time) else { return finding.sorted() }
    lastSearch = time
    searchCount += 1
    return finding.union([1 + searchCount % 3]).sorted()
  }

  /// Notes that nothing is known of the next frame.
  mutating func restart() { isAllDue = true }

  private static func isOver(_ seconds: Double, since last: Double?, at time: Double) -> Bool {
    last.map { SearchInterval(seconds: seconds).isOver(since: $0, at: time) } ?? true
  }

  /// - Parameter hasOwnFace: whether a search at the turn found a face with a clearly higher score than the others.
  mutating func record(_ turn: Int, hasOwnFace: Bool) {
    if hasOwnFace { finding.insert(turn) } else { finding.remove(turn) }
  }

  /// The quarter turns at which a frame is searched for objects, which are searched for in frames in any order: one on every frame
  /// where nothing upright was found, else on every fourth; `nil` for none.
  ///
  /// - Parameters:
  ///   - isEmpty: whether nothing upright was found.
  ///   - isAlways: whether it is searched in any case.
  static func turns(at time: Time, isEmpty: Bool, isAlways: Bool) -> Int? {
    let hash = Self.hash(of: time.seconds)
    guard isEmpty || isAlways || hash / 3 % 4 == 0 else { return nil }
    return 1 + Int(hash % 3)
  }

  /// A hash of the time, so that frames of any rate are searched at all turns.
  private static func hash(of time: Double) -> UInt64 {
    (UInt64(min(max(0, time) * 1000, 1e15).rounded()) &* 0x9E37_79B9_7F4A_7C15) >> 40
  }
}

/// A frame that is rotated by quarter turns, clockwise as seen.
struct QuarterTurn: Hashable, Sendable {
  private let turns: Int
  /// The size of the frame when it is rotated.
  let size: PixelSize
  private let whole: RotatedBox

  init(_ turns: Int, of frame: PixelSize) {
    self.turns = turns
    size = turns % 2 == 1 ? PixelSize(width: frame.height, height: frame.width) : frame
    whole = RotatedBox(
      center: Point(x: Double(frame.width) / 2, y: Double(frame.height) / 2), width: Double(size.width),
      height: Double(size.height), angle: Double(turns) * .pi / 2)
  }

  /// A region of the rotated frame as one of the frame.
  func region(_ box: Box) -> RotatedBox {
    RotatedBox(center: inFrame(box.center), width: box.width, height: box.height, angle: whole.angle)
  }

  /// A box in the rotated frame as one in the frame.
  func box(_ box: Box) -> Box {
    let isSideways = turns % 2 == 1
    return Box(
      center: inFrame(box.center), width: isSideways ? box.height : box.width,
      height: isSideways ? box.width : box.height)
  }

  private func inFrame(_ point: Point) -> Point {
    whole.point(across: point.x / whole.width, down: point.y / whole.height)
  }
}
