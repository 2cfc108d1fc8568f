import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamTestSupport

/// Faces compared with MediaPipe's Python package, as recorded by `scripts/fixtures/record-reference faces`.
struct FaceReferenceTests {
  /// MediaPipe's faces in a frame of a sample video.
  struct Reference: Decodable, Sendable {
    struct Frame: Decodable, Sendable {
      let clip: String
      let frame: Int
      /// Of its FaceDetection: left, top, width, height.
      let boxes: [[Double]]
      /// Of its FaceMesh, run until the crop is by its own mesh: for each face the points of our contours, in their order.
      let points: [[[Double]]]
    }

    let frames: [Frame]

    init() throws {
      let file = URL(filePath: Checkout.fixture("faces-mediapipe.json"))
      self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }
  }

  @Test func `boxes are from forehead to chin, and points differ by a fiftieth of the eyes' distance`() throws {
    let reference = try Reference()
    var overlaps: [Double] = []
    var distances: [Double] = []
    for clip in Set(reference.frames.map(\.clip)).sorted() {
      let rows = reference.frames.filter { $0.clip == clip }
      for (row, frame) in zip(rows, try SampleFrames.read(clip, at: rows.map(\.frame))) {
        var detector = try SharedFaceModels.detector {
          $0.detectorMode = .singleImage
          $0.contourMode = .all
        }
        let faces = try detector.faces(in: frame, timer: NoTimer())
        #expect(faces.count >= row.boxes.count, "\(clip) \(row.frame)")
        for box in row.boxes {
          let theirs = Box(x: box[0], y: box[1], width: box[2], height: box[3])
          #expect(faces.contains { $0.box.iou(theirs) > 0.3 }, "\(clip) \(row.frame)")
        }
        for mesh in row.points {
          distances.append(faces.compactMap { distance($0, mesh) }.min() ?? 1)
          overlaps.append(faces.map { $0.box.iou(extent(of: mesh)) }.max() ?? 0)
        }
      }
    }
    #expect(overlaps.count >= 20 && distances.count >= 20, "the recording holds hardly anything")
    #expect(overlaps.reduce(0, +) / Double(overlaps.count) > 0.8, "\(overlaps)")
    #expect(distances.reduce(0, +) / Double(distances.count) < 0.02, "\(distances)")
    #expect((overlaps.min() ?? 0) > 0.7 && (distances.max() ?? 1) < 0.05)
  }

  /// The box around a mesh, which has points from the forehead to the chin.
  private func extent(of mesh: [[Double]]) -> Box {
    let (x, y) = (mesh.map { $0[0] }, mesh.map { $0[1] })
    let (left, top) = (x.min() ?? 0, y.min() ?? 0)
    return Box(x: left, y: top, width: (x.max() ?? 0) - left, height: (y.max() ?? 0) - top)
  }

  /// Mean distance of a face's points from a mesh's, in distances between the middles of the eyes.
  private func distance(_ face: DetectedFace, _ mesh: [[Double]]) -> Double? {
    guard let contours = face.contours else { return nil }
    let points = contours.flatMap(\.points)
    guard points.count == mesh.count, let left = face.points(of: .leftEye), let right = face.points(of: .rightEye)
    else {
      return nil
    }
    func middle(_ points: [Point]) -> Point {
      let count = Double(points.count)
      return Point(x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count)
    }
    let (one, other) = (middle(left), middle(right))
    let eyes = hypot(one.x - other.x, one.y - other.y)
    var sum = 0.0
    for (point, theirs) in zip(points, mesh) { sum += hypot(point.x - theirs[0], point.y - theirs[1]) }
    return sum / Double(points.count) / eyes
  }
}
