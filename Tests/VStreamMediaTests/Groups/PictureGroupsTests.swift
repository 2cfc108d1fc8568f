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
    /// The number of groups, whether all but the first are open, and the number of groups with user data in their first packet.
    var groups = 3
    var areOpen = false
    var userData = 0
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
    Row(name: "open groups", options: ["-x264-params", "open-gop=1"], groups: 1),
    Row(name: "user data", options: ["-bsf:v", note], userData: 3),
    Row(name: "user data between start codes", file: "a.ts", options: ["-bsf:v", note], userData: 1),
    Row(name: "HEVC", options: x265, areOpen: true),
    Row(name: "HEVC between start codes", file: "a.ts", options: x265, areOpen: true),
    Row(name: "HEVC, closed", options: x265.dropLast() + ["log-level=error:open-gop=0"]),
    Row(name: "MPEG-2", options: ["-c:v", "mpeg2video"], groups: 4, areOpen: true),
    Row(name: "AV1", options: ["-s", "64x64", "-c:v", "libsvtav1", "-preset", "12", "-svtav1-params", "keyint=10"]),
    Row(name: "VP9", file: "a.webm", options: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]),
    Row(
      name: "motion JPEG", file: "a.mkv", options: ["-bf", "0", "-pix_fmt", "yuvj420p", "-c:v", "mjpeg"],
      groups: 30),
  ])
  func `groups and user data are found in packets`(row: Row) throws {
    let (reader, packets) = try open(row)
    let groups = try #require(PictureGroups(of: reader.video))
    #expect(packets.count == 30)
    let beginnings = packets.map(groups.beginning)
    let begins = packets.indices.filter { beginnings[$0] != nil }
    #expect(begins.count == row.groups && begins.first == 0)
    #expect(begins.dropFirst().allSatisfy { beginnings[$0] == (row.areOpen ? .open : .closed) })
    #expect(begins.filter { groups.hasUserData(packets[$0]) }.count == row.userData)
    #expect((row.userData == 0) == !packets.contains(where: groups.hasUserData))
    #expect(!packets.contains(where: groups.hasOrientation))
  }

  /// A packet of some bytes.
  private func packet(_ bytes: [UInt8]) throws -> Packet {
    let packet = try Packet.allocate(copying: bytes)
    packet.pointee.flags = 1
    return Packet(takingOwnershipOf: packet, timeBase: .milliseconds)
  }

  struct UserData: CustomTestStringConvertible, Sendable {
    let name: String
    var options = ["-c:v", "libx264"]
    var file = "a.ts"
    let bytes: [UInt8]
    var isFound = true
    var hasOrientation = false
    var testDescription: String { name }
  }

  private static let code: [UInt8] = [0, 0, 1]
  private static let place = Array("at 51.5 north".utf8)

  @Test(arguments: [
    UserData(name: "captions in H.264", bytes: code + [6, 4, 3, 0xb5, 0, 0x31, 0x80]),
    UserData(name: "a message of another type", bytes: code + [6, 1, 3, 0xb5, 0, 0x31, 0x80], isFound: false),
    UserData(
      name: "an orientation in H.264", bytes: code + [6, 47, 3, 0x40, 0, 0x31, 0x80], isFound: false,
      hasOrientation: true),
    UserData(name: "a message behind another one", bytes: code + [6, 1, 1, 9, 5, 13] + place + [0x80]),
    UserData(name: "captions in HEVC", options: x265, bytes: code + [39 << 1, 1, 4, 3, 0xb5, 0, 0x31, 0x80]),
    UserData(name: "captions behind a picture of HEVC", options: x265, bytes: code + [40 << 1, 1, 4, 1, 0xb5, 0x80]),
    UserData(name: "user data of MPEG-2", options: ["-c:v", "mpeg2video"], bytes: code + [0xb2] + place),
    UserData(name: "a picture of MPEG-2", options: ["-c:v", "mpeg2video"], bytes: code + [0] + place, isFound: false),
    UserData(
      name: "metadata of AV1", options: ["-s", "64x64", "-c:v", "libsvtav1", "-preset", "12"], file: "a.mp4",
      bytes: [1 << 3 | 2, 1, 7, 5 << 3 | 2, 14, 4] + place),
    UserData(
      name: "light levels of AV1", options: ["-s", "64x64", "-c:v", "libsvtav1", "-preset", "12"], file: "a.mp4",
      bytes: [5 << 3 | 6, 0, 3, 1, 0, 9], isFound: false),
    UserData(
      name: "Exif in JPEG", options: ["-bf", "0", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], file: "a.mkv",
      bytes: [0xff, 0xd8, 0xff, 0xe1, 0, 15] + Array("Exif at 51.5N".utf8) + [0xff, 0xda, 0, 2], hasOrientation: true),
    UserData(
      name: "bytes behind a JPEG image", options: ["-bf", "0", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], file: "a.mkv",
      bytes: [0xff, 0xd8, 0xff, 0xff, 0xdb, 0, 3, 1, 0xff, 0xda, 0, 2, 7, 0xff, 0, 7, 0xff, 0xd9] + place),
    UserData(name: "an unspecified unit of H.264", bytes: code + [24] + place),
    UserData(name: "another view in H.264", bytes: code + [20, 1, 2, 3]),
    UserData(name: "a filler of H.264", bytes: code + [12, 0xff, 0xff, 0x80], isFound: false),
    UserData(name: "a filler of H.264 with text", bytes: code + [12] + place),
    UserData(name: "another layer of HEVC", options: x265, bytes: code + [1 << 1 | 1, 1, 2, 3]),
    UserData(name: "an unspecified unit of HEVC", options: x265, bytes: code + [50 << 1, 1] + place),
    UserData(
      name: "a comment in JPEG", options: ["-bf", "0", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], file: "a.mkv",
      bytes: [0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xfe, 0, 15] + place + [0xff, 0xda, 0, 2]),
    UserData(
      name: "the encoder's name in JPEG", options: ["-bf", "0", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"],
      file: "a.mkv", bytes: [0xff, 0xd8, 0xff, 0xfe, 0, 7] + Array("Lavc1".utf8) + [0xff, 0xda, 0, 2], isFound: false),
  ])
  func `user data is found by its place in a codec's packets, and hostile ends of it crash nothing`(row: UserData)
    throws
  {
    let (reader, _) = try open(Row(name: row.name, file: row.file, options: row.options))
    let groups = try #require(PictureGroups(of: reader.video))
    #expect(groups.hasUserData(try packet(row.bytes)) == row.isFound)
    #expect(groups.hasOrientation(try packet(row.bytes)) == row.hasOrientation)
    for count in 0..<row.bytes.count {
      let cut = try packet(Array(row.bytes.prefix(count)))
      _ = (groups.hasUserData(cut), groups.hasOrientation(cut), groups.fingerprint(of: cut))
      #expect(groups.pictureBytes(cut) <= count)
    }
  }

  @Test(arguments: [
    Row(name: "lengths before units", options: ["-profile:v", "main", "-crf", "18"]),
    Row(name: "start codes", file: "a.ts", options: ["-profile:v", "main", "-crf", "18"]),
    Row(name: "HEVC", options: x265.dropLast() + ["log-level=error:open-gop=0"]),
    Row(name: "HEVC between start codes", file: "a.ts", options: x265.dropLast() + ["log-level=error:open-gop=0"]),
    Row(name: "MPEG-2", file: "a.mkv", options: ["-c:v", "mpeg2video", "-bf", "0"]),
    Row(name: "VP9", file: "a.webm", options: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]),
  ])
  func `a group is encoded in the form, times and quality of the packets that it replaces`(row: Row) throws {
    let (reader, packets) = try open(row)
    var groups = try #require(PictureGroups(of: reader.video))
    let decoder = try VideoDecoder(reader.video)
    let frames = try packets.flatMap { try decoder.decode($0).frames } + decoder.decode(nil).frames
    let first = try #require(frames.first)
    let count = try #require(packets.indices.dropFirst().first { groups.beginning(with: packets[$0]) != nil })
    let replaced = Array(packets.prefix(count))
    let settings = EncoderSettings(codec: groups.encoderName)
    let video = try #require(
      try groups.storeSets(in: reader.video, settings, like: first, key: packets[0], omitsUserData: true))
    let encoder = try GroupEncoder(reader.video, groups, settings: settings, first: first, sample: replaced)
    var encoded: [Packet] = []
    for (index, frame) in frames.prefix(count).enumerated() {
      let ticks = try #require(packets[index].decodingTime).ticks
      encoded += try encoder.encode(frame, isFirst: index == 0, decodingTicks: ticks)
    }
    encoded += try encoder.finish()
    let sizes = [encoded, replaced].map { $0.reduce(0) { $0 + groups.pictureBytes($1) } }
    #expect((0.5...2).contains(Double(sizes[0]) / Double(sizes[1])), "\(sizes)")
    #expect(encoded.map(\.decodingTime) == replaced.map(\.decodingTime))
    #expect(Set(encoded.map(\.presentationTime)) == Set(replaced.map(\.presentationTime)))
    #expect(encoded.indices.filter { groups.beginning(with: encoded[$0]) != nil } == [0])
    // Both sets of parameters are known to one decoder, which goes on behind the seam.
    let joined = try VideoDecoder(video)
    let next = try groups.behindSeam(
      packets[count], isOpen: false, decodingTicks: packets[count].decodingTime?.ticks ?? 0)
    #expect(next.decodingTime == packets[count].decodingTime && next.isKey)
    #expect(groups.fingerprint(of: next) == groups.fingerprint(of: packets[count]))
    let all: [Packet] = encoded + [next] + Array(packets.dropFirst(count + 1))
    var output: [VideoDecoder.Output] = []
    for packet in all { output.append(try joined.decode(packet)) }
    output.append(try joined.decode(nil))
    #expect(output.flatMap(\.frames).map(\.time) == frames.map(\.time) && !output.contains(where: \.isDamaged))
  }

  /// The video as it is written, and the sets of parameters in its header.
  private func written(
    _ row: Row, omitsUserData: Bool = false
  ) throws -> (video: StreamInfo?, header: [UInt8], sets: Set<Int>, own: Int) {
    let (reader, packets) = try open(row)
    var groups = try #require(PictureGroups(of: reader.video))
    let first = try #require(try Decoded(folder.file(row.file)).frames.first)
    let video = try groups.storeSets(
      in: reader.video, EncoderSettings(codec: groups.encoderName), like: first, key: packets[0],
      omitsUserData: omitsUserData)
    let header = video?.parameters.extradata ?? []
    let units = NALUnits(isHEVC: reader.video.codecName == "hevc", header: header)
    return (video, header, units.setNumbers(in: units.sets(in: header)), groups.setNumber)
  }

  @Test(
    arguments: [
      (Row(name: "H.264"), [0, 15]),
      (Row(name: "H.264, 15 in use", options: ["-x264-params", "sps-id=15"]), [15, 31]),
      (Row(name: "HEVC", options: x265), [0, 15]),
    ])
  func `the encoder's sets are beside the input's, with a number that is free`(row: Row, numbers: [Int]) throws {
    let (video, _, sets, own) = try written(row)
    #expect(video != nil && sets == Set(numbers) && numbers.contains(own))
  }

  @Test func `where the one number that HEVC has room for is in use, there is no place`() throws {
    _ = try open(Row(name: "", options: Self.x265))
    let reader = try MediaReader(MediaInput(folder.file("a.mp4")))
    let header = reader.video.parameters.extradata
    let form = NALUnits(isHEVC: true, header: header)
    let sets = form.sets(in: header).compactMap { form.renumbered($0[...]) }
    let taken = try reader.video.settingHeader(try #require(form.header(header, adding: sets)))
    var groups = try #require(PictureGroups(of: taken))
    guard case .packet(let key) = try reader.next() else { throw ProgramFailure(description: "no packet") }
    let first = try #require(try Decoded(folder.file("a.mp4")).frames.first)
    let settings = EncoderSettings(codec: "libx265")
    #expect(try groups.storeSets(in: taken, settings, like: first, key: key, omitsUserData: false) == nil)
  }

  /// x265 writes a note with its options into the header.
  @Test(arguments: [false, true])
  func `messages in a header are omitted where something is redacted`(omitsUserData: Bool) throws {
    let header = try written(Row(name: "", options: Self.x265), omitsUserData: omitsUserData).header
    let note = Array("x265 (build".utf8)
    let isFound = header.indices.contains { header[$0...].starts(with: note) }
    #expect(isFound == !omitsUserData && !header.isEmpty)
  }

  @Test func `user data in the header of MPEG-2 is omitted where something is redacted`() throws {
    let (reader, packets) = try open(Row(name: "", file: "a.mkv", options: ["-c:v", "mpeg2video", "-bf", "0"]))
    let header = reader.video.parameters.extradata
    let told = try reader.video.settingHeader(header + Self.code + [0xb2] + Self.place)
    var groups = try #require(PictureGroups(of: told))
    let first = try #require(try Decoded(folder.file("a.mkv")).frames.first)
    let settings = EncoderSettings(codec: "mpeg2video")
    let kept = try groups.storeSets(in: told, settings, like: first, key: packets[0], omitsUserData: false)
    #expect(kept?.parameters.extradata == told.parameters.extradata)
    let clean = try groups.storeSets(in: told, settings, like: first, key: packets[0], omitsUserData: true)
    #expect(clean?.parameters.extradata.count == header.count)
  }

  @Test(arguments: ["a.mp4", "a.ts"])
  func `behind encoded pictures an open group of HEVC is decoded without the frames before it`(file: String) throws {
    let (reader, packets) = try open(Row(name: "", file: file, options: Self.x265))
    let groups = try #require(PictureGroups(of: reader.video))
    let start = try #require(packets.indices.first { groups.beginning(with: packets[$0]) == .open })
    let key = try #require(packets[start].presentationTime)
    let next = try groups.behindSeam(packets[start], isOpen: true, decodingTicks: 7)
    #expect(next.decodingTime?.ticks == 7 && next.presentationTime == key)
    #expect(groups.beginning(with: next) == .closed)
    let decoder = try VideoDecoder(reader.video)
    let all = try packets.flatMap { try decoder.decode($0).frames } + decoder.decode(nil).frames
    let alone = try VideoDecoder(reader.video)
    let rest = packets.dropFirst(start + 1).filter { $0.presentationTime.map { $0 > key } == true }
    let frames = try ([next] + rest).flatMap { try alone.decode($0).frames } + alone.decode(nil).frames
    #expect(frames.map(\.pixels) == all.filter { $0.time >= key }.map(\.pixels))
  }

  @Test(arguments: [0, 90, 180, 270])
  func `painted frames are stored as the stream's`(degrees: Int) throws {
    _ = try open(Row(name: ""))
    try Program.ffmpeg(Program.rotating(folder.file("a.mp4"), by: degrees) + [folder.file("b.mp4")])
    let reader = try MediaReader(MediaInput(folder.file("b.mp4")))
    let upright = FrameNormaliser(orientation: reader.video.orientation) { FrameTarget(format: $0.format) }
    let restorer = FrameRestorer(reader.video)
    for frame in try Decoded(folder.file("b.mp4")).frames {
      let turned = try #require(try upright.normalise(frame).first)
      #expect(turned.size.width == (degrees % 180 == 0 ? 64 : 48))
      let restored = try restorer.restored(turned)
      #expect(restored.size == frame.size && restored.pixels == frame.pixels && restored.time == frame.time)
    }
  }

  @Test func `other codecs have no known groups`() throws {
    try Program.ffmpeg(Clip.video("64x48", rate: "10", seconds: "1") + ["-c:v", "mpeg4", folder.file("a.mp4")])
    let video = try MediaReader(MediaInput(folder.file("a.mp4"))).video
    #expect(PictureGroups(of: video) == nil)
  }

  struct Obstacle: CustomTestStringConvertible, Sendable {
    let name: String
    var options: [String] = []
    var file = "a.mp4"
    var output = "b.mp4"
    /// `nil` where groups can be copied.
    let reason: String?
    var testDescription: String { name }
  }

  @Test(arguments: [
    Obstacle(name: "H.264 to MP4", reason: nil),
    Obstacle(name: "H.264 to MKV", output: "b.mkv", reason: nil),
    Obstacle(name: "H.264 to NUT", output: "b.nut", reason: "nut stores no decoding times before 0"),
    Obstacle(name: "H.264 to WebM", output: "b.webm", reason: "webm cannot hold the video as it is (h264)"),
    Obstacle(name: "images", output: "b-%d.png", reason: "the output is no file"),
    Obstacle(name: "a stream", output: "rtmp://127.0.0.1/live", reason: "the output is no file"),
    Obstacle(
      name: "interlaced", options: ["-flags", "+ildct+ilme", "-vf", "setfield=tff"], reason: "the video is interlaced"),
    Obstacle(
      name: "an alpha channel", options: ["-c:v", "prores_ks", "-bf", "0", "-pix_fmt", "yuva444p10le"], file: "a.mov",
      output: "b.mov", reason: "the video has an alpha channel"),
    Obstacle(
      name: "an alpha channel beside VP9", options: ["-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p"], file: "a.webm",
      output: "b.webm", reason: "the video has an alpha channel"),
    Obstacle(name: "B-frames to AVI", output: "b.avi", reason: "avi stores no presentation times"),
    Obstacle(name: "without B-frames to AVI", options: ["-bf", "0"], output: "b.avi", reason: nil),
    Obstacle(
      name: "motion JPEG of limited range",
      options: ["-c:v", "mjpeg", "-bf", "0", "-strict", "unofficial", "-color_range", "tv"], file: "a.mkv",
      output: "b.mkv", reason: "mjpeg does not support yuv420p"),
    Obstacle(
      name: "ProRes of 12 bits", options: ["-c:v", "prores_ks", "-bf", "0", "-pix_fmt", "yuv444p10le"], file: "a.mov",
      output: "b.mov", reason: "prores_ks does not support yuv444p12le"),
    Obstacle(name: "HEVC to MPEG-TS", options: x265, output: "b.ts", reason: nil),
    Obstacle(
      name: "ProRes to FLV", options: ["-c:v", "prores_ks", "-bf", "0", "-pix_fmt", "yuv422p10le"], file: "a.mov",
      output: "b.flv", reason: "flv cannot hold the video as it is (prores)"),
  ])
  func `what keeps groups from being copied is said`(row: Obstacle) throws {
    let (reader, _) = try open(Row(name: row.name, file: row.file, options: row.options))
    let location = row.output.contains("://") ? row.output : folder.file(row.output)
    let destination = try OutputDestination(location, overwrite: false)
    #expect(reader.video.copyObstacle(for: destination)?.description == row.reason)
  }

  @Test(arguments: [[] as [UInt8], [0], [0, 0, 1], [0, 0, 0, 9], [0, 0, 0, 1, 6], [0, 0, 0, 2, 6, 5, 0]])
  func `packets that are cut off have no groups and no user data`(bytes: [UInt8]) throws {
    for file in ["a.mp4", "a.ts"] {
      let (reader, _) = try open(Row(name: file, file: file))
      let groups = try #require(PictureGroups(of: reader.video))
      let packet = try packet(bytes)
      #expect(groups.beginning(with: packet) == nil && !groups.hasUserData(packet))
    }
  }
}
