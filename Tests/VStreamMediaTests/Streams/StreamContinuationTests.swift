import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// The streams of a connection after those of an earlier one.
struct StreamContinuationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The streams of a clip that FFmpeg makes with these options.
  private func reader(_ name: String, _ options: [String], continuing earlier: StreamContinuation? = nil) throws
    -> MediaReader
  {
    let path = folder.file(name)
    try Program.ffmpeg(Clip.video("32x32", seconds: "0.5") + Clip.tone(seconds: "0.5") + options + [path])
    return try MediaReader(MediaInput(path), continuing: earlier)
  }

  private static let videoFirst = ["-map", "0", "-map", "1", "-c:v", "mpeg4", "-c:a", "aac"]
  private static let audioFirst = ["-map", "1", "-map", "0", "-r", "50", "-c:v", "mpeg2video", "-c:a", "aac"]

  @Test func `streams in another order, of another codec and time base continue the first ones`() throws {
    let first = try reader("a.mp4", Self.videoFirst)
    let continuation = StreamContinuation(streams: first.streams, video: first.video) { 100 }
    let second = try reader("b.ts", Self.audioFirst, continuing: continuation)
    #expect(second.streams.map(\.label) == first.streams.map(\.label))
    #expect(second.video.index == first.video.index)
    #expect(second.video.timeBase == first.video.timeBase)
    #expect(second.video.frameRate == first.video.frameRate, "it need not be estimated again")
    #expect(second.video.codecName == "mpeg2video", "the decoder is made for what is sent now")
    #expect(second.continuesAt == 100)
    var earliest: [Int: Double] = [:]
    while case .packet(let packet) = try second.next() {
      guard let time = packet.decodingTime?.seconds else { continue }
      earliest[packet.streamIndex] = min(earliest[packet.streamIndex] ?? .infinity, time)
    }
    #expect(earliest.keys.sorted() == [0, 1])
    #expect(earliest.values.allSatisfy { abs($0 - 100) < 0.2 }, "\(earliest)")
  }

  @Test func `audio of another codec continues nothing`() throws {
    let first = try reader("a.mp4", Self.videoFirst)
    let continuation = StreamContinuation(streams: first.streams, video: first.video) { 0 }
    let second = try reader("b.mkv", ["-c:v", "mpeg4", "-c:a", "flac"], continuing: continuation)
    var indices: Set<Int> = []
    while case .packet(let packet) = try second.next() { indices.insert(packet.streamIndex) }
    #expect(indices == [first.video.index, first.streams.count])
  }

  @Test func `two equal streams continue two, each its own`() throws {
    let twoTones = ["-map", "0", "-map", "1", "-map", "1", "-c:v", "mpeg4", "-c:a", "aac"]
    let first = try reader("a.mp4", twoTones)
    let continuation = StreamContinuation(streams: first.streams, video: first.video) { 0 }
    let second = try reader("b.mp4", twoTones)
    let mapping = continuation.mapping(of: second.streams, video: second.video)
    #expect(mapping.targets.mapValues(\.index) == [0: 0, 1: 1, 2: 2])
  }
}
