internal import VStreamCore
internal import VStreamSystem

/// A span of a camera's recordings as one fragmented MP4 file, without encoding: from the key frame at or before its beginning
/// on, with times from 0. It ends before a file with other streams, as after a change of the camera's size.
///
/// A value: each call of `next` reads the bytes that it returns.
struct RecordingSpan: BodySource {
  /// A fragment with another decoding time.
  private struct Piece {
    let fragment: FragmentedFile.Fragment
    let ticks: UInt64
  }

  /// A file whose fragments are in the span.
  private struct Part {
    let file: RecordedFile
    let path: String
    let description: [UInt8]
    /// In seconds of the file.
    let first: Double
    let fragments: ArraySlice<FragmentedFile.Fragment>

    func wall(_ fragment: FragmentedFile.Fragment) -> Double { file.start + fragment.seconds - first }
  }

  /// The time of its first frame, in seconds since 1970.
  let start: Double
  private let span: ClosedRange<Double>
  private var files: ArraySlice<(file: RecordedFile, path: String)>
  private var part: Part
  /// Of the present part, and how many were sent.
  private var pieces: [Piece] = []
  private var sent = 0
  private var hasDescription = false
  /// Seconds between the times of the present file and the sent times.
  private var shift = 0.0

  /// Bytes that are read at once.
  private static let chunkBytes = 1 << 18
  /// Seconds by which the times of files that follow each other differ from the clock's.
  private static let tolerance = 1.0

  /// Reads the first file of the span.
  ///
  /// - Parameters:
  ///   - files: by their starts, with their paths.
  ///   - span: in seconds since 1970.
  /// - Returns: `nil` if nothing was recorded in the span.
  init?(_ files: [(file: RecordedFile, path: String)], in span: ClosedRange<Double>) {
    var rest = files[...]
    while let (file, path) = rest.popFirst() {
      // It may end before the span begins.
      guard let found = Self.part(file, path, in: span), let key = found.fragments.first,
        let last = found.fragments.last, found.wall(last) >= span.lowerBound
      else { continue }
      (self.span, self.files, part, start, shift) = (span, rest, found, found.wall(key), key.seconds)
      pieces = Self.pieces(found, shift: shift)
      return
    }
    return nil
  }

  private static func part(_ file: RecordedFile, _ path: String, in span: ClosedRange<Double>) -> Part? {
    guard let opened = try? ReadableFile(path), let scanned = try? FragmentedFile(opened), let times = scanned.times,
      let description = try? opened.bytes(scanned.start.count, at: scanned.start.lowerBound)
    else { return nil }
    func wall(_ fragment: FragmentedFile.Fragment) -> Double { file.start + fragment.seconds - times.lowerBound }
    guard let end = scanned.fragments.lastIndex(where: { wall($0) <= span.upperBound }) else { return nil }
    let first =
      scanned.fragments[...end].lastIndex { $0.isKey && wall($0) <= span.lowerBound }
      ?? scanned.fragments[...end].firstIndex(where: \.isKey)
    guard let first else { return nil }
    return Part(
      file: file, path: path, description: description, first: times.lowerBound,
      fragments: scanned.fragments[first...end])
  }

  private static func pieces(_ part: Part, shift: Double) -> [Piece] {
    part.fragments.compactMap { fragment in
      // Not of sound that was decoded before the first frame.
      UInt64(exactly: ((fragment.seconds - shift) * fragment.timescale).rounded()).map {
        Piece(fragment: fragment, ticks: $0)
      }
    }
  }

  /// Goes on to the next file that has the same streams.
  ///
  /// - Returns: `false` if there is none.
  private mutating func nextPart() -> Bool {
    while let (file, path) = files.popFirst() {
      guard let next = Self.part(file, path, in: span), let key = next.fragments.first else { continue }
      guard next.description == part.description else { return false }
      let continues = abs((next.first - part.first) - (file.start - part.file.start)) < Self.tolerance
      if !continues {
        // Where the clock was set back, it follows at once.
        let sentUpTo = (part.fragments.last?.seconds ?? 0) - shift
        shift = key.seconds - max(next.wall(key) - start, sentUpTo + Self.tolerance)
      }
      (part, pieces, sent) = (next, Self.pieces(next, shift: shift), 0)
      return true
    }
    return false
  }

  mutating func next() throws(VStreamError) -> BodyPiece {
    guard hasDescription else {
      hasDescription = true
      return .bytes(part.description)
    }
    if sent == pieces.count, !nextPart() { return .end }
    let file = try ReadableFile(part.path)
    var bytes: [UInt8] = []
    while sent < pieces.count, bytes.count < Self.chunkBytes {
      let (fragment, ticks) = (pieces[sent].fragment, pieces[sent].ticks)
      var piece = try file.bytes(fragment.bytes.count, at: fragment.bytes.lowerBound)
      guard piece.count == fragment.bytes.count else {
        throw VStreamError(.inputOutput, "'\(part.path)' ended early", subject: part.path)
      }
      let offset = fragment.timeOffset - fragment.bytes.lowerBound
      for index in 0..<8 { piece[offset + index] = UInt8(truncatingIfNeeded: ticks >> (56 - 8 * UInt64(index))) }
      bytes += piece
      sent += 1
    }
    return .bytes(bytes)
  }
}

/// The boxes of recordings: for each file a line with its description and its times, then the records of its frames.
struct RecordedBoxes: BodySource {
  private var files: [(file: RecordedFile, video: String, boxes: String)]

  init(_ files: [(file: RecordedFile, video: String, boxes: String)]) { self.files = files }

  mutating func next() -> BodyPiece {
    guard !files.isEmpty else { return .end }
    let (file, video, boxes) = files.removeFirst()
    let times = (try? ReadableFile(video)).flatMap { try? FragmentedFile($0) }?.times
    let line = TextBuffer.json { json in
      json.add("type", "file")
      json.add("name", file.name)
      json.add("start", file.start, places: 6)
      json.add("end", file.end, places: 6)
      json.add("open", file.isOpen)
      if let times { json.add("time", times.lowerBound, places: 6) }
    }
    // Of a file that is being written, the last line may be incomplete.
    let lines = (try? ReadableFile.bytes(of: boxes)) ?? []
    let end = lines.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return .bytes(Array("\(line)\n".utf8) + lines[..<end])
  }
}
