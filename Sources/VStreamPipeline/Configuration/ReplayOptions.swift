internal import VStreamDetection
public import VStreamReporting
public import VStreamScene

/// Where the tracks of a replay come from.
public enum ReplayedTracks: String, Hashable, Sendable, CaseIterable {
  /// The detections are tracked again.
  case again
  /// The tracks are those of the records.
  case recorded
}

/// Records of an earlier run that are replayed instead of running detectors.
public struct ReplayOptions: Hashable, Sendable {
  /// The path of a `.jsonl` file.
  public var path: String
  /// Labels of the objects that are replayed; `nil` for all.
  public var classes: Set<String>?
  /// The kinds that are replayed.
  public var kinds: Set<DetectionKind>
  /// `nil`: again if the records hold detections, else recorded.
  public var tracks: ReplayedTracks?
  /// Whether a frame without a record is an error, as it is where no frame may leave unredacted.
  public var requiresEveryFrame = false

  public init(path: String, classes: Set<String>? = nil, kinds: Set<DetectionKind> = [.objects]) {
    self.path = path
    self.classes = classes
    self.kinds = kinds
  }

  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  public func open() throws(VStreamError) -> RecordReader {
    try RecordReader(path: path, labels: ClassList.coco.names, isStrict: requiresEveryFrame)
  }
}
