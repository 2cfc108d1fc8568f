import CVStreamLibAV
import Testing

@testable import VStreamMedia

/// Properties of streams, and the formats that hold them. `PropertyTests` reads files back.
struct StreamPropertyTests {
  @Test(arguments: [("deu", "ger"), ("fre", "fra"), ("zho", "chi"), ("eng", "eng"), ("hrv", "hrv")])
  func `a language has QuickTime's code where there is one`(code: String, expected: String) {
    #expect(Container.quickTimeLanguage(code) == expected)
    #expect(Container.quickTimeLanguages.contains(expected) == (expected != "hrv"))
  }

  /// FFmpeg's numbers: 1 side by side, 2 top and bottom, 6 lines.
  @Test(arguments: [(0, false), (1, false), (2, false), (6, true), (7, true)])
  func `views that are neither side by side nor top and bottom are interleaved`(type: UInt8, expected: Bool) {
    let data = SideData(type: AV_PKT_DATA_STEREO3D, bytes: [type, 0, 0, 0])
    #expect(StreamProperty.isInterleavedStereo(data) == expected)
  }

  @Test func `other side data is no stereo mark, and short data has no value`() {
    #expect(!StreamProperty.isInterleavedStereo(SideData(type: AV_PKT_DATA_SPHERICAL, bytes: [6, 0, 0, 0])))
    #expect(SideData(type: AV_PKT_DATA_STEREO3D, bytes: [6]).firstValue == nil)
  }

  @Test func `Matroska holds each property that some format holds, but for the dispositions that it has no flag for`() {
    let others = StreamProperty.all.filter { !$0.formats.isEmpty && !$0.formats.contains("matroska") }
    let names = ["lyrics", "karaoke", "clean effects", "captions"].map { "the disposition '\($0)'" }
    #expect(others.map(\.name) == names)
  }
}
