internal import VStreamCore
internal import VStreamSystem

/// A span of a camera's recordings as one fragmented MP4 file, without encoding: from the key frame at or before its beginning
/// on, with times from 0. It ends before a file with other streams, as after a change of the camera's size.
///
/// A value: each call of `next` reads what it returns.
struct RecordingSpan: BodySource {
  private enum Piece: Sendable {
    case bytes([UInt8])
    /// A fragment with another decoding time.
    case fragment(path: String, FragmentedFile.Fragment, ticks: UInt64)
  }

  /// The time of its first frame, in seconds since 1970.
  private(set) var start = 0.0
  private(set) var byteCount = 0
  private var pieces: [Piece] = []
  private var sent = 0

  /// Bytes that are read at once.
  private static let chunkBytes = 1 << 18
  /// Seconds by which the times of files that follow each other differ from the clock's.
  private static let tolerance = 1.0

  /// - Parameters:
  ///   - files: by their starts, with their paths.
  ///   - span: in seconds since 1970.
  /// - Returns: `nil` if nothing was recorded in the span.
  init?(_ files: [(file: RecordedFile, path: String)], in span: ClosedRange<Double>) {
    var opening: (start: Double, description: [UInt8])?
    var last: (file: RecordedFile, first: Double, shift: Double)?
    for (file, path) in files {
      guard let opened = try? ReadableFile(path), let scanned = try? FragmentedFile(opened), let times = scanned.times,
        let description = try? opened.bytes(scanned.start.count, at: scanned.start.lowerBound)
      else { continue }
      if let opening, opening.description != description { break }
      func wall(_ fragment: FragmentedFile.Fragment) -> Double { file.start + fragment.seconds - times.lowerBound }
      guard let end = scanned.fragments.lastIndex(where: { wall($0) <= span.upperBound }) else { continue }
      let first =
        scanned.fragments[...end].lastIndex { $0.isKey && wall($0) <= span.lowerBound }
        ?? scanned.fragments[...end].firstIndex(where: \.isKey)
      guard let first else { continue }
      let key = scanned.fragments[first]
      if opening == nil {
        // It may end before the span begins.
        guard wall(scanned.fragments[end]) >= span.lowerBound else { continue }
        opening = (wall(key), description)
        add(.bytes(description), description.count)
      }
      var shift = key.seconds - (wall(key) - (opening?.start ?? 0))
      if let last, abs((times.lowerBound - last.first) - (file.start - last.file.start)) < Self.tolerance {
        shift = last.shift
      }
      last = (file, times.lowerBound, shift)
      for fragment in scanned.fragments[first...end] {
        // Not of sound that was decoded before the first frame.
        let ticks = UInt64(exactly: ((fragment.seconds - shift) * fragment.timescale).rounded())
        if let ticks { add(.fragment(path: path, fragment, ticks: ticks), fragment.bytes.count) }
      }
    }
    guard let opening else { return nil }
    start = opening.start
  }

  private mutating func add(_ piece: Piece, _ count: Int) {
    pieces.append(piece)
    byteCount += count
  }

  mutating func next() throws(VStreamError) -> BodyPiece {
    var bytes: [UInt8] = []
    var open: ReadableFile?
    while sent < pieces.count, bytes.count < Self.chunkBytes {
      switch pieces[sent] {
      case .bytes(let piece): bytes += piece
      case .fragment(let path, let fragment, let ticks):
        let file = if let open, open.path == path { open } else { try ReadableFile(path) }
        open = file
        var piece = try file.bytes(fragment.bytes.count, at: fragment.bytes.lowerBound)
        guard piece.count == fragment.bytes.count else {
          throw VStreamError(.inputOutput, "'\(path)' ended early", subject: path)
        }
        let offset = fragment.timeOffset - fragment.bytes.lowerBound
        for index in 0..<8 { piece[offset + index] = UInt8(truncatingIfNeeded: ticks >> (56 - 8 * UInt64(index))) }
        bytes += piece
      }
      sent += 1
    }
    return bytes.isEmpty ? .end : .bytes(bytes)
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
      if let times { json.add("time", times.lowerBound, places: 6) }
    }
    // Of a file that is being written, the last line may be incomplete.
    let lines = (try? ReadableFile.bytes(of: boxes)) ?? []
    let end = lines.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return .bytes(Array("\(line)\n".utf8) + lines[..<end])
  }
}
