internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Looks for faces in a whole frame, at one look or at several of growing closeness. One owner at a time.
struct FaceFinder {
  /// The closer the look, the more is taken for a face: of what is found in a part of the frame, this score is wanted,
  /// which is MediaPipe's for the full range.
  private static let minimumCloseScore = 0.6

  private let tiles: FaceTiles?
  private var network: BlazeFace

  init(_ model: Model, _ options: FaceDetectorOptions) throws(VStreamError) {
    let isFast = options.performanceMode == .fast
    network = try BlazeFace(model, isFast ? .short : .full, minimumScore: options.minimumScore)
    tiles = isFast ? nil : FaceTiles(minFaceSize: options.minFaceSize)
  }

  /// - Returns: best first.
  mutating func faces(in frame: VideoFrame, timer: any StepTimer) throws -> [FaceCandidate] {
    let whole = BlazeFace.wholeFrame(frame.size)
    var found = try network.faces(in: frame, region: whole, timer: timer)
    guard let tiles else { return found }
    let smallest = tiles.smallestWidth(in: frame.size)
    found.removeAll { $0.box.width < smallest }
    let regions = tiles.regions(of: frame.size)
    guard let closest = regions.last?.width else { return found }
    found.removeAll { FaceTiles.isTooSmall($0.box, for: whole) }
    for region in regions {
      let candidates = try network.faces(in: frame, region: region, timer: timer)
      found += candidates.filter { candidate in
        candidate.score >= Self.minimumCloseScore && candidate.box.width >= smallest
          && !FaceTiles.isCut(candidate.box, by: region, in: frame.size)
          && (region.width == closest || !FaceTiles.isTooSmall(candidate.box, for: region))
      }
    }
    return weightedSuppression(found, maximumIoU: BlazeFaceDecoder.maximumIoU)
  }
}

/// The squares of a frame that are looked at one by one so that small faces are large enough in them.
struct FaceTiles: Hashable, Sendable {
  /// Width of the smallest face that is sought, as a fraction of the frame's.
  let minFaceSize: Double

  /// A face is found if its width is at least this fraction of a square's side.
  private static let smallestShare = 1.0 / 16
  /// Faces up to twice as large are found in the squares of the level above; these are to lie whole in one square.
  private static let overlap = 3 * smallestShare
  /// Pixels that a face is wide at least: of smaller ones, closer looks see no more.
  private static let smallestFace = 20.0
  /// Levels of squares, each half as wide as the one before.
  private static let mostLevels = 5

  /// What is narrower is not taken for a face that is sought: what is sought may be seen a fourth too small.
  func smallestWidth(in frame: PixelSize) -> Double {
    0.75 * max(Self.smallestFace, minFaceSize * Double(frame.width))
  }

  /// Squares inside the frame, level by level, row by row; none if the whole frame is close enough.
  func regions(of frame: PixelSize) -> [Box] {
    let smallest = max(Self.smallestFace, minFaceSize * Double(frame.width))
    var side = Double(max(frame.width, frame.height))
    var regions: [Box] = []
    for _ in 0..<Self.mostLevels where side * Self.smallestShare > smallest {
      side /= 2
      let columns = Self.starts(along: Double(frame.width), side: side)
      for top in Self.starts(along: Double(frame.height), side: side) {
        regions += columns.map { Box(x: $0, y: top, width: side, height: side) }
      }
    }
    return regions
  }

  /// Where squares begin that cover a length and overlap, evenly spread; one amid a length that is shorter.
  private static func starts(along length: Double, side: Double) -> [Double] {
    guard length > side else { return [(length - side) / 2] }
    let count = Int(((length - overlap * side) / (side - overlap * side)).rounded(.up))
    return (0..<count).map { Double($0) * (length - side) / Double(max(1, count - 1)) }
  }

  /// Whether a face is too small in a square to be told well, and left to closer looks.
  static func isTooSmall(_ face: Box, for square: Box) -> Bool { face.width < smallestShare * square.width }

  /// Whether a face reaches over an edge of its square where the frame goes on; another square has it whole.
  static func isCut(_ face: Box, by square: Box, in frame: PixelSize) -> Bool {
    (face.x < square.x && square.x > 0) || (face.y < square.y && square.y > 0)
      || (face.right > square.right && square.right < Double(frame.width))
      || (face.bottom > square.bottom && square.bottom < Double(frame.height))
  }
}
