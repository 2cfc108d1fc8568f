import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamPipeline

/// The groups of pictures of an output, and the check that copied ones are the input's.
struct WrittenGroupsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `groups of one kind are one part, and frames of a copied group may be encoded`() {
    var groups = WrittenGroups()
    groups.add(frames: 10, groups: 1, areCopied: true)
    groups.add(frames: 12, groups: 1, areCopied: true)
    groups.add(frames: 8, groups: 1, areCopied: false)
    groups.add(frames: 2, groups: 0, areCopied: false)
    groups.add(frames: 8, groups: 1, areCopied: true)
    #expect(groups.parts.map(\.firstFrame) == [0, 22, 32])
    #expect(groups.parts.map(\.frames) == [22, 10, 8] && groups.parts.map(\.count) == [2, 1, 1])
    #expect(groups.summary.description.contains("3 groups of pictures are copied, 1 encoded: 75 %"))
  }

  @Test func `copied packets are found in another container, and missed where they were encoded`() throws {
    let clip = ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=2", "-pix_fmt", "yuv420p", "-c:v", "libx264"]
    try Program.ffmpeg(clip + [folder.file("a.mp4")])
    for name in ["b.ts", "b.mkv"] { try Program.ffmpeg(["-i", folder.file("a.mp4"), "-c", "copy", folder.file(name)]) }
    try Program.ffmpeg(clip + ["-crf", "30", folder.file("c.mp4")])
    let reader = try MediaReader(MediaInput(folder.file("a.mp4")))
    let groups = try #require(PictureGroups(of: reader.video))
    var written = WrittenGroups()
    while case .packet(let packet) = try reader.next() { written.fingerprints.append(groups.fingerprint(of: packet)) }
    #expect(written.fingerprints.count == 20)
    for name in ["a.mp4", "b.ts", "b.mkv"] { try written.requireCopies(in: folder.file(name)) }
    let error = #expect(throws: VStreamError.self) { try written.requireCopies(in: folder.file("c.mp4")) }
    #expect(error?.code == .inputOutput && error?.message.contains("20 packets") == true)
  }
}
