import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

struct ImageFolderTests {
  private static func folder(
    _ path: String, _ format: ImageFormat = .jpeg, overwrites: Bool = false
  ) -> ImageFolder {
    ImageFolder(path, prefix: "face-", index: "faces.csv", format: format, overwrites: overwrites)
  }

  @Test func `names have at least four digits, and a trailing slash does not matter`() {
    #expect([1, 99, 12345].map(Self.folder("a/").name) == ["face-0001.jpg", "face-0099.jpg", "face-12345.jpg"])
    #expect(Self.folder("a//", .png).imagePath(7) == "a/face-0007.png")
    #expect(Self.folder("a").indexPath == "a/faces.csv")
    #expect(Self.folder("/").indexPath == "/faces.csv")
  }

  @Test func `only images of the format, their part files and the table may be written`() throws {
    let outside = try TemporaryFolder()
    let folder = Self.folder(outside.path)
    let rows: [(name: String, isReserved: Bool)] = [
      ("face-0001.jpg", true), ("face-0001.jpg.part", true), ("face-12345.jpg", true), ("faces.csv", true),
      ("face-0001.png", false), ("face-1.jpg", false), ("face-00001.jpg", false), ("face--001.jpg", false),
      ("face-.jpg", false), ("face-", false), ("", false), ("Face-0001.jpg", false), ("other.csv", false),
    ]
    for row in rows {
      #expect(folder.mayWrite(to: outside.file(row.name)) == row.isReserved, "\(row.name)")
      #expect(!folder.mayWrite(to: "/elsewhere/\(row.name)"))
    }
    #expect(folder.mayWrite(to: "\(outside.path)/./face-0001.jpg"))
  }

  @Test func `a folder with such files is refused without overwrite`() throws {
    let outside = try TemporaryFolder()
    for name in ["face-0002.jpg", "face-0001.jpg", "mine.jpg"] {
      try "mine".write(toFile: outside.file(name), atomically: true, encoding: .utf8)
    }
    let error = #expect(throws: VStreamError.self) { try Self.folder(outside.path).requireCreatable() }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("face-0001.jpg' exists already") == true)
    try Self.folder(outside.path, overwrites: true).requireCreatable()
    try Self.folder(outside.path, .png).requireCreatable()
    try Self.folder(outside.file("new")).requireCreatable()
    for name in ["mine.jpg", "no/new"] {
      let error = #expect(throws: VStreamError.self) { try Self.folder(outside.file(name)).requireCreatable() }
      #expect(error?.code == .cannotCreateOutput)
    }
  }

  @Test(arguments: ImageFormat.allCases, [(1, 1), (7, 5), (64, 48)] as [(Int, Int)])
  func `an image is written completely, with its colours`(format: ImageFormat, size: (Int, Int)) throws {
    let outside = try TemporaryFolder()
    let folder = Self.folder(outside.file("new"), format)
    try folder.create()
    try folder.create()
    let rgb = (0..<size.0 * size.1).flatMap { _ in [200, 40, 90] as [UInt8] }
    let frame = try VideoFrame(rgb: rgb, size: PixelSize(width: size.0, height: size.1))
    try folder.write(frame, number: 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [folder.name(1)])
    let raw = try Program.ffmpeg(["-i", folder.imagePath(1), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
    #expect(raw.output.count == rgb.count)
    for (one, other) in zip(raw.output, rgb) { #expect(abs(Int(one) - Int(other)) <= 4) }
    let error = #expect(throws: VStreamError.self) { try folder.write(frame, number: 1) }
    #expect(error?.code == .cannotCreateOutput)
  }

  @Test(arguments: ImageFormat.allCases, [("RGB ", true), ("GRAY", false)])
  func `a colour profile is kept if it is an RGB profile`(format: ImageFormat, profile: (kind: String, isKept: Bool))
    throws
  {
    let outside = try TemporaryFolder()
    let folder = Self.folder(outside.path, format)
    let bytes = [UInt8](repeating: 7, count: 16) + Array(profile.kind.utf8) + [UInt8](repeating: 7, count: 108)
    let frame = try VideoFrame(rgb: [1, 2, 3], size: PixelSize(width: 1, height: 1), profile: bytes)
    #expect(frame.colorProfile == (profile.isKept ? bytes : []))
    try folder.write(frame, number: 1)
    let file = try Data(contentsOf: URL(filePath: folder.imagePath(1)))
    let mark = Data((format == .jpeg ? "ICC_PROFILE" : "iCCP").utf8)
    #expect((file.firstRange(of: mark) != nil) == profile.isKept)
  }

  @Test func `a missing folder is named`() throws {
    let outside = try TemporaryFolder()
    let frame = try VideoFrame(rgb: [1, 2, 3], size: PixelSize(width: 1, height: 1))
    let error = #expect(throws: VStreamError.self) {
      try Self.folder(outside.file("gone"), overwrites: true).write(frame, number: 1)
    }
    #expect(error?.message.contains("gone/face-0001.jpg") == true)
  }

  @Test func `an RGB frame requires three values per pixel`() {
    let size = PixelSize(width: 2, height: 2)
    #expect(throws: VStreamError.self) { try VideoFrame(rgb: [1, 2, 3], size: size) }
  }
}
