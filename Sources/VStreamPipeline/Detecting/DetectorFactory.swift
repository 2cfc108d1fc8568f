public import VStreamDetection
internal import VStreamInference
public import VStreamScene

/// Loads the models of one kind of detector, and makes the detectors.
public struct DetectorFactory: Sendable {
  /// Makes one detector; called once on each detector thread.
  public typealias Maker = @Sendable () throws -> any FrameDetecting
  typealias Loader = @Sendable (_ requirements: DetectorRequirements, _ detectors: Int, _ threads: Int) throws -> Maker

  /// What its detectors detect.
  public let kind: DetectionKind
  /// Whether one detector has to be given all frames in their order, as it tracks what it has detected.
  let needsFrameOrder: @Sendable (DetectorRequirements) -> Bool
  private let loader: Loader
  /// The files of the models that its detectors have loaded, if their checksums were compared.
  public var modelFiles: [CheckedModelFile] { checkedFiles.all }
  private let checkedFiles: CheckedFiles
  /// Whether faces that it detects may have landmarks or contours.
  var hasFaceShapes = true
  /// What its detectors search, and what they do not, in words for a receipt.
  public var searches: [String] = []
  public var omissions: [String] = []
  private let cache = Cache()

  /// A detector whose frames are independent.
  ///
  /// - Parameter load: loads what all detectors share, for `detectors` of them on `threads` threads in all.
  public init(_ kind: DetectionKind, load: @escaping @Sendable (_ detectors: Int, _ threads: Int) throws -> Maker) {
    self.init(kind, needsFrameOrder: { _ in false }) { _, detectors, threads in try load(detectors, threads) }
  }

  /// A detector that tracks what it has detected from frame to frame.
  public init(
    tracking kind: DetectionKind,
    load: @escaping @Sendable (_ requirements: DetectorRequirements, _ threads: Int) throws -> Maker
  ) {
    self.init(kind, needsFrameOrder: { _ in true }) { requirements, _, threads in try load(requirements, threads) }
  }

  /// A detector for which the run's requirements decide whether it tracks.
  ///
  /// - Parameter checkedFiles: where `load` adds the files of models that it has checked.
  init(
    _ kind: DetectionKind, needsFrameOrder: @escaping @Sendable (DetectorRequirements) -> Bool,
    checkedFiles: CheckedFiles = CheckedFiles(), load: @escaping Loader
  ) {
    self.kind = kind
    self.checkedFiles = checkedFiles
    self.needsFrameOrder = needsFrameOrder
    loader = load
  }

  /// Loads what all detectors share, for `detectors` of them on `threads` threads in all. Models that the previous run
  /// loaded for the same requirements are reused; a call that comes while another loads them waits for it.
  func load(_ requirements: DetectorRequirements, _ detectors: Int, _ threads: Int) throws -> Maker {
    let key = Cache.Key(requirements: requirements, detectors: detectors, threads: threads)
    return try cache.last.withLock { last -> Result<Maker, any Error> in
      if let last, last.key == key { return .success(last.maker) }
      return Result {
        let maker = restarting(try loader(requirements, detectors, threads), requirements)
        last = (key, maker)
        return maker
      }
    }.get()
  }

  /// Detectors that need the frames in their order start afresh on the grid.
  private func restarting(_ maker: @escaping Maker, _ requirements: DetectorRequirements) -> Maker {
    guard let grid = requirements.grid, needsFrameOrder(requirements) else { return maker }
    return { try RestartedDetection(at: grid, maker) }
  }

  /// The same detectors, which search so many frames of each second of the stream at most; `nil` for all frames.
  func searching(framesPerSecond: Double?) -> DetectorFactory {
    guard let framesPerSecond else { return self }
    var paced = DetectorFactory(kind, needsFrameOrder: { _ in true }, checkedFiles: checkedFiles) {
      var requirements = $0
      requirements.isPaced = true
      let maker = try load(requirements, $1, $2)
      return { PacedDetection(try maker(), framesPerSecond: framesPerSecond) }
    }
    paced.hasFaceShapes = hasFaceShapes
    paced.searches = searches
    paced.omissions = omissions
    return paced
  }

  /// The model files that were checked, each once.
  final class CheckedFiles: Sendable {
    private let files = Lock<[CheckedModelFile]>([])
    var all: [CheckedModelFile] { files.withLock { $0 } }

    func add(_ more: [CheckedModelFile]) {
      files.withLock { files in files += more.filter { !files.contains($0) } }
    }
  }

  /// What was loaded last.
  private final class Cache: Sendable {
    struct Key: Hashable, Sendable {
      let requirements: DetectorRequirements
      let detectors: Int
      let threads: Int
    }

    let last = Lock<(key: Key, maker: Maker)?>(nil)
  }
}

extension ModelConfiguration {
  /// For a small network with several concurrent inferences, each of which runs on one thread.
  static func concurrent(_ inferences: Int, device: String, threads: Int) -> ModelConfiguration {
    ModelConfiguration(
      device: device, streams: min(inferences, threads), threads: min(inferences, threads), precision: .float32)
  }
}
