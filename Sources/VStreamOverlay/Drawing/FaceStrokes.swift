internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

extension DetectedFace: DetailedObservation {
  var labelScore: (note: String, score: Double)? { smiling.map { ("smiling ", $0) } }

  func strokes(_ elements: Set<OverlayOptions.Element>, lineWidth: Double) -> [Stroke] {
    FaceStrokes(self, elements, lineWidth: lineWidth).all
  }
}

/// The strokes of a face: its contours, its landmarks, and an axis that shows the head's rotation.
struct FaceStrokes {
  private(set) var all: [Stroke] = []

  /// The minimum width in pixels, and sizes relative to the line width and to the longer side of the face's box.
  private static let minimumWidth = 1.0
  private static let dotWidth = 2.2
  private static let axisLength = 0.25
  /// The person's left, down, and straight ahead, in the colours that most programs use.
  private static let axisColors = [
    Color(red: 1, green: 0.2, blue: 0.2), Color(red: 0.2, green: 0.9, blue: 0.2), Color(red: 0.3, green: 0.5, blue: 1),
  ]

  init(_ face: DetectedFace, _ elements: Set<OverlayOptions.Element>, lineWidth: Double) {
    // Lines as wide as a box's would cover a small face.
    let extent = max(face.box.width, face.box.height)
    let width = max(Self.minimumWidth, min(lineWidth, extent / 80))
    let color = Color(number: face.colorNumber)
    if elements.contains(.contours) {
      for contour in face.contours ?? [] { all.append(Self.stroke(contour, width, color)) }
    }
    if elements.contains(.landmarks) {
      for landmark in face.landmarks ?? [] {
        all.append(Stroke(points: [landmark.position], width: Self.dotWidth * width + 1.5, color: .black))
        all.append(Stroke(points: [landmark.position], width: Self.dotWidth * width, color: color))
      }
    }
    if elements.contains(.angles), let angles = face.angles {
      all += Self.axis(angles, at: face.box, length: extent * Self.axisLength, width: 1.5 * width)
    }
  }

  private static func stroke(_ contour: FaceContour, _ width: Double, _ color: Color) -> Stroke {
    let isDot = contour.points.count == 1
    let points = contour.kind.isClosed ? contour.points + contour.points.prefix(1) : contour.points
    return Stroke(points: points, width: isDot ? dotWidth * width : width, color: color)
  }

  /// Three lines near the top left corner of the box: the directions of the person's left, down and ahead in the frame.
  private static func axis(_ angles: HeadAngles, at box: Box, length: Double, width: Double) -> [Stroke] {
    let origin = Point(x: box.x + length, y: box.y + length)
    let (x, y, z) = (-angles.x * .pi / 180, -angles.y * .pi / 180, -angles.z * .pi / 180)
    // Columns of the rotation matrix roll · yaw · pitch.
    let ends = [
      (cos(z) * cos(y), sin(z) * cos(y)),
      (cos(z) * sin(y) * sin(x) - sin(z) * cos(x), sin(z) * sin(y) * sin(x) + cos(z) * cos(x)),
      (-(cos(z) * sin(y) * cos(x) + sin(z) * sin(x)), -(sin(z) * sin(y) * cos(x) - cos(z) * sin(x))),
    ]
    return zip(ends, axisColors).map { end, color in
      let tip = Point(x: origin.x + length * end.0, y: origin.y + length * end.1)
      return Stroke(points: [origin, tip], width: width, color: color)
    }
  }
}
