import Testing
import VStreamTestSupport

@testable import VStreamMedia

struct SegmentFilesTests {
  @Test(
    arguments: [
      ("out0.ts", "out0.ts"), ("file:out0.ts", "out0.ts"), ("crypto:out0.ts", "out0.ts"),
      ("crypto:file:a/out0.ts", "a/out0.ts"), ("a://b.ts/../c", nil), ("dir a://b", "dir a://b"),
      ("https://host/out0.ts", nil), ("crypto:http://host/out0.ts", nil),
    ] as [(String, String?)])
  func `a location names a file, by whatever protocols`(location: String, path: String?) {
    #expect(SegmentFiles.path(of: location) == path)
  }
}
