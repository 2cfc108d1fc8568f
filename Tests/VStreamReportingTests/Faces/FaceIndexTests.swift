import Testing
import VStreamCore
import VStreamReporting

struct FaceIndexTests {
  @Test func `a line has as many fields as the heading, and what is not known is empty`() throws {
    var face = DetectedFace(id: 3, score: 0.98765, box: Box(x: 1.234, y: -2, width: 30, height: 40.5))
    face.angles = HeadAngles(x: -2.1, y: 13, z: 1.43217)
    let base = try #require(Rational(1, 30))
    var saved = SavedFace(
      file: "face-0003.jpg", frame: 45, time: Time(ticks: 45, base: base), face: face,
      quality: FaceQuality(sharpness: 0.71239, size: 35, frontality: 0.9))
    #expect(
      FaceIndex.line(saved) == "face-0003.jpg,3,45,1.5,1.23,-2.0,30.0,40.5,0.9877,-2.1,13.0,1.4322,0.7124,0.9")
    saved.face.id = nil
    saved.face.angles = nil
    #expect(FaceIndex.line(saved) == "face-0003.jpg,,45,1.5,1.23,-2.0,30.0,40.5,0.9877,,,,0.7124,0.9")
    let fields = [FaceIndex.heading, FaceIndex.line(saved)].map {
      $0.split(separator: ",", omittingEmptySubsequences: false).count
    }
    #expect(fields == [14, 14])
  }
}
