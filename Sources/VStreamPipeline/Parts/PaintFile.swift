internal import FoundationEssentials
internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem
internal import VStreamTracking

/// A file with the overlay and covered regions of a part: a header, and a line of JSON for each frame.
enum PaintFile {
  /// The first line.
  struct Header: Codable, Equatable {
    var type = "paint"
    var version = 1
    /// The input that the part is of.
    var input: InputIdentity
    var part: Int
    /// Whether the regions that are covered are known.
    var isRedacted: Bool
  }

  /// A frame with its annotations as they were reported, in full precision.
  struct Frame: Codable {
    var annotations: FrameAnnotations
    var counts: RegionCounts?
    /// `nil` if they are not known: the whole frame is covered then.
    var covered: [Region]?
  }

  struct Region: Codable {
    var id: Int?
    var box: Box
    var slack: Point
    var extent: Double

    init(_ region: CoveredRegion) { (id, box, slack, extent) = (region.id, region.box, region.slack, region.extent) }

    /// Whether it covers something.
    var isValid: Bool {
      [box.x, box.y, box.width, box.height, extent, slack.x, slack.y].allSatisfy(\.isFinite) && !box.isEmpty
        && extent > 0
        && min(slack.x, slack.y) >= 0
    }

    var covered: CoveredRegion {
      var region = CoveredRegion(id: id, box, observedAt: 0)
      (region.slack, region.extent) = (slack, extent)
      return region
    }
  }
}

/// Writes the overlay and covered regions of all parts, each in a file that gets its name when it is complete.
struct PaintFileWriter {
  private let paint: JoinedPaint
  private let isRedacted: Bool
  private let encoder = JSONEncoder()
  private var current: (number: Int, file: TextFile)?

  init(_ paint: JoinedPaint, isRedacted: Bool) {
    self.paint = paint
    self.isRedacted = isRedacted
  }

  mutating func write(_ job: FrameJob) throws {
    let time = job.frame.time
    let number = paint.index(at: time)
    if current?.number != number {
      try finish()
      let file = try TextFile(creating: PartFile.path(for: paint.paths[number]), overwrite: true)
      current = (number, file)
      try write(PaintFile.Header(input: paint.input, part: paint.parts[number].number, isRedacted: isRedacted))
    }
    try write(
      PaintFile.Frame(
        annotations: job.record.annotations, counts: job.record.counts,
        covered: isRedacted ? job.covered?.map(PaintFile.Region.init) : []))
  }

  private func write(_ line: some Encodable) throws {
    try current?.file.write(Array(try encoder.encode(line)) + [UInt8(ascii: "\n")])
  }

  /// Completes the last file.
  mutating func finish() throws {
    guard let (number, file) = current else { return }
    try file.close()
    try PartFile.commit(paint.paths[number])
    current = nil
  }
}

extension JoinedPaint {
  /// The index of the part that has the frame of a time.
  fileprivate func index(at time: Time) -> Int { parts.firstIndex { $0.position(of: time) == .inside } ?? 0 }
}

/// Reads the overlay and covered regions of parts, one after the other.
struct PaintFileReader {
  private let paint: JoinedPaint
  private let isRedacted: Bool
  private var current = 0
  private var lines: ArraySlice<ArraySlice<UInt8>> = []
  private let decoder = JSONDecoder()

  private var path: String { paint.paths[current] }

  /// - Parameters:
  ///   - paint: the parts, in their order.
  ///   - isRedacted: whether the run redacts.
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` for a file of another part or input; `usage` if only the run or
  ///   only the file redacts: nothing may stay visible by mistake.
  init(_ paint: JoinedPaint, isRedacted: Bool) throws(VStreamError) {
    (self.paint, self.isRedacted) = (paint, isRedacted)
    // All are checked before anything is written.
    for index in paint.paths.indices.reversed() { try open(index) }
  }

  private mutating func open(_ index: Int) throws(VStreamError) {
    current = index
    lines = try ReadableFile.bytes(of: path).split(separator: UInt8(ascii: "\n"))[...]
    let part = paint.parts[index].number
    guard let first = lines.popFirst(), let header = try? decoder.decode(PaintFile.Header.self, from: Data(first)),
      header.type == "paint", header.version == 1, header.part == part, header.input.isSame(as: paint.input)
    else {
      throw VStreamError(
        .unreadableInput, "'\(path)' is not the overlay of part \(part) of this input", subject: path,
        remedy: "use the file that vstream join wrote for this part")
    }
    try VStreamError.requireSameRedaction(
      of: path, isRedacted: header.isRedacted, inRun: isRedacted, redacted: "has regions to redact",
      unredacted: "has no regions to redact")
  }

  /// The next frame's overlay and regions.
  ///
  /// - Throws: `VStreamError.unreadableInput` if the file has another frame there.
  mutating func next(at time: Time) throws(VStreamError) -> PaintFile.Frame {
    let index = paint.index(at: time)
    if index > current {
      try requireEnd()
      try open(index)
    }
    guard let line = lines.popFirst(), let frame = try? decoder.decode(PaintFile.Frame.self, from: Data(line)),
      frame.annotations.time == time, frame.covered?.allSatisfy(\.isValid) ?? true
    else {
      throw VStreamError(
        .unreadableInput, "'\(path)' has no valid line for the frame at \(Int(clamping: time.seconds * 1000)) ms",
        subject: path, remedy: "join the records of the parts again")
    }
    return frame
  }

  /// - Throws: `VStreamError.unreadableInput` if frames are left.
  func finish() throws(VStreamError) {
    try requireEnd()
    guard current + 1 < paint.paths.count else { return }
    throw VStreamError(
      .unreadableInput, "the input ended before the part of '\(paint.paths[current + 1])'", subject: path,
      remedy: "join the records of the parts again")
  }

  private func requireEnd() throws(VStreamError) {
    guard !lines.isEmpty else { return }
    throw VStreamError(
      .unreadableInput, "'\(path)' has \(lines.count) frames more than the part", subject: path,
      remedy: "join the records of the parts again")
  }
}
