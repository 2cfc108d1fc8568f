import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// The groups of pictures of H.264 that can be decoded alone.
struct ClosedGroupsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    var file = "a.mp4"
    var options: [String] = []
    /// The numbers of the packets with which closed groups begin, and of those with user data.
    var begins = [0, 10, 20]
    var userData: [Int] = []
    var testDescription: String { name }
  }

  private func open(_ row: Row) throws -> (reader: MediaReader, packets: [Packet]) {
    try Program.ffmpeg(
      Clip.video("64x48", rate: "10", seconds: "3")
        + ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "10", "-bf", "2"] + row.options + [folder.file(row.file)])
    let reader = try MediaReader(MediaInput(folder.file(row.file)))
    var packets: [Packet] = []
    while case .packet(let packet) = try reader.next() { packets.append(packet) }
    return (reader, packets)
  }

  private static let note = "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+hello"

  @Test(arguments: [
    Row(name: "lengths before units"), Row(name: "start codes", file: "a.ts"),
    Row(name: "open groups", options: ["-x264-params", "open-gop=1"], begins: [0]),
    Row(name: "user data", options: ["-bsf:v", note], userData: [0, 10, 20]),
    Row(name: "user data between start codes", file: "a.ts", options: ["-bsf:v", note], userData: [0]),
  ])
  func `groups and user data are found in packets`(row: Row) throws {
    let (reader, packets) = try open(row)
    let groups = try #require(ClosedGroups(of: reader.video))
    #expect(packets.count == 30)
    #expect(packets.indices.filter { groups.begins(with: packets[$0]) } == row.begins)
    #expect(row.begins.filter { groups.hasUserData(packets[$0]) } == row.userData)
    #expect(row.userData.isEmpty == !packets.contains(where: groups.hasUserData))
  }

  @Test(arguments: ["a.mp4", "a.ts"])
  func `a group is encoded in the form, times and profile of the packets that it replaces`(file: String) throws {
    let row = Row(name: file, file: file, options: ["-profile:v", "main", "-crf", "18"])
    let (reader, packets) = try open(row)
    let groups = try #require(ClosedGroups(of: reader.video))
    let decoder = try VideoDecoder(reader.video)
    let frames = try packets.flatMap { try decoder.decode($0).frames } + decoder.decode(nil).frames
    let quantiser = try #require(try reader.video.quantiser(of: packets[0]))
    #expect((8...20).contains(quantiser))
    let first = try #require(frames.first)
    let encoder = try GroupEncoder(
      reader.video, groups, settings: EncoderSettings(codec: "libx264"), first: first, quantiser: quantiser)
    let times = Dictionary(uniqueKeysWithValues: packets.map { ($0.presentationTime, $0.decodingTime) })
    var encoded: [Packet] = []
    for (index, frame) in frames.prefix(10).enumerated() {
      let ticks = try #require(times[frame.time] ?? nil).ticks
      encoded += try encoder.encode(frame, isFirst: index == 0, decodingTicks: ticks)
    }
    encoded += try encoder.finish()
    #expect(encoded.map(\.decodingTime) == packets.prefix(10).map(\.decodingTime))
    #expect(Set(encoded.map(\.presentationTime)) == Set(packets.prefix(10).map(\.presentationTime)))
    #expect(encoded.indices.filter { groups.begins(with: encoded[$0]) } == [0])
    // Both sets of parameters are known to one decoder, which goes on behind the seam.
    let joined = try VideoDecoder(reader.video)
    let output = try (encoded + packets.dropFirst(10)).map { try joined.decode($0) } + [joined.decode(nil)]
    #expect(output.flatMap(\.frames).map(\.time) == frames.map(\.time) && !output.contains(where: \.isDamaged))
  }

  @Test func `other codecs have no known groups, and say why`() throws {
    try Program.ffmpeg(Clip.video("64x48", rate: "10", seconds: "1") + ["-c:v", "mpeg4", folder.file("a.mp4")])
    let video = try MediaReader(MediaInput(folder.file("a.mp4"))).video
    #expect(ClosedGroups(of: video) == nil)
    let destination = try OutputDestination(folder.file("b.mp4"), overwrite: false)
    #expect(video.copyObstacle(for: destination)?.description.contains("mpeg4") == true)
  }

  @Test(arguments: [[] as [UInt8], [0], [0, 0, 1], [0, 0, 0, 9], [0, 0, 0, 1, 6], [0, 0, 0, 2, 6, 5, 0]])
  func `packets that are cut off have no groups and no user data`(bytes: [UInt8]) throws {
    for file in ["a.mp4", "a.ts"] {
      let (reader, _) = try open(Row(name: file, file: file))
      let groups = try #require(ClosedGroups(of: reader.video))
      let cut = try Packet.allocate(copying: bytes)
      cut.pointee.flags = 1
      let packet = Packet(takingOwnershipOf: cut, timeBase: .milliseconds)
      #expect(!groups.begins(with: packet) && !groups.hasUserData(packet))
    }
  }

  @Test func `a key frame has the quantiser that it was encoded with, where libav knows it`() throws {
    let (reader, packets) = try open(Row(name: "", options: ["-qp", "25"]))
    let mean = try #require(try reader.video.quantiser(of: packets[0]))
    // Key frames have less, by the ratio 1.4.
    #expect((20...25).contains(mean))
    try Program.ffmpeg(Clip.video("64x48", rate: "10", seconds: "1") + ["-c:v", "ffv1", folder.file("b.mkv")])
    let other = try MediaReader(MediaInput(folder.file("b.mkv")))
    guard case .packet(let key) = try other.next() else { throw ProgramFailure(description: "no packet") }
    #expect(try other.video.quantiser(of: key) == nil)
  }
}
