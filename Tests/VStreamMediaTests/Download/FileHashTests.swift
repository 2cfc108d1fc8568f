import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

struct FileHashTests {
  /// Figures of FIPS 180-4's examples; the last is a million times the letter a.
  static let rows: [(text: String, hash: String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  @Test(arguments: rows)
  func `a file's SHA-256 is the standard's`(row: (text: String, hash: String)) throws {
    let folder = try TemporaryFolder()
    try row.text.write(toFile: folder.file("a"), atomically: true, encoding: .utf8)
    #expect(try FileHash.sha256(of: folder.file("a")) == row.hash)
  }

  @Test func `the quick hash differs where one bit does`() throws {
    let folder = try TemporaryFolder()
    var bytes = [UInt8](repeating: 7, count: 100_000)
    var hashes: Set<String> = []
    for index in [0, 1, 65_535, 65_536, 99_999] {
      bytes[index] ^= 1
      try Data(bytes).write(to: URL(filePath: folder.file("a")))
      hashes.insert(try FileHash.quick(of: folder.file("a")))
      bytes[index] ^= 1
    }
    try Data(bytes).write(to: URL(filePath: folder.file("a")))
    let hash = try FileHash.quick(of: folder.file("a"))
    #expect(hashes.count == 5 && !hashes.contains(hash) && hash.count == 32)
    #expect(try FileHash.quick(of: folder.file("a")) == hash)
  }

  @Test func `the hash of a missing file is an error`() {
    #expect {
      try FileHash.sha256(of: "/nonexistent")
    } throws: { error in
      (error as? VStreamError)?.code == .inputOutput
    }
  }
}
