internal import VStreamCore
internal import VStreamSystem

/// The fragments of a recording, from the headers of its boxes. A file that is still being written, or that a crash ended, has
/// the fragments that are whole.
///
/// Source: ISO/IEC 14496-12, "Movie Fragments".
struct FragmentedFile {
  struct Fragment: Hashable, Sendable {
    var bytes: Range<Int>
    /// The offset of its decoding time, which has 64 bits.
    var timeOffset: Int
    var ticks: UInt64
    /// Ticks per second.
    var timescale: Double
    var isVideo: Bool
    /// Whether it begins with a key frame of the video.
    var isKey: Bool

    /// Its decoding time in seconds.
    var seconds: Double { Double(ticks) / timescale }
  }

  /// The bytes before the first fragment: the description of the streams.
  let start: Range<Int>
  let fragments: [Fragment]

  /// Seconds of the first and of the last video fragment; `nil` without one.
  var times: ClosedRange<Double>? {
    guard let first = fragments.first(where: \.isVideo), let last = fragments.last(where: \.isVideo) else { return nil }
    return first.seconds...max(first.seconds, last.seconds)
  }

  private struct Track {
    var isVideo = false
    var timescale = 1.0
  }

  /// Bytes of a box that describes streams or a fragment.
  private static let maximumDescription = 1 << 20

  /// - Throws: `VStreamError.inputOutput`; `unreadableInput` for a file that does not begin like a recording.
  init(_ file: ReadableFile) throws(VStreamError) {
    var (offset, fragments, tracks) = (0, [Fragment](), [UInt32: Track]())
    var start: Range<Int>?
    var pending: (offset: Int, box: ArraySlice<UInt8>)?
    while let (type, header, size) = try Self.header(file, at: offset), size <= file.size - offset {
      if size <= Self.maximumDescription, type == "moov" || type == "moof" {
        let body = try file.bytes(size - header, at: offset + header)[...]
        if type == "moov" {
          tracks = Self.tracks(body)
          start = 0..<offset + size
        } else {
          pending = (offset, body)
        }
      } else if type == "mdat", let description = pending {
        pending = nil
        if var fragment = Self.fragment(
          description.box, at: offset - description.box.count, of: tracks)
        {
          fragment.bytes = description.offset..<offset + size
          fragments.append(fragment)
        }
      }
      offset += size
    }
    guard let start else {
      throw VStreamError(.unreadableInput, "'\(file.path)' is no recording", subject: file.path)
    }
    (self.start, self.fragments) = (start, fragments)
  }

  /// - Returns: `nil` at the end, and for bytes that are no box.
  private static func header(
    _ file: ReadableFile, at offset: Int
  ) throws(VStreamError) -> (type: String, header: Int, size: Int)? {
    let bytes = try file.bytes(16, at: offset)
    guard bytes.count >= 8 else { return nil }
    let type = String(decoding: bytes[4..<8], as: UTF8.self)
    let size = number(bytes[0..<4])
    if size == 1, bytes.count == 16, let large = Int(exactly: number(bytes[8..<16])), large >= 16 {
      return (type, 16, large)
    }
    return size >= 8 ? (type, 8, Int(size)) : nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// A number in a box's contents; `nil` beyond them.
  private static func number(_ box: ArraySlice<UInt8>, _ offset: Int, _ count: Int = 4) -> UInt64? {
    box.count >= offset + count ? number(box.dropFirst(offset).prefix(count)) : nil
  }

  /// The contents of the boxes of a type in a box's contents.
  private static func boxes(_ type: String, in box: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var (found, rest) = ([ArraySlice<UInt8>](), box)
    while let size = number(rest, 0).map(Int.init), size >= 8, size <= rest.count {
      if rest.dropFirst(4).prefix(4).elementsEqual(type.utf8) { found.append(rest.prefix(size).dropFirst(8)) }
      rest = rest.dropFirst(size)
    }
    return found
  }

  private static func tracks(_ movie: ArraySlice<UInt8>) -> [UInt32: Track] {
    var tracks: [UInt32: Track] = [:]
    for track in boxes("trak", in: movie) {
      guard let header = boxes("tkhd", in: track).first, let media = boxes("mdia", in: track).first,
        let times = boxes("mdhd", in: media).first, let handler = boxes("hdlr", in: media).first,
        let id = number(header, header.first == 1 ? 20 : 12), let scale = number(times, times.first == 1 ? 20 : 12)
      else { continue }
      let isVideo = handler.dropFirst(8).prefix(4).elementsEqual("vide".utf8)
      tracks[UInt32(id)] = Track(isVideo: isVideo, timescale: Double(max(1, scale)))
    }
    return tracks
  }

  /// - Parameter offset: of the box's contents in the file.
  private static func fragment(_ box: ArraySlice<UInt8>, at offset: Int, of tracks: [UInt32: Track]) -> Fragment? {
    guard let track = boxes("traf", in: box).first, let header = boxes("tfhd", in: track).first,
      let time = boxes("tfdt", in: track).first, time.first == 1, let ticks = number(time, 4, 8),
      let run = boxes("trun", in: track).first, let id = number(header, 4), let known = tracks[UInt32(id)],
      let flags = sampleFlags(header, run)
    else { return nil }
    return Fragment(
      bytes: 0..<0, timeOffset: offset + time.startIndex - box.startIndex + 4, ticks: ticks, timescale: known.timescale,
      isVideo: known.isVideo, isKey: known.isVideo && flags & isNoKey == 0)
  }

  /// A sample's flag: it depends on others.
  private static let isNoKey: UInt64 = 0x10000

  /// The flags of a fragment's first sample: of its run, or else the default of the fragment.
  private static func sampleFlags(_ header: ArraySlice<UInt8>, _ run: ArraySlice<UInt8>) -> UInt64? {
    guard let headerFlags = number(header, 0), let runFlags = number(run, 0) else { return nil }
    if runFlags & 0x4 != 0 { return number(run, runFlags & 0x1 != 0 ? 12 : 8) }
    if runFlags & 0x400 != 0 {
      let before = [0x1, 0x100, 0x200].count { runFlags & $0 != 0 }
      return number(run, 8 + 4 * before)
    }
    guard headerFlags & 0x20 != 0 else { return 0 }
    let before = [(UInt64(0x1), 8), (0x2, 4), (0x8, 4), (0x10, 4)].reduce(0) {
      headerFlags & $1.0 != 0 ? $0 + $1.1 : $0
    }
    return number(header, 8 + before)
  }
}
