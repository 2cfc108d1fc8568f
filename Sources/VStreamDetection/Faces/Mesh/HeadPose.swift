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
