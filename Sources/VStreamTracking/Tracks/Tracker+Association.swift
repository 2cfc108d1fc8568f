internal import VStreamCore

/// The association of detections with tracks.
extension Tracker {
  /// Fills the workspace with the detections of a frame, none of them assigned.
  mutating func collect(_ detections: [DetectedObject], in work: inout TrackerWorkspace) {
    work.detections.removeAll(keepingCapacity: true)
    let lowestScore = min(Rule.lowestScore, options.minimumScore)
    for (index, object) in detections.enumerated() {
      guard Self.isValid(object) else {
        detectionsSkipped += 1
        continue
      }
      guard object.score >= lowestScore else { continue }
      work.detections.append(
        TrackObservation(
          box: object.box, score: object.score, familyScore: object.score, classIndex: object.classIndex,
          family: ClassFamily(label: object.label), source: index))
    }
    work.detections.sort(by: Self.precedes)
    if work.detections.count > Self.maximumDetections {
      detectionsOmitted += work.detections.count - Self.maximumDetections
      work.detections.removeLast(work.detections.count - Self.maximumDetections)
    }
    Self.removeDuplicates(from: &work.detections)
    let strongCount = work.detections.firstIndex { $0.score < options.minimumScore } ?? work.detections.count
    work.strong = 0..<strongCount
    work.weak = strongCount..<work.detections.count
    work.isMatched.fill(false, count: tracks.count)
    work.isTaken.fill(false, count: work.detections.count)
  }

  /// Keeps the first of the detections of different classes that overlap, with the score of its family.
  private static func removeDuplicates(from sorted: inout [TrackObservation]) {
    guard sorted.contains(where: { $0.classIndex != sorted[0].classIndex }) else { return }
    var count = 0
    for index in sorted.indices {
      let candidate = sorted[index]
      let original = sorted[..<count].firstIndex {
        $0.classIndex != candidate.classIndex && $0.box.iou(candidate.box) > Rule.duplicateIoU
      }
      if let original {
        if candidate.family != nil, sorted[original].family == candidate.family {
          sorted[original].familyScore = 1 - (1 - sorted[original].familyScore) * (1 - candidate.score)
        }
        continue
      }
      sorted[count] = candidate
      count += 1
    }
    sorted.removeLast(sorted.count - count)
  }

  private static func isValid(_ object: DetectedObject) -> Bool {
    let box = object.box
    return Rule.scores.contains(object.score) && Rule.sides.contains(box.width) && Rule.sides.contains(box.height)
      && Rule.coordinates.contains(box.x) && Rule.coordinates.contains(box.y)
  }

  /// By descending score, then by box and class, so that the order does not depend on that of the input.
  private static func precedes(_ one: TrackObservation, _ other: TrackObservation) -> Bool {
    if one.score != other.score { return one.score > other.score }
    let (a, b) = (one.box, other.box)
    if (a.x, a.y, a.width, a.height) != (b.x, b.y, b.width, b.height) {
      return (a.x, a.y, a.width, a.height) < (b.x, b.y, b.width, b.height)
    }
    return one.classIndex < other.classIndex
  }

  /// Predicts each track, corrected for the camera's motion.
  mutating func predict(in work: inout TrackerWorkspace, searched search: FrameSearch?) {
    work.predictions.removeAll(keepingCapacity: true)
    work.matchedPredictions.removeAll(keepingCapacity: true)
    for track in tracks {
      let prediction = TrackPrediction(track)
      work.predictions.append(prediction)
      let isSearched = search.map { $0.scale(of: prediction.box) != nil } ?? true
      if track.id != nil, track.lostSince == nil, isSearched { work.matchedPredictions.append(prediction) }
    }
    guard let shift = CameraMotion.estimate(work.matchedPredictions, work.detections[work.strong]) else { return }
    for index in tracks.indices {
      tracks[index].shift(by: shift)
      work.predictions[index] = TrackPrediction(tracks[index])
    }
  }

  /// Finds the best assignment of unassigned detections to unmatched tracks.
  ///
  /// - Parameters:
  ///   - range: the range of the detections.
  ///   - minimumIoU: the minimum overlap of boxes that are not enlarged.
  func assign(
    _ range: Range<Int>, in work: inout TrackerWorkspace, minimumIoU: Double = 0, where isCandidate: (Track) -> Bool
  ) {
    work.candidates.removeAll(keepingCapacity: true)
    for track in tracks.indices where !range.isEmpty && !work.isMatched[track] && isCandidate(tracks[track]) {
      let prediction = work.predictions[track]
      let required = tracks[track].isDormant ? Rule.lowScoreIoU : minimumIoU
      for index in range where !work.isTaken[index] {
        let box = work.detections[index].box
        guard prediction.overlaps(box, minimumIoU: options.minimumIoU),
          required == 0 || prediction.box.iou(box) >= required
        else { continue }
        let gain = maximumCost - prediction.cost(work.detections[index])
        if gain > 0 { work.candidates.append(Candidate(track: track, detection: index, gain: gain)) }
      }
    }
    work.association.select(work.candidates, trackCount: tracks.count, detectionCount: work.detections.count)
  }

  /// Updates the tracks of the assignment with their detections.
  mutating func match(_ detections: [DetectedObject], in work: inout TrackerWorkspace) {
    for pair in work.association.pairs {
      let detection = work.detections[pair.detection]
      tracks[pair.track].match(
        detection, minimumScore: options.minimumScore, label: detections[detection.source].label)
      work.isMatched[pair.track] = true
      work.isTaken[pair.detection] = true
    }
  }
}
