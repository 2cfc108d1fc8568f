import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

/// The streams and packets of inputs, and the errors of files that are not media.
struct MediaReaderTests {
  @Test func `a reader describes the streams and chooses the video`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mkv")
    let inputs = Clip.tone() + Clip.video("96x64", rate: "30000/1001")
    try Program.ffmpeg(inputs + ["-map", "0", "-map", "1", "-c:a", "aac", "-metadata", "title=A walk", path])
    let reader = try MediaReader(MediaInput(path))
    #expect(reader.streams.map(\.kind) == [.audio, .video])
    #expect(reader.streams.map(\.label) == ["#0 (audio, aac)", "#1 (video, h264)"])
    #expect(reader.video.index == 1)
    #expect(reader.video.frameRate == Rational(30000, 1001))
    #expect(reader.container.formatName.contains("matroska"))
    #expect(reader.container.metadata.contains { $0.key.lowercased() == "title" && $0.value == "A walk" })
    #expect(abs((reader.container.durationSeconds ?? 0) - 1) < 0.1)
  }

  /// The demuxer of MPEG-TS does not know that a frame is complete until the next one begins.
  @Test func `the packets that are returned after the last data are distinguished from those before`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.ts")
    try Program.ffmpeg(Clip.video("320x240", seconds: "10") + ["-qp", "1", path])
    let reader = try MediaReader(MediaInput(path))
    var exhausted: [Bool] = []
    while case .packet = try reader.next() { exhausted.append(reader.isExhausted) }
    #expect(exhausted.first == false && exhausted.last == true)
    #expect(exhausted.filter { $0 }.count <= 2, "\(exhausted)")
    reader.close()
    #expect(!reader.isExhausted)
  }

  @Test func `packets come in the file's order, then the end, repeatedly`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mp4")
    try Program.ffmpeg(Clip.video() + ["-g", "5", path])
    let reader = try MediaReader(MediaInput(path))
    var keys: [Bool] = []
    while case .packet(let packet) = try reader.next() {
      #expect(packet.byteCount > 0)
      #expect(packet.presentationTime != nil)
      keys.append(packet.isKey)
    }
    #expect(keys.count == 10)
    #expect(keys.filter { $0 }.count == 2)
    guard case .end = try reader.next() else {
      Issue.record("there was something after the end")
      return
    }
  }

  @Test func `seeking goes to the preceding keyframe`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mp4")
    try Program.ffmpeg(Clip.video(seconds: "2") + ["-c:v", "libx264", "-bf", "0", "-g", "5", path])
    let reader = try MediaReader(MediaInput(path))
    #expect(reader.seek(toSeconds: 1.3))
    guard case .packet(let packet) = try reader.next() else {
      Issue.record("nothing after the seek")
      return
    }
    #expect(packet.isKey)
    #expect(packet.presentationTime?.seconds == 1.0)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let file: String
    let contents: String?
    let code: VStreamError.Code
    let expected: String
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "missing", file: "missing.mp4", contents: nil, code: .inputNotFound, expected: "no file"),
    Row(
      name: "missing, with a percent sign", file: "100%.mp4", contents: nil, code: .inputNotFound, expected: "100%.mp4"),
    Row(name: "empty", file: "empty.mp4", contents: "", code: .unreadableInput, expected: "is empty"),
    Row(name: "a word", file: "word.mp4", contents: "hello\n", code: .unreadableInput, expected: "word.mp4"),
    Row(
      name: "a long text", file: "long.txt", contents: String(repeating: "lorem ipsum dolor\n", count: 5000),
      code: .unreadableInput, expected: "is text, not a video"),
  ]

  @Test(arguments: rows)
  func `a file that is not media is an error that names it`(row: Row) throws {
    let folder = try TemporaryFolder()
    let path = folder.file(row.file)
    if let contents = row.contents { try contents.write(toFile: path, atomically: true, encoding: .utf8) }
    let error = failure { _ = try MediaReader(MediaInput(path)) }
    #expect(error?.code == row.code)
    #expect(error?.message.contains(row.expected) == true, "\(error?.message ?? "no error")")
    #expect(error?.message.contains(path) == true)
  }

  @Test func `a folder without images is an error`() throws {
    let folder = try TemporaryFolder()
    let error = failure { _ = try MediaReader(MediaInput(folder.path)) }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains("has no images") == true)
  }

  @Test func `the error of a file without video lists its streams`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.m4a")
    try Program.ffmpeg(Clip.tone() + ["-c:a", "aac", path])
    let error = failure { _ = try MediaReader(MediaInput(path)) }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains("has no video: only #0 (audio, aac)") == true)
  }

  @Test func `a cover image is not a video`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mp3")
    let cover = ["-map", "0", "-map", "1", "-frames:v", "1", "-c:v", "mjpeg", "-disposition:v", "attached_pic"]
    try Program.ffmpeg(Clip.tone() + Clip.video() + cover + [path])
    let error = failure { _ = try MediaReader(MediaInput(path)) }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains("has no video") == true)
  }

  @Test func `an MP4 without its index cannot be read`() throws {
    let folder = try TemporaryFolder()
    let (whole, cut) = (folder.file("whole.mp4"), folder.file("cut.mp4"))
    try Program.ffmpeg(Clip.video() + [whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: cut))
    let error = failure { _ = try MediaReader(MediaInput(cut)) }
    #expect(error?.code == .unreadableInput)
  }

  /// As a phone's image whose codec FFmpeg cannot read begins.
  @Test(arguments: ["heic", "heix", "mif1"])
  func `a HEIC image that cannot be read is called so, with what reads it`(brand: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("IMG_0001.HEIC")
    let header: [UInt8] = [0, 0, 0, 16] + Array("ftyp\(brand)".utf8) + [0, 0, 0, 0, 0, 0, 0, 8] + Array("meta".utf8)
    try Data(header).write(to: URL(filePath: path))
    let error = try #require(throws: VStreamError.self) { try MediaReader(MediaInput(path)) }
    #expect(error.code == .unreadableInput)
    #expect(error.description.contains("is a HEIC image, which the installed FFmpeg"))
    #expect(error.advice.description.contains("heif-convert"))
  }

  @Test func `an MP4 that is cut after its index is decoded up to the cut`() throws {
    let folder = try TemporaryFolder()
    let (whole, cut) = (folder.file("whole.mp4"), folder.file("cut.mp4"))
    try Program.ffmpeg(Clip.video(seconds: "4") + ["-g", "5", "-movflags", "+faststart", whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    try bytes.prefix(bytes.count * 2 / 3).write(to: URL(filePath: cut))
    let count = try Decoded(cut).frames.count
    #expect(count > 5)
    #expect(count < 40)
  }

  @Test func `an unknown format and an unknown option are wrong usage`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.mp4")
    try Program.ffmpeg(Clip.video(seconds: "0.1") + [path])
    let format = failure { _ = try MediaReader(MediaInput(path, format: "bogus")) }
    #expect(format?.code == .usage)
    #expect(format?.message.contains("bogus") == true)
    let option = failure { _ = try MediaReader(MediaInput(path, options: [("bogus", "1")])) }
    #expect(option?.code == .usage)
    #expect(option?.message.contains("bogus") == true)
  }

  @Test(arguments: ["a b.mp4", "it's \"q\".mp4", "co:lon.mp4", "100%d.mp4", "ünï漢.mp4", "a#b?c.mp4", "pipe:1.mp4"])
  func `file names with special characters are read as names`(name: String) throws {
    let folder = try TemporaryFolder()
    let plain = folder.file("plain.mp4")
    try Program.ffmpeg(Clip.video(seconds: "0.3") + [plain])
    try FileManager.default.moveItem(atPath: plain, toPath: folder.file(name))
    #expect(try Decoded(folder.file(name)).frames.count == 3)
    try Transcoder().run(folder.file(name), to: folder.file("out " + name))
    #expect(folder.names == [name, "out " + name].sorted())
  }

  @Test func `only a scheme makes a URL`() {
    #expect(MediaInput("rtsp://camera/1").isURL)
    #expect(MediaInput("https://host/a.mp4").isURL)
    #expect(!MediaInput("C:/a.mp4").isURL)
    #expect(!MediaInput("co:lon.mp4").isURL)
    #expect(!MediaInput("a b://x").isURL)
    #expect(MediaInput("folder/a.mp4").fileName == "a.mp4")
    #expect(MediaInput("a.mp4").fileName == "a.mp4")
  }
}
