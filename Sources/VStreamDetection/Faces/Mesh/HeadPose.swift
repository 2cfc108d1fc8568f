internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A point or direction in three dimensions: x to the image's right, y down, z away from the camera.
struct Vector: Hashable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(_ x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  static func + (one: Vector, other: Vector) -> Vector { Vector(one.x + other.x, one.y + other.y, one.z + other.z) }
  static func - (one: Vector, other: Vector) -> Vector { Vector(one.x - other.x, one.y - other.y, one.z - other.z) }
  static func * (one: Vector, factor: Double) -> Vector { Vector(one.x * factor, one.y * factor, one.z * factor) }
  func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }
  var length: Double { dot(self).squareRoot() }
}

/// The pose of a head: the rotation, scale and translation that fit the mean face to a mesh with the least squared
/// distances.
///
/// Source: B. K. P. Horn, "Closed-form solution of absolute orientation using unit quaternions", 1987.
struct HeadPose {
  /// Rows of the rotation from the mean face to the image.
  let rotation: (Vector, Vector, Vector)
  /// Pixels between the outer eye corners, as if seen from the front.
  let scale: Double
  private let center: Vector
  private let meanCenter: Vector

  /// - Parameter mesh: 468 points in pixels.
  /// - Returns: `nil` if the mesh has no extent.
  init?(_ mesh: [Vector]) {
    let own = MeanFace.vertices.map(\.at)
    let observed = MeanFace.vertices.map { mesh[$0.index] }
    let count = Double(own.count)
    meanCenter = own.reduce(Vector(0, 0, 0), +) * (1 / count)
    center = observed.reduce(Vector(0, 0, 0), +) * (1 / count)
    let a = own.map { [meanCenter] in $0 - meanCenter }
    let b = observed.map { [center] in $0 - center }
    let (spreadA, spreadB) = (a.reduce(0) { $0 + $1.dot($1) }, b.reduce(0) { $0 + $1.dot($1) })
    guard spreadB > 0, spreadB.isFinite else { return nil }
    scale = (spreadB / spreadA).squareRoot()
    rotation = Self.rotation(Self.quaternion(a, b))
  }

  /// A point of the image in the mean face's coordinates: facing the camera, of unit size.
  func normalised(_ point: Vector) -> Vector {
    let moved = (point - center) * (1 / scale)
    let (a, b, c) = rotation
    // The transpose is the inverse rotation.
    return Vector(
      a.x * moved.x + b.x * moved.y + c.x * moved.z, a.y * moved.x + b.y * moved.y + c.y * moved.z,
      a.z * moved.x + b.z * moved.y + c.z * moved.z) + meanCenter
  }

  /// Rotations about X, then Y, then Z, so that rotating the image changes only Z.
  var angles: HeadAngles {
    let (a, b, c) = rotation
    return HeadAngles(
      x: Angle.degrees(-atan2(c.y, c.z)), y: Angle.degrees(asin(min(1, max(-1, c.x)))),
      z: Angle.degrees(-atan2(b.x, a.x)))
  }

  /// The rotation from one set of points to another as a quaternion: the eigenvector of the greatest eigenvalue.
  private static func quaternion(_ a: [Vector], _ b: [Vector]) -> [Double] {
    // Sums of products: x.y is that of a's x with b's y.
    var (x, y, z) = (Vector(0, 0, 0), Vector(0, 0, 0), Vector(0, 0, 0))
    for (one, other) in zip(a, b) {
      x = x + other * one.x
      y = y + other * one.y
      z = z + other * one.z
    }
    return greatestEigenvector([
      [x.x + y.y + z.z, y.z - z.y, z.x - x.z, x.y - y.x],
      [y.z - z.y, x.x - y.y - z.z, x.y + y.x, z.x + x.z],
      [z.x - x.z, x.y + y.x, y.y - x.x - z.z, y.z + z.y],
      [x.y - y.x, z.x + x.z, y.z + z.y, z.z - x.x - y.y],
    ])
  }

  private static func rotation(_ q: [Double]) -> (Vector, Vector, Vector) {
    let (w, x, y, z) = (q[0], q[1], q[2], q[3])
    return (
      Vector(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
      Vector(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
      Vector(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    )
  }
}

/// The unit eigenvector of a symmetric matrix that belongs to its greatest eigenvalue, by Jacobi's rotations.
func greatestEigenvector(_ symmetric: [[Double]]) -> [Double] {
  let count = symmetric.count
  var matrix = symmetric
  var vectors = (0..<count).map { row in (0..<count).map { $0 == row ? 1.0 : 0 } }
  for _ in 0..<20 {
    for p in 0..<count {
      for q in (p + 1)..<max(count, p + 1) where matrix[p][q] != 0 {
        let theta = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q])
        let tangent = (theta < 0 ? -1 : 1) / (abs(theta) + (theta * theta + 1).squareRoot())
        let cosine = 1 / (tangent * tangent + 1).squareRoot()
        let sine = tangent * cosine
        for k in 0..<count {
          (matrix[k][p], matrix[k][q]) = (
            cosine * matrix[k][p] - sine * matrix[k][q], sine * matrix[k][p] + cosine * matrix[k][q]
          )
        }
        for k in 0..<count {
          (matrix[p][k], matrix[q][k]) = (
            cosine * matrix[p][k] - sine * matrix[q][k], sine * matrix[p][k] + cosine * matrix[q][k]
          )
          (vectors[k][p], vectors[k][q]) = (
            cosine * vectors[k][p] - sine * vectors[k][q], sine * vectors[k][p] + cosine * vectors[k][q]
          )
        }
      }
    }
  }
  let greatest = (0..<count).max { matrix[$0][$0] < matrix[$1][$1] } ?? 0
  return vectors.map { $0[greatest] }
}

/// The mean mesh of a frontal face: the reference for a head's angles.
///
/// Contains the points that move with the skull. Unit: from one outer eye corner to the other; origin midway between them; x to
/// the person's left, y down, z away from the camera. Computed from the network's own output on the portrait of the
/// astronaut and on face.mp4 and animation.avi: averaged and made symmetrical.
enum MeanFace {
  struct Vertex {
    /// Index of the mesh's 468 points.
    let index: Int
    let at: Vector
  }

  static let vertices = [
    Vertex(index: 1, at: Vector(0.0000, 0.4082, -0.4362)),
    Vertex(index: 2, at: Vector(0.0000, 0.4746, -0.2726)),
    Vertex(index: 4, at: Vector(0.0000, 0.3417, -0.4587)),
    Vertex(index: 5, at: Vector(0.0000, 0.2551, -0.4336)),
    Vertex(index: 6, at: Vector(0.0000, 0.0408, -0.2694)),
    Vertex(index: 8, at: Vector(0.0000, -0.1543, -0.2242)),
    Vertex(index: 9, at: Vector(0.0000, -0.2524, -0.2384)),
    Vertex(index: 10, at: Vector(0.0000, -0.5680, -0.1858)),
    Vertex(index: 21, at: Vector(-0.7237, -0.2525, 0.2835)),
    Vertex(index: 33, at: Vector(-0.5000, 0.0000, 0.0000)),
    Vertex(index: 48, at: Vector(-0.1876, 0.3878, -0.2749)),
    Vertex(index: 54, at: Vector(-0.6614, -0.3753, 0.1538)),
    Vertex(index: 67, at: Vector(-0.3930, -0.5356, -0.1012)),
    Vertex(index: 93, at: Vector(-0.7237, 0.3293, 0.5865)),
    Vertex(index: 98, at: Vector(-0.1660, 0.4548, -0.1914)),
    Vertex(index: 103, at: Vector(-0.5576, -0.4722, 0.0184)),
    Vertex(index: 109, at: Vector(-0.2124, -0.5631, -0.1699)),
    Vertex(index: 116, at: Vector(-0.6837, 0.1721, 0.1396)),
    Vertex(index: 117, at: Vector(-0.5737, 0.1772, 0.0056)),
    Vertex(index: 127, at: Vector(-0.7572, 0.0334, 0.5277)),
    Vertex(index: 133, at: Vector(-0.1907, 0.0233, -0.0658)),
    Vertex(index: 139, at: Vector(-0.7107, -0.0954, 0.2458)),
    Vertex(index: 143, at: Vector(-0.6747, 0.0404, 0.1587)),
    Vertex(index: 151, at: Vector(0.0000, -0.4052, -0.2226)),
    Vertex(index: 162, at: Vector(-0.7542, -0.1230, 0.4196)),
    Vertex(index: 168, at: Vector(0.0000, -0.0569, -0.2245)),
    Vertex(index: 195, at: Vector(0.0000, 0.1835, -0.3772)),
    Vertex(index: 197, at: Vector(0.0000, 0.1160, -0.3228)),
    Vertex(index: 234, at: Vector(-0.7406, 0.1801, 0.5779)),
    Vertex(index: 251, at: Vector(0.7237, -0.2525, 0.2835)),
    Vertex(index: 263, at: Vector(0.5000, -0.0000, -0.0000)),
    Vertex(index: 278, at: Vector(0.1876, 0.3878, -0.2749)),
    Vertex(index: 284, at: Vector(0.6614, -0.3753, 0.1538)),
    Vertex(index: 297, at: Vector(0.3930, -0.5356, -0.1012)),
    Vertex(index: 323, at: Vector(0.7237, 0.3293, 0.5865)),
    Vertex(index: 327, at: Vector(0.1660, 0.4548, -0.1914)),
    Vertex(index: 332, at: Vector(0.5576, -0.4722, 0.0184)),
    Vertex(index: 338, at: Vector(0.2124, -0.5631, -0.1699)),
    Vertex(index: 345, at: Vector(0.6837, 0.1721, 0.1396)),
    Vertex(index: 346, at: Vector(0.5737, 0.1772, 0.0056)),
    Vertex(index: 356, at: Vector(0.7572, 0.0334, 0.5277)),
    Vertex(index: 362, at: Vector(0.1907, 0.0233, -0.0658)),
    Vertex(index: 368, at: Vector(0.7106, -0.0954, 0.2458)),
    Vertex(index: 372, at: Vector(0.6747, 0.0404, 0.1587)),
    Vertex(index: 389, at: Vector(0.7542, -0.1230, 0.4196)),
    Vertex(index: 454, at: Vector(0.7406, 0.1801, 0.5779)),
  ]
}
