internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// What records have to hold where something is redacted by them: nothing may stay visible because it is not known.
struct ReplayRequirements {
  let path: String
  /// The kinds that are replayed.
  let kinds: Set<DetectionKind>

  /// Pixels of the frame and of the recorded one; no detector finds anything smaller.
  private static let smallestBox = 1.0
  /// The greatest ratio between the sizes of the recorded frames and of the input's: of more, boxes would be too coarse.
  private static let greatestReduction = 8.0

  /// Checks that the records are of frames like the input's.
  ///
  /// - Throws: `VStreamError.unreadableInput`.
  func check(_ reader: RecordReader, rotation: Int, size: PixelSize) throws(VStreamError) {
    guard reader.rotation == rotation else {
      throw other("has records of frames that were rotated by \(reader.rotation)°, but the input's by \(rotation)°")
    }
    guard Double(reader.size.width) <= Self.greatestReduction * Double(size.width) else {
      throw other("has records of frames of \(reader.size), but the input's are only \(size)")
    }
  }

  private func other(_ what: String) -> VStreamError {
    VStreamError(
      .unreadableInput, "'\(path)' \(what)", subject: path, remedy: "provide the records of this input")
  }

  /// Checks that a record states of all kinds what was detected on the frame, if detectors ran on it, and that each box covers a
  /// part of the frame and has a score: others were not recorded by a detector.
  ///
  /// - Parameters:
  ///   - scale: pixels of the frame for one of the recorded frame.
  ///   - hasDetections: whether the detectors' own results are recorded; otherwise tracks are.
  /// - Throws: `VStreamError.unreadableInput`.
  func check(
    _ record: RecordReader.Frame, hasDetections: Bool, in frame: VideoFrame, _ scale: (x: Double, y: Double)
  ) throws(VStreamError) {
    if hasDetections, record.source == .detected, record.detections == nil {
      throw invalid("no detections", record, frame)
    }
    // The tracks beside recorded detections may have left the frame.
    let replayed = hasDetections ? record.detections : record.found
    for found in [replayed].compactMap(\.self) + record.late.map(\.found) {
      if let missing = kinds.filter({ !found.isDetected($0) }).map(\.rawValue).min() {
        throw invalid("no list of \(missing)", record, frame)
      }
      for subject in kinds.flatMap(found.redactionSubjects) { try check(subject, of: record, in: frame, scale) }
    }
  }

  private func check(
    _ subject: DetectedObject, of record: RecordReader.Frame, in frame: VideoFrame, _ scale: (x: Double, y: Double)
  ) throws(VStreamError) {
    let box = subject.box
    guard box.width >= Self.smallestBox * max(scale.x, 1), box.height >= Self.smallestBox * max(scale.y, 1),
      box.clipped(to: frame.size) != nil
    else {
      let numbers = [box.x, box.y, box.width, box.height].map { $0.formatted(.decimals(0...2)) }
      throw invalid("a box that covers nothing ([\(numbers.joined(separator: ","))], \(subject.label))", record, frame)
    }
    guard (0...1).contains(subject.score) else {
      throw invalid("a score of \(subject.score.formatted(.decimals(0...2))) (\(subject.label))", record, frame)
    }
  }

  private func invalid(_ what: String, _ record: RecordReader.Frame, _ frame: VideoFrame) -> VStreamError {
    VStreamError(
      .unreadableInput,
      "line \(record.line) of '\(path)' has \(what) at \(Int(clamping: frame.time.seconds * 1000)) ms", subject: path,
      remedy: "what has to be redacted in this frame is unknown: record the input again")
  }
}

extension Observations {
  /// Whether a list of a kind is there, however empty.
  fileprivate func isDetected(_ kind: DetectionKind) -> Bool {
    func isDetected(_ kind: (some Observation).Type) -> Bool { self[kind] != nil }
    return isDetected(kind.observationType)
  }
}
