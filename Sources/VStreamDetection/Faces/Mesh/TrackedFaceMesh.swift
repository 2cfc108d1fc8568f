internal import VStreamCore

/// A face that is tracked from frame to frame by its mesh.
struct TrackedFaceMesh {
  /// Identifies the face among all that were tracked.
  let number: Int
  /// The network's output on the last frame.
  private(set) var mesh: FaceMesh
  /// The same with its points smoothed over time.
  private(set) var smoothed: FaceMesh
  /// The score on the last frame: the detector's if it was run, else the mesh's.
  private(set) var score: Double
  private var filter = OneEuroFilter()
  private let isSmoothed: Bool
  private var relation: BoxRelation
  /// The face's motion to the last frame, in pixels.
  private var motion = Point(x: 0, y: 0)

  /// - Parameter candidate: the detection that the mesh belongs to.
  init(_ mesh: FaceMesh, number: Int, candidate: FaceCandidate, isSmoothed: Bool, at seconds: Double) {
    self.number = number
    self.mesh = mesh
    self.isSmoothed = isSmoothed
    smoothed = mesh
    score = candidate.score
    relation = BoxRelation(of: candidate.box, to: mesh.box)
    smoothed.points = filter.smoothed(mesh.points, size: size, at: seconds)
  }

  /// The box as the detector would report it.
  var box: Box { relation.applied(to: smoothed.box) }

  /// The crop for the mesh some frames later, if the face goes on moving as it does.
  func crop(after frames: Double) -> RotatedBox {
    var crop = mesh.nextCrop
    crop.center.x += frames * motion.x
    crop.center.y += frames * motion.y
    return crop
  }

  /// Updates the face with its mesh on the next frame.
  mutating func update(_ mesh: FaceMesh, at seconds: Double) {
    let (center, before) = (mesh.nextCrop.center, self.mesh.nextCrop.center)
    motion = Point(x: center.x - before.x, y: center.y - before.y)
    self.mesh = mesh
    smoothed = mesh
    score = mesh.score
    if isSmoothed { smoothed.points = filter.smoothed(mesh.points, size: size, at: seconds) }
  }

  /// Updates the box and score with a detection on the same frame.
  mutating func confirm(by candidate: FaceCandidate) {
    score = candidate.score
    relation = relation.mean(with: BoxRelation(of: candidate.box, to: smoothed.box))
  }

  /// Whether a box detected on the same frame is of this face.
  func isSame(as other: Box) -> Bool { box.overlap(other) > Self.sameOverlap }

  /// Boxes are of one face if this fraction of the smaller lies in the larger.
  private static let sameOverlap = 0.5

  private var size: Double { (mesh.box.width + mesh.box.height) / 2 }
}

/// Offset and size of a detector's box relative to the box around the mesh of the same face, in sizes of the latter.
private struct BoxRelation {
  private var x: Double
  private var y: Double
  private var width: Double
  private var height: Double

  init(of box: Box, to mesh: Box) {
    let size = max(1e-6, (mesh.width * mesh.height).squareRoot())
    x = (box.center.x - mesh.center.x) / size
    y = (box.center.y - mesh.center.y) / size
    width = box.width / size
    height = box.height / size
  }

  func applied(to mesh: Box) -> Box {
    let size = (mesh.width * mesh.height).squareRoot()
    return Box(
      center: Point(x: mesh.center.x + x * size, y: mesh.center.y + y * size), width: width * size,
      height: height * size)
  }

  /// The mean with another, so that the box does not jump.
  func mean(with other: BoxRelation) -> BoxRelation {
    var mean = self
    mean.x = (x + other.x) / 2
    mean.y = (y + other.y) / 2
    mean.width = (width + other.width) / 2
    mean.height = (height + other.height) / 2
    return mean
  }
}
