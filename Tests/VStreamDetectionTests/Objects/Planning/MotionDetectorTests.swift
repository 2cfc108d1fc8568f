import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamDetection

struct MotionDetectorTests {
  struct Film: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// What FFmpeg draws on a textured picture.
    let filters: String
    /// The frames in which something moves, of 50.
    let moving: Range<Int>
    var isGlobal: Range<Int> = 0..<1
    var format = "yuv420p"
  }

  /// FFmpeg draws random ones otherwise.
  private static let colors = zip(0..., ["8a7", "345", "c96", "57a", "b88", "684", "9ab", "753"]).map {
    "c\($0)=0x\($1.map { "\($0)0" }.joined())"
  }.joined(separator: ":")
  private static let noise = "noise=alls=12:allf=t"
  /// A dark box that appears in frame 30, and moves by 6 pixels a frame.
  private static let walker =
    "null[ground];color=black:size=30x70:rate=25[box];[ground][box]overlay=x='if(lt(n,30),-40,6*(n-30))':y=150"

  @Test(arguments: [
    Film(testDescription: "a still picture", filters: "null", moving: 0..<0),
    Film(testDescription: "a sensor's noise", filters: noise, moving: 0..<0),
    Film(testDescription: "flicker", filters: "eq=brightness='0.06*mod(n,2)':eval=frame,\(noise)", moving: 0..<0),
    Film(testDescription: "light that fades", filters: "eq=brightness='-0.004*n':eval=frame", moving: 0..<0),
    Film(testDescription: "somebody who enters", filters: walker, moving: 31..<50),
    Film(testDescription: "the same in noise", filters: "\(walker),\(noise)", moving: 31..<50),
    Film(testDescription: "the same with ten bits", filters: walker, moving: 31..<50, format: "yuv420p10le"),
    Film(testDescription: "the same in RGB", filters: walker, moving: 31..<50, format: "gbrp"),
    Film(
      testDescription: "another scene", filters: "drawbox=w=iw:h=ih:c=white:t=fill:enable='gte(n,25)'", moving: 0..<0,
      isGlobal: 25..<26),
  ])
  func `what moves is detected, and nothing else`(film: Film) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-f", "lavfi", "-i",
      "gradients=size=640x360:rate=25:seed=3:speed=0.00001:nb_colors=8:\(Self.colors),format=yuv420p,\(film.filters)",
      "-frames:v",
      "50", "-pix_fmt", film.format, "-c:v", "ffv1", folder.file("film.mkv"),
    ])
    var detector = MotionDetector()
    for (index, frame) in try SampleFrames.read(path: folder.file("film.mkv"), at: Array(0..<50)).enumerated() {
      let map = try detector.next(frame)
      #expect(map.isGlobal == (index == 0 || film.isGlobal.contains(index)), "frame \(index)")
      if index > 12, film.moving.isEmpty || index < film.moving.lowerBound - 3 {
        #expect(map.regions(outside: []).isEmpty, "frame \(index): \(map.regions(outside: []))")
      }
      if film.moving.contains(index) {
        let box = Box(x: 6 * Double(index - 30), y: 150, width: 30, height: 70)
        #expect(map.hasMotion(in: box), "frame \(index)")
        let regions = map.regions(outside: [])
        #expect(regions.contains { $0.iou(box) > 0.2 }, "frame \(index): \(regions)")
        #expect(map.regions(outside: regions).isEmpty)
      }
    }
  }
}
