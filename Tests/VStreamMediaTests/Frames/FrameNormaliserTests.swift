import Testing
import VStreamScene

@testable import VStreamMedia

/// The conversions of a stream, and the notices of them.
struct FrameNormaliserTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// Width and height of each frame.
    let sizes: [(width: Int, height: Int)]
    /// The frames that cause a notice.
    let noticed: [Int]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "one size", sizes: [(64, 48), (64, 48), (64, 48)], noticed: []),
    Row(name: "another from the third on", sizes: [(64, 48), (64, 48), (32, 24), (32, 24), (32, 24)], noticed: [2]),
    Row(name: "alternating", sizes: [(64, 48), (32, 24), (64, 48), (32, 24)], noticed: [1]),
    Row(name: "a third size", sizes: [(64, 48), (32, 24), (48, 64), (32, 24), (48, 64)], noticed: [1, 2]),
  ]

  @Test(arguments: rows)
  func `each other size is noticed once`(row: Row) throws {
    let format = try #require(PixelFormat(name: "gray"))
    let normaliser = FrameNormaliser(orientation: .upright) { _ in FrameTarget(format: format) }
    var noticed: [Int] = []
    for (index, (width, height)) in row.sizes.enumerated() {
      let size = PixelSize(width: width, height: height)
      let time = Time(ticks: Int64(index), base: .milliseconds)
      let frames = try normaliser.normalise(try VideoFrame(format: format, size: size, time: time))
      #expect(frames.map(\.size) == [PixelSize(width: 64, height: 48)])
      if !normaliser.takeNotices().isEmpty { noticed.append(index) }
    }
    #expect(noticed == row.noticed)
  }
}
