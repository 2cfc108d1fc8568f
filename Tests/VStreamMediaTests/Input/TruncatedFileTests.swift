import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Truncated or overwritten files: the intact part is read, and the damage is reported.
struct TruncatedFileTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let file: String
    let options: [String]
    /// Whether any beginning with at least one frame can be read.
    var isReadableWhenCut = true
    var testDescription: String { file }
  }

  static let rows = [
    Row(file: "a.mkv", options: ["-c:v", "ffv1", "-g", "1"]),
    Row(file: "a.ts", options: ["-c:v", "mpeg2video", "-g", "5"]),
    Row(file: "a.avi", options: ["-c:v", "mjpeg"]),
    Row(file: "a.nut", options: ["-c:v", "ffv1", "-g", "1"]),
    Row(file: "a.mp4", options: ["-c:v", "mpeg4", "-movflags", "+faststart"]),
    Row(file: "b.mp4", options: ["-c:v", "mpeg4", "-movflags", "+frag_keyframe+empty_moov", "-g", "2"]),
    Row(file: "c.mp4", options: ["-c:v", "mpeg4"], isReadableWhenCut: false),
  ]

  /// The numbers of packets and of pieces of damage until the end; `nil` if the input cannot be opened.
  private static func read(_ path: String) throws -> (packets: Int, damage: Int)? {
    guard let reader = try? MediaReader(MediaInput(path)) else { return nil }
    var (packets, damage, latest) = (0, 0, -Double.infinity)
    while true {
      switch try reader.next() {
      case .packet(let packet):
        packets += 1
        guard let time = packet.decodingTime?.seconds else { continue }
        #expect(time >= latest, "times go forward")
        latest = time
      case .damaged: damage += 1
      case .end: return (packets, damage)
      }
    }
  }

  @Test(arguments: rows)
  func `a file truncated at any byte is read to its end, or refused`(row: Row) throws {
    let folder = try TemporaryFolder()
    let (whole, cut) = (folder.file(row.file), folder.file("cut-" + row.file))
    try Program.ffmpeg(Clip.video("32x32", seconds: "2") + row.options + [whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    let total = try #require(try Self.read(whole))
    #expect(total == (20, 0))
    var latest = 0
    for part in 1..<16 {
      try bytes.prefix(bytes.count * part / 16).write(to: URL(filePath: cut))
      let read = try Self.read(cut)
      let packets = read?.packets ?? 0
      #expect(packets >= latest, "more of the file is more of the video")
      #expect(packets <= total.packets)
      latest = packets
    }
    #expect((latest > 10) == row.isReadableWhenCut, "\(latest) of 20 packets of 15/16 of the file")
  }

  @Test(arguments: rows, UInt64(0)..<4)
  func `a file with overwritten bytes is read to its end, or refused`(row: Row, seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let path = folder.file(row.file)
    try Program.ffmpeg(Clip.video("32x32", seconds: "2") + row.options + [path])
    var bytes = try Data(contentsOf: URL(filePath: path))
    var numbers = SeededNumbers(seed: seed)
    for _ in 0..<20 { bytes[400 + numbers.below(bytes.count - 400)] = UInt8(numbers.below(256)) }
    try bytes.write(to: URL(filePath: path))
    do {
      let reader = try MediaReader(MediaInput(path))
      let decoder = try VideoDecoder(reader.video, threads: 1)
      var (frames, isAtEnd) = (0, false)
      while !isAtEnd {
        switch try reader.next() {
        case .packet(let packet): frames += try decoder.decode(packet).frames.count
        case .damaged: break
        case .end: isAtEnd = true
        }
      }
      frames += try decoder.decode(nil).frames.count
      #expect(frames <= 25)
    } catch {
      #expect([.unreadableInput, .inputOutput].contains(error.code), "\(error)")
    }
  }

  @Test func `reading and closing after the end have no effect`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("32x32") + [folder.file("a.mkv")])
    let reader = try MediaReader(MediaInput(folder.file("a.mkv")))
    _ = try reader.next()
    reader.close()
    reader.close()
    guard case .end = try reader.next() else {
      Issue.record("there was a packet after the input was closed")
      return
    }
  }
}
