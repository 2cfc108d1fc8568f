import Synchronization
import Testing
import VStreamCore

@testable import VStreamMedia

/// Frames that a program makes, which are read as a video.
struct FrameSequenceTests {
  private static let size = PixelSize(width: 16, height: 8)

  private static func frame(at ticks: Int64, base: Rational = .milliseconds, size: PixelSize = size) throws
    -> VideoFrame
  {
    try VideoFrame(
      rgb: [UInt8](repeating: UInt8(ticks % 256), count: 3 * size.width * size.height), size: size
    ).retimed(to: Time(ticks: ticks, base: base), duration: 5)
  }

  private static func reader(_ frames: [VideoFrame]) throws -> MediaReader {
    let rest = Mutex(frames)
    return try MediaReader(
      MediaInput { () throws(VStreamError) in rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
  }

  @Test func `each frame is decoded with its time, duration and pixels, which are not copied`() throws {
    let frames = try [40, 60, 70].map { try Self.frame(at: $0) }
    let reader = try Self.reader(frames)
    #expect(reader.video.timeBase == .milliseconds && reader.video.pixelCount == 128)
    #expect(!reader.isSeekable && reader.container.kind == .frames && !reader.container.isLive)
    #expect(reader.container.startSeconds == 0.04)
    let decoder = try VideoDecoder(reader.video)
    var decoded: [VideoFrame] = []
    while case .packet(let packet) = try reader.next() { decoded += try decoder.decode(packet).frames }
    decoded += try decoder.decode(nil).frames
    #expect(decoded.map(\.time) == frames.map(\.time) && decoded.map(\.durationTicks) == [5, 5, 5])
    for (one, other) in zip(decoded, frames) {
      #expect(one.withPlanes { $0.bases[0] } == other.withPlanes { $0.bases[0] })
    }
  }

  @Test func `times are in the first frame's base, whatever those of the others`() throws {
    let reader = try Self.reader([
      try Self.frame(at: 0), try Self.frame(at: 40_000, base: .microseconds), try Self.frame(at: 80),
    ])
    var ticks: [Int64?] = []
    while case .packet(let packet) = try reader.next() { ticks.append(packet.presentationTime?.ticks) }
    #expect(ticks == [0, 40, 80])
  }

  @Test func `a frame without pixels, or not later than the one before, is an error`() throws {
    let empty = try VideoFrame(
      withoutPixels: Self.size, format: Self.frame(at: 0).format, time: Time(ticks: 9, base: .milliseconds))
    for second in [empty, try Self.frame(at: 3), try Self.frame(at: 2)] {
      let reader = try Self.reader([try Self.frame(at: 3), second])
      _ = try reader.next()
      let error = #expect(throws: VStreamError.self) { _ = try reader.next() }
      #expect(error?.code == .usage)
    }
    let none = #expect(throws: VStreamError.self) { _ = try Self.reader([]) }
    #expect(none?.code == .unreadableInput)
  }
}
