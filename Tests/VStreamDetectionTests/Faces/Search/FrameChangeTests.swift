import Testing
import VStreamMedia
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

struct FrameChangeTests {
  /// A grey film, on which boxes are drawn.
  private func frames(_ boxes: String, count: Int) throws -> [VideoFrame] {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=gray:size=640x360:rate=25,\(boxes)", "-frames:v", "\(count)", "-c:v", "ffv1",
      folder.file("boxes.mkv"),
    ])
    return try SampleFrames.read(path: folder.file("boxes.mkv"), at: Array(0..<count))
  }

  /// What changes in each of its frames.
  private func differences(_ boxes: String, count: Int) throws -> [FrameChange.Difference] {
    var change = FrameChange()
    return try frames(boxes, count: count).map { try change.next($0) }
  }

  /// A box that is shown in frame 6 alone.
  private static let flash = "drawbox=x=500:y=200:w=40:h=40:c=white:t=fill:enable='eq(n,6)'"
  /// A box that moves to the right from frame 2 on, by less than the distance of two points a frame.
  private static let moving =
    "null[grey];color=black:size=60x60:rate=25[box];[grey][box]overlay=x='40+8*max(0,n-2)':y=50"

  @Test func `the first frame is a cut, and so is another scene`() throws {
    let found = try differences("drawbox=w=iw:h=200:c=white:t=fill:enable='gte(n,2)'", count: 4)
    #expect(found.map(\.isCut) == [true, false, true, false])
  }

  @Test func `what appears is a change where it is, and again where it disappears`() throws {
    let found = try differences(Self.flash, count: 9).map(\.points)
    #expect(found[...5].allSatisfy(\.isEmpty) && !found[6].isEmpty && found[8].isEmpty)
    #expect(found[6].allSatisfy { Box(x: 500, y: 200, width: 40, height: 40).contains($0) })
  }

  @Test func `motion is a change only while it begins`() throws {
    let found = try differences(Self.moving, count: 10).map(\.points.count)
    #expect(found[1] == 0 && found[2] > 0, "\(found)")
    #expect(found[3...].allSatisfy { $0 == 0 }, "\(found)")
  }

  @Test func `a region has changed since then only where something else is seen`() throws {
    var change = FrameChange()
    let film = "drawbox=x=500:y=200:w=20:h=20:c=0x606060:t=fill:enable='gte(n,6)',noise=alls=6:allf=t"
    for frame in try frames(film, count: 9) { _ = try change.next(frame) }
    let (there, elsewhere) = (Box(x: 480, y: 180, width: 60, height: 60), Box(x: 0, y: 0, width: 480, height: 360))
    #expect(change.hasChanged(in: there, after: 5 / 25.0) && !change.hasChanged(in: there, after: 6 / 25.0))
    #expect(!change.hasChanged(in: elsewhere, after: 0))
  }

  @Test func `something that appears beside a motion is a change`() throws {
    let found = try differences("\(Self.moving),\(Self.flash)", count: 8).map(\.points)
    #expect(!found[6].isEmpty)
    #expect(found[6].allSatisfy { $0.x >= 500 && $0.y >= 200 }, "\(found[6])")
  }
}
