import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// The groups of pictures that can be decoded alone, and replaced.
struct PictureGroupsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    var file = "a.mp4"
    var options: [String] = []
    /// The numbers of the packets with which groups begin, of which some are open, and of those with user data.
    var begins = [0, 10, 20]
    var open: [Int] = []
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

  private static let x265 = ["-c:v", "libx265", "-x265-params", "log-level=error"]

  private static let note = "h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+hello"

  @Test(arguments: [
    Row(name: "lengths before units"), Row(name: "start codes", file: "a.ts"),
    Row(name: "open groups", options: ["-x264-params", "open-gop=1"], begins: [0]),
    Row(name: "user data", options: ["-bsf:v", note], userData: [0, 10, 20]),
    Row(name: "user data between start codes", file: "a.ts", options: ["-bsf:v", note], userData: [0]),
    Row(name: "HEVC", options: x265, begins: [0, 8, 20], open: [8, 20]),
    Row(name: "HEVC between start codes", file: "a.ts", options: x265, begins: [0, 8, 20], open: [8, 20]),
    Row(name: "HEVC, closed", options: x265.dropLast() + ["log-level=error:open-gop=0"]),
    Row(name: "MPEG-2", options: ["-c:v", "mpeg2video"], begins: [0, 10, 19, 28], open: [10, 19, 28]),
    Row(name: "AV1", options: ["-s", "64x64", "-c:v", "libsvtav1", "-preset", "12", "-svtav1-params", "keyint=10"]),
    Row(name: "VP9", file: "a.webm", options: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]),
    Row(
      name: "motion JPEG", file: "a.mkv", options: ["-bf", "0", "-pix_fmt", "yuvj420p", "-c:v", "mjpeg"],
      begins: Array(0..<30)),
  ])
  func `groups and user data are found in packets`(row: Row) throws {
    let (reader, packets) = try open(row)
    let groups = try #require(PictureGroups(of: reader.video))
    #expect(packets.count == 30)
    #expect(packets.indices.filter { groups.beginning(with: packets[$0]) != nil } == row.begins)
    #expect(packets.indices.filter { groups.beginning(with: packets[$0]) == .open } == row.open)
    #expect(row.begins.filter { groups.hasUserData(packets[$0]) } == row.userData)
    #expect(row.userData.isEmpty == !packets.contains(where: groups.hasUserData))
  }

  @Test(arguments: ["a.mp4", "a.ts"])
  func `a group is encoded in the form, times and profile of the packets that it replaces`(file: String) throws {
    let row = Row(name: file, file: file, options: ["-profile:v", "main", "-crf", "18"])
    let (reader, packets) = try open(row)
    let groups = try #require(PictureGroups(of: reader.video))
    let decoder = try VideoDecoder(reader.video)
    let frames = try packets.flatMap { try decoder.decode($0).frames } + decoder.decode(nil).frames
    let first = try #require(frames.first)
    let encoder = try GroupEncoder(
      reader.video, groups, settings: EncoderSettings(codec: "libx264"), first: first, sample: Array(packets.prefix(10))
    )
    var encoded: [Packet] = []
    for (index, frame) in frames.prefix(10).enumerated() {
      let ticks = try #require(packets[index].decodingTime).ticks
      encoded += try encoder.encode(frame, isFirst: index == 0, decodingTicks: ticks)
    }
    encoded += try encoder.finish()
    let sizes = [encoded, Array(packets.prefix(10))].map { $0.reduce(0) { $0 + $1.byteCount } }
    #expect((0.6...1.6).contains(Double(sizes[0]) / Double(sizes[1])), "the quality is the replaced packets': \(sizes)")
    #expect(encoded.map(\.decodingTime) == packets.prefix(10).map(\.decodingTime))
    #expect(Set(encoded.map(\.presentationTime)) == Set(packets.prefix(10).map(\.presentationTime)))
    #expect(encoded.indices.filter { groups.beginning(with: encoded[$0]) != nil } == [0])
    // Both sets of parameters are known to one decoder, which goes on behind the seam.
    let joined = try VideoDecoder(reader.video)
    let output = try (encoded + packets.dropFirst(10)).map { try joined.decode($0) } + [joined.decode(nil)]
    #expect(output.flatMap(\.frames).map(\.time) == frames.map(\.time) && !output.contains(where: \.isDamaged))
  }

  @Test func `other codecs have no known groups`() throws {
    try Program.ffmpeg(Clip.video("64x48", rate: "10", seconds: "1") + ["-c:v", "mpeg4", folder.file("a.mp4")])
    let video = try MediaReader(MediaInput(folder.file("a.mp4"))).video
    #expect(PictureGroups(of: video) == nil)
  }

  @Test(arguments: [[] as [UInt8], [0], [0, 0, 1], [0, 0, 0, 9], [0, 0, 0, 1, 6], [0, 0, 0, 2, 6, 5, 0]])
  func `packets that are cut off have no groups and no user data`(bytes: [UInt8]) throws {
    for file in ["a.mp4", "a.ts"] {
      let (reader, _) = try open(Row(name: file, file: file))
      let groups = try #require(PictureGroups(of: reader.video))
      let cut = try Packet.allocate(copying: bytes)
      cut.pointee.flags = 1
      let packet = Packet(takingOwnershipOf: cut, timeBase: .milliseconds)
      #expect(groups.beginning(with: packet) == nil && !groups.hasUserData(packet))
    }
  }
}
