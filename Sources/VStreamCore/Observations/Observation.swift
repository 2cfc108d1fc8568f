/// One object, face or pose that was detected in a frame, whatever its kind.
///
/// As a detector returns it, `id` is `nil`; as a tracker returns it, `id` is set under the contract of `Tracker`:
/// positive, unique per stream and kind, never reused, never set before the track is confirmed.
public protocol Observation: Hashable, Sendable, Codable {
  /// The kind that it belongs to.
  static var kind: DetectionKind { get }
  /// The noun for one observation: `object`, `face`, `pose`.
  static var name: String { get }
  /// The list of `Observations` that holds this kind.
  static var list: WritableKeyPath<Observations, [Self]?> { get }
  /// The selector of this kind for redaction.
  static var redactionSelector: RedactionSelector { get }
  /// Whether the detector reports confident detections only, so that a higher minimum score for objects does not apply.
  static var hasConfidentDetections: Bool { get }
  /// Whether the run's minimum score applies in single images; otherwise the detector's own threshold does.
  static var hasMinimumScore: Bool { get }

  /// The track's ID; `nil` as a detector returns it, and in single images.
  var id: Int? { get set }
  /// The score of this frame's detection, 0…1; on a predicted frame that of the last detection.
  var score: Double { get }
  /// Pixels of the upright frame.
  var box: Box { get }
  /// Name of the class; the kind's name for kinds without classes.
  var label: String { get }
  /// Whether it was not searched for on its frame, so that its box is the tracker's prediction.
  var isPredicted: Bool { get }
  /// The box that the tracker follows, in pixels of the upright frame; `box` unless a kind defines another.
  var trackedBox: Box { get }
  /// The number of its drawing colour: its ID with an offset, as IDs are unique per kind only.
  var colorNumber: Int { get }

  /// The observation with all its points moved and scaled so that `trackedBox` is at the given position.
  func moved(to trackedBox: Box) -> Self
  /// The observation in a frame that is `horizontal` times as wide and `vertical` times as high.
  func scaled(x horizontal: Double, y vertical: Double) -> Self
}

extension Observation {
  public static var hasConfidentDetections: Bool { true }
  public static var hasMinimumScore: Bool { true }
  public var label: String { Self.name }
  public var isPredicted: Bool { false }
  public var trackedBox: Box { box }
}

/// The selector of the observations of a kind for redaction.
public enum RedactionSelector: Hashable, Sendable {
  /// The label of each.
  case label
  /// One name, for all of them.
  case kind(String)
  /// Nothing: they cannot be redacted.
  case none
}
