/// One object, face or pose that was detected in a frame, whatever its kind.
///
/// As a detector returns it, `id` is `nil`; as a tracker returns it, `id` is set under the contract of `Tracker`:
/// positive, unique per stream and kind, never reused, never set before the track is confirmed.
public protocol Observation: Hashable, Sendable, Codable {
  static var kind: DetectionKind { get }
  /// The list of `Observations` that holds this kind.
  static var list: WritableKeyPath<Observations, [Self]?> { get }

  var id: Int? { get set }
  /// The score of this frame's detection, 0…1; on a predicted frame that of the last detection.
  var score: Double { get }
  /// Pixels of the upright frame.
  var box: Box { get }
  /// Name of the class; `face` and `pose` for these kinds.
  var label: String { get }
  /// The box that the tracker follows, in pixels of the upright frame; `box` unless a kind defines another.
  var trackedBox: Box { get }

  /// The observation with all its points moved and scaled so that `trackedBox` is at the given position.
  func moved(to trackedBox: Box) -> Self
  /// The observation in a frame that is `horizontal` times as wide and `vertical` times as high.
  func scaled(x horizontal: Double, y vertical: Double) -> Self
}

extension Observation {
  public var trackedBox: Box { box }
}

extension Observations {
  /// The observations of one kind; `nil` if that kind was not detected.
  public subscript<Kind: Observation>(kind: Kind.Type) -> [Kind]? {
    get { self[keyPath: Kind.list] }
    set { self[keyPath: Kind.list] = newValue }
  }

  /// The number of observations of all kinds.
  public var count: Int { (objects?.count ?? 0) + (faces?.count ?? 0) + (poses?.count ?? 0) }

  /// The observations of all kinds: objects, then faces, then poses.
  public var all: [any Observation] { (objects ?? []) + (faces ?? []) + (poses ?? []) }

  /// The observations in a frame that is `horizontal` times as wide and `vertical` times as high.
  public func scaled(x horizontal: Double, y vertical: Double) -> Observations {
    Observations(
      objects: objects?.map { $0.scaled(x: horizontal, y: vertical) },
      faces: faces?.map { $0.scaled(x: horizontal, y: vertical) },
      poses: poses?.map { $0.scaled(x: horizontal, y: vertical) })
  }
}
