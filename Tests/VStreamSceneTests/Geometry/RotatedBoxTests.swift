import Testing
import VStreamScene

struct RotatedBoxTests {
  @Test func `a quarter turn clockwise brings the top left corner to the top right`() {
    let box = RotatedBox(center: Point(x: 10, y: 20), width: 8, height: 4, angle: .pi / 2)
    let (corner, end) = (box.point(across: 0, down: 0), box.point(across: 1, down: 1))
    #expect(abs(corner.x - 12) < 1e-12 && abs(corner.y - 16) < 1e-12)
    #expect(abs(end.x - 8) < 1e-12 && abs(end.y - 24) < 1e-12)
    #expect(box.upright == Box(x: 6, y: 18, width: 8, height: 4))
  }

  @Test func `an upright box has its own corners`() {
    let box = Box(x: 3, y: 4, width: 10, height: 6)
    #expect(RotatedBox(box).point(across: 0, down: 0) == Point(x: 3, y: 4))
    #expect(RotatedBox(box).point(across: 1, down: 0.5) == Point(x: 13, y: 7))
  }
}
