import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Images that are read as one video.
struct ImageSequenceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func makeImages(_ count: Int, _ pattern: String = "a%d.png") throws {
    try Program.ffmpeg(
      Clip.video("24x16", rate: "10", seconds: "\(Double(count) / 10)") + [folder.file(pattern)])
  }

  @Test func `each file is a key packet, one frame apart`() throws {
    try makeImages(3)
    let reader = try MediaReader(MediaInput(folder.path, options: [("framerate", "5")]))
    #expect(reader.video.frameRate == Rational(5, 1))
    var packets: [Packet] = []
    while case .packet(let packet) = try reader.next() { packets.append(packet) }
    #expect(packets.map { $0.presentationTime?.seconds } == [0, 0.2, 0.4])
    #expect(packets.allSatisfy { $0.isKey })
    #expect(packets.map(\.bytes) == (1...3).map { ImageFiles.bytes(of: folder.file("a\($0).png")) ?? [] })
    #expect(reader.notices.isEmpty)
  }

  @Test func `a file that cannot be read is damage, and the others keep their times`() throws {
    try makeImages(4)
    try Data().write(to: URL(filePath: folder.file("a2.png")))
    let reader = try MediaReader(MediaInput(folder.path))
    var (times, reasons): ([Int64], [String]) = ([], [])
    loop: while true {
      switch try reader.next() {
      case .packet(let packet): times.append(packet.presentationTime?.ticks ?? -1)
      case .damaged(let reason): reasons.append(reason)
      case .end: break loop
      }
    }
    #expect(times == [0, 2, 3])
    #expect(reasons.count == 1)
    #expect(reasons.first?.contains("a2.png") == true)
  }

  @Test(arguments: [(-1.0, 0), (0, 0), (0.04, 1), (0.08, 2), (100, 4)] as [(Double, Int)])
  func `seeking goes to the image at that time`(seconds: Double, index: Int) throws {
    try makeImages(4)
    let reader = try MediaReader(MediaInput(folder.path))
    #expect(reader.seek(toSeconds: seconds))
    if case .packet(let packet) = try reader.next() {
      #expect(packet.presentationTime?.ticks == Int64(index))
    } else {
      #expect(index == 4)
    }
  }

  @Test func `omitted Exif is reported once, and each image is upright`() throws {
    try makeImages(3, "a%d.jpg")
    for (number, orientation) in [(1, 1), (2, 6), (3, 8)] as [(Int, UInt8)] {
      let path = folder.file("a\(number).jpg")
      let bytes = try #require(ImageFiles.bytes(of: path))
      let photo = ImageMetadata(exif: ImageMetadataTests.exif(orientation), profile: [])
      try Data(photo.embedded(in: bytes, width: 24, height: 16)).write(to: URL(filePath: path))
    }
    let decoded = try Decoded(folder.path)
    #expect(decoded.frames.map { $0.orientation ?? .upright } == [.upright, .clockwise, .counterClockwise])
    let reader = try MediaReader(MediaInput(folder.path))
    while case .packet = try reader.next() {}
    #expect(reader.notices.count == 1)
    #expect(reader.notices.first?.description.contains("a1.jpg") == true)
  }

  @Test func `a trigger ends the sequence`() throws {
    try makeImages(3)
    let interrupt = Interrupt()
    let reader = try MediaReader(MediaInput(folder.path), interrupt: interrupt)
    _ = try reader.next()
    interrupt.trigger()
    guard case .end = try reader.next() else {
      Issue.record("there was a packet after the trigger")
      return
    }
  }
}
