internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// Tracks faces from frame to frame by their meshes. One owner at a time; the model is shared.
struct FaceMeshTracker {
  private(set) var faces: [TrackedFaceMesh] = []
  private var networks: NetworkPool<FaceMeshNetwork>
  private let isSmoothed: Bool
  /// How many faces have been tracked.
  private var faceCount = 0

  /// The passes in flight on one frame, by the numbers of faces.
  typealias Passes = [Int: FaceMeshNetwork]

  /// The lowest score of a face's mesh.
  private static let minimumScore = 0.5
  /// Meshes whose boxes overlap more than this are of one face.
  static let duplicateIoU = 0.5
  /// A mesh whose own crop lies further from the one that it was computed in, in sides of it, is computed again in its own: part of
  /// the face was outside.
  private static let maximumOffset = 0.12
  /// Meshes with a side of this length or more, in pixels, are discarded as invalid.
  private static let sizeLimit = 1e5

  init(_ model: Model, isSmoothed: Bool) throws(VStreamError) {
    self.isSmoothed = isSmoothed
    networks = try NetworkPool { () throws(VStreamError) in try FaceMeshNetwork(model) }
  }

  /// The crops for searching the frame after the next for the tracked faces, with their numbers.
  var plannedCrops: [(face: Int, crop: RotatedBox)] { faces.map { ($0.number, $0.crop(after: 2)) } }

  /// Starts a pass for each of some faces.
  mutating func start(
    on frame: VideoFrame, _ crops: [(face: Int, crop: RotatedBox)], timer: any StepTimer
  ) throws -> Passes {
    var passes = Passes()
    for (face, crop) in crops { passes[face] = try start(on: frame, crop, timer) }
    return passes
  }

  /// Updates the tracked faces with the meshes on the next frame. A face that a pass has not found is searched for once more
  /// by where it was on the frame before, and then lost.
  ///
  /// - Returns: whether a face was lost.
  mutating func update(with passes: Passes, in frame: VideoFrame, timer: any StepTimer) throws -> Bool {
    var meshes: [Int: FaceMesh] = [:]
    for (face, network) in passes {
      let mesh = try finish(network, timer)
      let own = mesh.nextCrop
      let (from, to) = (network.crop.center, own.center)
      let offset = hypot(to.x - from.x, to.y - from.y) / network.crop.width
      meshes[face] =
        offset > Self.maximumOffset ? try finish(try start(on: frame, own, timer), timer) : mesh
    }
    let before = faces
    faces = []
    for var face in before {
      var mesh = meshes[face.number].flatMap { isNewFace($0, in: frame) ? $0 : nil }
      if mesh == nil { mesh = try newMesh(in: frame, crop: face.crop(after: 1), timer) }
      guard let mesh else { continue }
      face.update(mesh, at: frame.time.seconds)
      faces.append(face)
    }
    return faces.count < before.count
  }

  /// Tracks a detected face from now on. As on the frames that follow, its mesh is the one in the crop that a mesh defines, and so
  /// depends little on the detector's box.
  ///
  /// - Returns: whether it has a mesh, other than that of a tracked face.
  mutating func add(_ candidate: FaceCandidate, in frame: VideoFrame, timer: any StepTimer) throws -> Bool {
    guard let first = try newMesh(in: frame, crop: candidate.meshCrop, timer) else { return false }
    let mesh = try newMesh(in: frame, crop: first.nextCrop, timer) ?? first
    faceCount += 1
    faces.append(
      TrackedFaceMesh(
        mesh, number: faceCount, candidate: candidate, isSmoothed: isSmoothed, at: frame.time.seconds))
    return true
  }

  /// Confirms the face that a detection belongs to, among the first `count`.
  ///
  /// - Returns: whether there is one.
  mutating func confirm(by candidate: FaceCandidate, amongFirst count: Int) -> Bool {
    guard let index = faces.indices.prefix(count).first(where: { faces[$0].isSame(as: candidate.box) }) else {
      return false
    }
    faces[index].confirm(by: candidate)
    return true
  }

  mutating func removeAll() { faces = [] }

  /// The mesh in a crop; `nil` if there is none, or it is that of a tracked face.
  private mutating func newMesh(
    in frame: VideoFrame, crop: RotatedBox, _ timer: any StepTimer
  ) throws -> FaceMesh? {
    let mesh = try finish(try start(on: frame, crop, timer), timer)
    return isNewFace(mesh, in: frame) ? mesh : nil
  }

  private mutating func start(
    on frame: VideoFrame, _ crop: RotatedBox, _ timer: any StepTimer
  ) throws -> FaceMeshNetwork {
    var network = try networks.take()
    try network.start(on: frame, crop: crop, timer: timer)
    return network
  }

  private mutating func finish(_ network: FaceMeshNetwork, _ timer: any StepTimer) throws -> FaceMesh {
    let mesh = try network.finish(timer: timer)
    networks.putBack(network)
    return mesh
  }

  /// Whether a mesh is that of a face in the frame, other than the tracked ones.
  private func isNewFace(_ mesh: FaceMesh, in frame: VideoFrame) -> Bool {
    let box = mesh.box
    return mesh.score >= Self.minimumScore && box.width < Self.sizeLimit && box.height < Self.sizeLimit
      && box.clipped(to: frame.size) != nil && !faces.contains { $0.mesh.box.iou(box) > Self.duplicateIoU }
  }
}
