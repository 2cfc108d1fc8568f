import Testing
import VStreamMedia

/// The layouts of formats as FFmpeg's documentation of `AVPixelFormat` describes them.
struct PixelFormatTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let model: PixelLayout.Model
    let depth: Int
    let bytes: Int
    let chromaShifts: (Int, Int)
    let isPlanar: Bool
    var hasAlpha = false
    /// Of each component.
    let planes: [Int]
    let steps: [Int]
    let offsets: [Int]
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "yuv420p", model: .yuv, depth: 8, bytes: 1, chromaShifts: (1, 1), isPlanar: true, planes: [0, 1, 2],
      steps: [1, 1, 1], offsets: [0, 0, 0]),
    Row(
      name: "yuvj422p", model: .yuv, depth: 8, bytes: 1, chromaShifts: (1, 0), isPlanar: true, planes: [0, 1, 2],
      steps: [1, 1, 1], offsets: [0, 0, 0]),
    Row(
      name: "yuv444p", model: .yuv, depth: 8, bytes: 1, chromaShifts: (0, 0), isPlanar: true, planes: [0, 1, 2],
      steps: [1, 1, 1], offsets: [0, 0, 0]),
    Row(
      name: "yuv420p10le", model: .yuv, depth: 10, bytes: 2, chromaShifts: (1, 1), isPlanar: true, planes: [0, 1, 2],
      steps: [2, 2, 2], offsets: [0, 0, 0]),
    Row(
      name: "yuv422p12le", model: .yuv, depth: 12, bytes: 2, chromaShifts: (1, 0), isPlanar: true, planes: [0, 1, 2],
      steps: [2, 2, 2], offsets: [0, 0, 0]),
    Row(
      name: "nv12", model: .yuv, depth: 8, bytes: 1, chromaShifts: (1, 1), isPlanar: false, planes: [0, 1, 1],
      steps: [1, 2, 2], offsets: [0, 0, 1]),
    Row(
      name: "p010le", model: .yuv, depth: 10, bytes: 2, chromaShifts: (1, 1), isPlanar: false, planes: [0, 1, 1],
      steps: [2, 4, 4], offsets: [0, 0, 2]),
    Row(
      name: "yuyv422", model: .yuv, depth: 8, bytes: 1, chromaShifts: (1, 0), isPlanar: false, planes: [0, 0, 0],
      steps: [2, 4, 4], offsets: [0, 1, 3]),
    Row(
      name: "gray", model: .gray, depth: 8, bytes: 1, chromaShifts: (0, 0), isPlanar: true, planes: [0], steps: [1],
      offsets: [0]),
    Row(
      name: "gray12le", model: .gray, depth: 12, bytes: 2, chromaShifts: (0, 0), isPlanar: true, planes: [0],
      steps: [2], offsets: [0]),
    Row(
      name: "rgb24", model: .rgb, depth: 8, bytes: 1, chromaShifts: (0, 0), isPlanar: false, planes: [0, 0, 0],
      steps: [3, 3, 3], offsets: [0, 1, 2]),
    Row(
      name: "bgra", model: .rgb, depth: 8, bytes: 1, chromaShifts: (0, 0), isPlanar: false, hasAlpha: true,
      planes: [0, 0, 0], steps: [4, 4, 4], offsets: [2, 1, 0]),
    Row(
      name: "gbrp", model: .rgb, depth: 8, bytes: 1, chromaShifts: (0, 0), isPlanar: true, planes: [2, 0, 1],
      steps: [1, 1, 1], offsets: [0, 0, 0]),
    Row(
      name: "yuva420p", model: .yuv, depth: 8, bytes: 1, chromaShifts: (1, 1), isPlanar: true, hasAlpha: true,
      planes: [0, 1, 2], steps: [1, 1, 1], offsets: [0, 0, 0]),
  ]

  @Test(arguments: rows)
  func `a layout has the position of each component`(row: Row) throws {
    let layout = try #require(PixelFormat(name: row.name)?.layout)
    #expect(layout.model == row.model)
    #expect(layout.depth == row.depth)
    #expect(layout.bytesPerSample == row.bytes)
    #expect(layout.chromaShiftX == row.chromaShifts.0)
    #expect(layout.chromaShiftY == row.chromaShifts.1)
    #expect(layout.isPlanar == row.isPlanar)
    #expect((layout.alpha != nil) == row.hasAlpha)
    #expect(layout.components.map(\.plane) == row.planes)
    #expect(layout.components.map(\.step) == row.steps)
    #expect(layout.components.map(\.offset) == row.offsets)
  }

  @Test func `only chroma is subsampled`() throws {
    let layout = try #require(PixelFormat(name: "yuv420p")?.layout)
    #expect(layout.components.map(\.shiftX) == [0, 1, 1])
    #expect(layout.components.map(\.shiftY) == [0, 1, 1])
  }

  @Test func `values of p010 are shifted to the top of their two bytes`() throws {
    let layout = try #require(PixelFormat(name: "p010le")?.layout)
    #expect(layout.components.map(\.shift) == [6, 6, 6])
  }

  @Test(arguments: [
    "pal8", "monow", "rgb565le", "bgr8", "yuv420p10be", "grayf32le", "xyz12le", "vaapi", "bayer_bggr8", "uyyvyy411",
  ])
  func `pixels that cannot be addressed in whole bytes have no layout`(name: String) throws {
    let format = try #require(PixelFormat(name: name))
    #expect(format.layout == nil)
  }

  @Test func `a format has a name, and an unknown name has no format`() {
    #expect(PixelFormat(name: "yuv420p")?.description == "yuv420p")
    #expect(PixelFormat(name: "yuv421p") == nil)
    #expect(PixelFormat(name: "") == nil)
  }
}
