internal import FoundationEssentials
package import VStreamCore
package import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

/// How an input is cut into parts that can be processed on different machines.
package struct PartPlan: Hashable, Sendable, Codable {
  /// The video stream whose frames the parts have.
  package struct Video: Hashable, Sendable, Codable {
    package var stream: Int
    /// Seconds for a tick, as a fraction.
    package var timeBase: String
  }

  /// `parts`.
  package var type = Self.type
  /// The version of this format.
  package var version = Self.version
  package var program: String
  package var input: InputIdentity
  /// Where the input was when the plan was made.
  package var location: String
  package var video: Video
  package var gridSeconds: Int
  package var parts: [InputPart]

  private static let type = "parts"
  private static let version = 1

  package init(input: InputIdentity, location: String, video: StreamInfo, parts: [InputPart]) {
    program = ProgramVersion.name
    self.input = input
    self.location = location
    self.video = Video(stream: video.index, timeBase: video.timeBase.description)
    gridSeconds = TimeGrid.files.seconds
    self.parts = parts
  }

  /// Reads a plan.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` for a file that is no plan, and for one of another version.
  package init(path: String) throws(VStreamError) {
    let bytes = try ReadableFile.bytes(of: path)
    guard let plan = try? JSONDecoder().decode(PartPlan.self, from: Data(bytes)), plan.type == Self.type,
      !plan.parts.isEmpty, plan.parts.enumerated().allSatisfy({ $0.offset == $0.element.number })
    else {
      throw VStreamError(
        .unreadableInput, "'\(path)' is no plan of parts", subject: path, remedy: "make one with vstream split")
    }
    guard plan.version == Self.version, plan.gridSeconds == TimeGrid.files.seconds else {
      throw VStreamError(
        .unreadableInput, "'\(path)' was made by \(plan.program), whose parts are other ones", subject: path,
        remedy: "use that version for all parts, or split the input again")
    }
    self = plan
  }

  /// Writes the plan, whole or not at all.
  ///
  /// - Throws: `VStreamError`: `cannotCreateOutput`, `inputOutput`.
  package func write(to path: String) throws(VStreamError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(self) else {
      throw VStreamError(.library, "the plan of \(input.name) cannot be written as JSON")
    }
    guard path != "-" else {
      let output = try TextFile(creating: path, overwrite: true)
      try output.write(Array(json) + [UInt8(ascii: "\n")])
      return try output.close()
    }
    try PartFile.write(Array(json) + [UInt8(ascii: "\n")], for: path)
    try PartFile.commit(path)
  }

  /// A part by its number.
  ///
  /// - Throws: `VStreamError.usage` if there is no such part.
  package func part(_ number: Int, plan path: String) throws(VStreamError) -> InputPart {
    guard parts.indices.contains(number) else {
      throw VStreamError(
        .usage, "'\(path)' has no part \(number): it has \(parts.count)", setting: .part, value: "\(number)",
        remedy: "give 0 to \(parts.count - 1)")
    }
    return parts[number]
  }
}

extension PartPlan {
  /// Plans the parts of an input, which is read to its end and not decoded.
  ///
  /// - Parameters:
  ///   - seconds: the length of a part, rounded up to whole cells of the grid.
  ///   - fromStart: whether each part is read from the input's beginning.
  /// - Throws: `VStreamError` of opening and reading; `usage` for an input that has no parts, as a camera or a photo.
  package init(of input: MediaInput, partSeconds seconds: Double, fromStart: Bool) throws(VStreamError) {
    guard [.file, .network].contains(input.kind), try input.files() == [input.location] else {
      throw VStreamError(
        .usage, "\(input.displayName) has no parts: only files of video do", subject: input.location,
        remedy: "process it as a whole")
    }
    let identity = try InputIdentity(of: input)
    let scan = try VideoScan(input)
    let planner = PartPlanner(
      scan.entries, base: scan.video.timeBase,
      startsAtKeyFrames: scan.startsAtKeyFrames && scan.damaged == 0 && !fromStart)
    var parts = planner.parts(of: seconds)
    guard !parts.isEmpty else {
      throw VStreamError(
        .unreadableInput, "\(input.displayName) has no frames with times", subject: input.location,
        remedy: "process it as a whole")
    }
    for index in parts.indices {
      parts[index].seeks = parts[index].keyTicks.map { scan.canSeek(toKeyFrameAt: $0) } ?? false
    }
    let location = input.isURL ? input.location : PathIdentity.canonicalPath(of: input.location)
    self.init(input: identity, location: location, video: scan.video, parts: parts)
  }
}

/// A part of an input: whole cells of the grid of stream time. Each frame lies in exactly one part.
package struct InputPart: Hashable, Sendable, Codable {
  /// From 0, in the order of time.
  package var number: Int
  /// The first cell; `nil` for the first part, which has all that comes before the second one.
  package var firstCell: Int64?
  /// The first cell of the next part; `nil` for the last part.
  package var endCell: Int64?
  /// The time of the first cell, in ticks of the video.
  package var startTicks: Int64?
  /// The time of the next part's first cell, in ticks of the video.
  package var endTicks: Int64?
  /// The time of the key frame from which the part is decoded, in ticks of the video; `nil` for the input's beginning.
  package var keyTicks: Int64?
  /// Whether that key frame is found by a seek; otherwise the packets before it are read and skipped.
  package var seeks: Bool
  /// The packets whose frames the part has.
  package var packets: Int

  package init(
    number: Int, firstCell: Int64?, endCell: Int64?, startTicks: Int64? = nil, endTicks: Int64? = nil,
    keyTicks: Int64? = nil, seeks: Bool = false, packets: Int = 0
  ) {
    self.number = number
    self.firstCell = firstCell
    self.endCell = endCell
    self.startTicks = startTicks
    self.endTicks = endTicks
    self.keyTicks = keyTicks
    self.seeks = seeks
    self.packets = packets
  }

  /// Where a frame lies.
  enum Position {
    case before
    case inside
    case after
  }

  func position(of time: Time) -> Position {
    let cell = TimeGrid.files.cell(of: time)
    if let firstCell, cell < firstCell { return .before }
    if let endCell, cell >= endCell { return .after }
    return .inside
  }
}

/// Cuts a video into parts of whole cells of the grid, each with the key frame from which it can be decoded. Pure.
package struct PartPlanner: Sendable {
  private let entries: [VideoScan.Entry]
  private let base: Rational
  private let startsAtKeyFrames: Bool
  private let grid = TimeGrid.files

  /// - Parameters:
  ///   - entries: the packets of the video, in the order of decoding.
  ///   - base: seconds for a tick.
  ///   - startsAtKeyFrames: whether frames can be decoded from a key frame on.
  package init(_ entries: [VideoScan.Entry], base: Rational, startsAtKeyFrames: Bool) {
    self.entries = entries
    self.base = base
    // Where times are missing or not unique, only the decoder knows those of the frames.
    var times = entries.filter { !$0.isHidden }.map(\.ticks)
    let areKnown = !times.contains(nil)
    times.sort { ($0 ?? 0) < ($1 ?? 0) }
    self.startsAtKeyFrames = startsAtKeyFrames && areKnown && zip(times, times.dropFirst()).allSatisfy { $0 != $1 }
  }

  /// The parts, at least one; a part without a packet is merged with the one before.
  ///
  /// - Parameter seconds: the length of a part, which is rounded up to whole cells.
  package func parts(of seconds: Double) -> [InputPart] {
    let cells = max(1, Int64((min(seconds, 1e12) / Double(grid.seconds)).rounded(.up)))
    var counts: [Int64: Int] = [:]
    for case let ticks? in entries.lazy.filter({ !$0.isHidden }).map(\.ticks) {
      counts[Self.floor(grid.cell(of: Time(ticks: ticks, base: base)), cells), default: 0] += 1
    }
    let starts = counts.keys.sorted()
    let keys = keyFrames(before: starts.dropFirst().map { grid.firstTick(of: $0 * cells, in: base) })
    return starts.enumerated().map { number, start in
      let first = number > 0 ? start * cells : nil
      let end = number + 1 < starts.count ? starts[number + 1] * cells : nil
      return InputPart(
        number: number, firstCell: first, endCell: end, startTicks: first.map { grid.firstTick(of: $0, in: base) },
        endTicks: end.map { grid.firstTick(of: $0, in: base) }, keyTicks: number > 0 ? keys[number - 1] : nil,
        packets: counts[start] ?? 0)
    }
  }

  /// For each time the last key frame before it after which all frames from the time on are decoded, with a further key
  /// frame between them where that is needed; `nil` for the beginning.
  ///
  /// - Parameter times: ascending.
  private func keyFrames(before times: [Int64]) -> [Int64?] {
    guard startsAtKeyFrames else { return times.map { _ in nil } }
    var keys: [(ticks: Int64, latestBefore: Int64)] = []
    var latest = Int64.min
    for entry in entries {
      if entry.isKey, !entry.isHidden, let ticks = entry.ticks { keys.append((ticks, latest)) }
      if !entry.isHidden { latest = max(latest, entry.ticks ?? latest) }
    }
    return times.map { time in
      // Of the last two: a key frame may begin a refresh that is complete at the next one.
      let usable = keys.filter { $0.ticks < time && $0.latestBefore < time }.suffix(2)
      return usable.count == 2 ? usable.first?.ticks : nil
    }
  }

  private static func floor(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
