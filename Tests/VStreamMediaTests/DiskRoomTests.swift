import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamMedia

struct DiskRoomTests {
  @Test(arguments: [
    (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (929_790, "929.8 kB"), (999_949, "999.9 kB"),
    (999_950, "1.0 MB"), (3_145_728, "3.1 MB"), (12_600_000_000, "12.6 GB"), (5_000_000_000_000_000, "5000.0 TB"),
  ])
  func `sizes are told in units that people read`(bytes: Int, text: String) {
    #expect(FreeSpace.text(bytes) == text)
  }

  @Test func `what is written and what is free is the file's and its disk's`() throws {
    let folder = try TemporaryFolder()
    try Data(count: 1234).write(to: URL(filePath: folder.file("a.part")))
    let room = FreeSpace(folder.file("a.part"))
    #expect(room.written == 1234)
    #expect(try #require(room.free) > 0)
    #expect(room.description.hasPrefix("1.2 kB written, ") && room.description.hasSuffix(" free"))
    #expect(room.isEnoughForAnother)
  }

  @Test func `of a file that is not there only the room is told, and of no disk nothing`() throws {
    let folder = try TemporaryFolder()
    let missing = FreeSpace(folder.file("a.part"))
    #expect(missing.written == nil)
    #expect(missing.description.hasSuffix(" free") && !missing.description.contains("written"))
    #expect(FreeSpace("/no/such/folder/a.part").description == "")
  }
}
