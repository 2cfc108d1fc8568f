import Foundation
import Testing
import VStreamScene
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

  @Test func `the hash of a missing file is an error`() {
    #expect {
      try FileHash.sha256(of: "/nonexistent")
    } throws: { error in
      (error as? VStreamError)?.code == .inputOutput
    }
  }
}
