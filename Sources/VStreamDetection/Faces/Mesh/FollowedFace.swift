internal import VStreamScene

/// A face that is followed from frame to frame by its mesh.
struct TrackedFaceMesh {
  /// Its own among those that were followed.
  let number: Int
  /// As the network sees it now.
  private(set) var mesh: FaceMesh
  /// Its points, smoothed.
  private(set) var steady: FaceMesh
  /// This frame's score: the detector's where it looked, else the mesh's.
  private(set) var score: Double
  private var filter = OneEuroFilter()
  private let isSmoothed: Bool
  private var frame: BoxRelation

  /// - Parameter candidate: what the mesh was found by.
  init(_ mesh: FaceMesh, number: Int, foundBy candidate: FaceCandidate, isSmoothed: Bool, at seconds: Double) {
    self.number = number
    self.mesh = mesh
    self.isSmoothed = isSmoothed
    steady = mesh
    score = candidate.score
    frame = BoxRelation(of: candidate.box, to: mesh.box)
    steady.points = filter.steady(mesh.points, size: size, at: seconds)
  }

  /// The box as the detector would give it, where it does not look.
  var box: Box { frame.applied(to: steady.box) }

  /// Takes the mesh of the next frame.
  mutating func follow(_ mesh: FaceMesh, at seconds: Double) {
    self.mesh = mesh
    steady = mesh
    score = mesh.score
    if isSmoothed { steady.points = filter.steady(mesh.points, size: size, at: seconds) }
  }

  /// Takes what the detector found of the same face on the same frame.
  mutating func confirm(_ candidate: FaceCandidate) {
    score = candidate.score
    frame = frame.mixed(with: BoxRelation(of: candidate.box, to: steady.box))
  }

  /// Whether a box found on the same frame is of this face.
  func isSame(as other: Box) -> Bool {
    let own = box
    guard let shared = own.intersection(other) else { return false }
    return shared.area > Self.sharedPart * min(own.area, other.area)
  }

  /// Boxes of which the smaller has this part in common with the larger are of one face.
  private static let sharedPart = 0.5

  private var size: Double { (mesh.box.width + mesh.box.height) / 2 }
}

/// How the box of a detector lies to the box around the mesh of the same face, in the latter's sizes.
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

  /// Half way to another, so that the box does not jump.
  func mixed(with other: BoxRelation) -> BoxRelation {
    var mixed = self
    mixed.x = (x + other.x) / 2
    mixed.y = (y + other.y) / 2
    mixed.width = (width + other.width) / 2
    mixed.height = (height + other.height) / 2
    return mixed
  }
}
