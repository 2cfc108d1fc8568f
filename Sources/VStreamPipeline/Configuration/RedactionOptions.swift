internal import VStreamCore
public import VStreamOverlay
internal import VStreamTracking

/// The redaction settings.
public struct RedactionOptions: Sendable {
  /// How it is made unrecognisable.
  public var style: RedactionStyle
  /// The labels of the detections that are redacted, in lower case.
  public var labels: Set<String>
  /// The redacted time before an object's first detection; `nil`: half a second for files, none for live inputs.
  public var lookBack: Duration?
  /// Whether everything that may show the same scene unredacted is omitted: other video streams, cover images,
  /// thumbnails, data.
  public var omitsImages = true
  /// Whether tags that name places, persons and devices are kept.
  public var keepsDescription = false
  /// Whether text and timed metadata are kept, which may name places and people as well: subtitles, closed captions, positions,
  /// chapters' titles.
  public var keepsText = false
  /// Whether the result has the covered regions of each frame.
  package var recordsCoveredEllipses = false
  /// The `labels` that possibly no detector has; a warning names them if no detection has them.
  package var uncertainLabels: Set<String> = []
  /// The memory that frames in the look-back window may take.
  var maximumBufferedBytes = 400 << 20

  public init(_ style: RedactionStyle, labels: Set<String>, lookBack: Duration? = nil) {
    self.style = style
    self.labels = labels
    self.lookBack = lookBack
  }
}

/// The search for redacted subjects, by the command, the library and `vstream serve` alike.
extension RedactionOptions {
  /// The classes for which every frame is searched wholly, and again with a margin: the redacted ones, and persons where faces
  /// are redacted, as their heads are covered where no face is detected.
  ///
  /// - Parameters:
  ///   - labels: the redacted names.
  ///   - classes: the classes that are detected; `nil` for all of the model's.
  ///   - isKnown: whether the model is of the catalogue: these all detect persons.
  package static func searchedClasses(
    for labels: some Sequence<String>, among classes: [String]?, isKnown: Bool
  ) -> Set<String> {
    let person = "person"
    var names: Set<String> = []
    for label in labels {
      if DetectionKind(redactionName: label) == .objects { names.insert(label) }
      if DetectionKind(redactionName: label) == .faces, isKnown, classes?.contains(person) != false {
        names.insert(person)
      }
    }
    return names
  }

  /// The score from which objects are covered: the usual one, even if a model's own is higher.
  package static func score(ofModel score: Double) -> Double { min(score, TrackerOptions().minimumScore) }
}
