/// A possible assignment of a detection to a track.
struct Candidate: Hashable, Sendable {
  /// Index of the track.
  let track: Int
  /// Index of the detection.
  let detection: Int
  /// The cost of not assigning minus the cost of assigning; positive.
  let gain: Double
}

/// Selects the candidates with the greatest sum of gains, each track and each detection in at most one of them.
///
/// Most candidates have no competitor and are selected directly; only groups of tracks and detections that compete need an
/// optimal assignment. The memory is reused from selection to selection.
struct Association: Sendable {
  /// The result of the last selection.
  private(set) var pairs: [Candidate] = []
  private var groups = Groups()
  /// Candidates of groups with more than one.
  private var contested: [(group: Int, candidate: Candidate)] = []
  private var numbering = Numbering()
  private var assignment = Assignment()
  /// The matrices of a group, with a row for each track and a column for each detection: the candidate's index in
  /// `contested` or −1, and its gain.
  private var indices: [Int] = []
  private var gains: [Double] = []

  /// The capacity of the longest array.
  var capacity: Int { max(contested.capacity, indices.capacity, gains.capacity) }

  /// Sets `pairs`.
  ///
  /// - Parameters:
  ///   - candidates: by ascending track, then by ascending detection.
  ///   - trackCount: greater than any track index.
  ///   - detectionCount: greater than any detection index.
  mutating func select(_ candidates: [Candidate], trackCount: Int, detectionCount: Int) {
    pairs.removeAll(keepingCapacity: true)
    contested.removeAll(keepingCapacity: true)
    guard !candidates.isEmpty else { return }
    groups.reset(trackCount: trackCount, detectionCount: detectionCount)
    for candidate in candidates { groups.join(candidate) }
    for candidate in candidates {
      let group = groups.root(candidate.track)
      if groups.size[group] == 1 { pairs.append(candidate) } else { contested.append((group, candidate)) }
    }
    guard !contested.isEmpty else { return }
    contested.sort {
      ($0.group, $0.candidate.track, $0.candidate.detection) < ($1.group, $1.candidate.track, $1.candidate.detection)
    }
    numbering.reset(count: detectionCount)
    var start = 0
    while start < contested.count {
      var end = start
      while end < contested.count, contested[end].group == contested[start].group { end += 1 }
      select(inGroup: start..<end)
      start = end
    }
  }

  /// Adds the optimal pairs of a group.
  ///
  /// - Parameter group: its range in `contested`.
  private mutating func select(inGroup group: Range<Int>) {
    for index in group { numbering.number(contested[index].candidate.detection) }
    let columns = numbering.used.count
    indices.removeAll(keepingCapacity: true)
    gains.removeAll(keepingCapacity: true)
    for index in group {
      let candidate = contested[index].candidate
      if index == group.lowerBound || candidate.track != contested[index - 1].candidate.track {
        indices.append(contentsOf: repeatElement(-1, count: columns))
        gains.append(contentsOf: repeatElement(0, count: columns))
      }
      let cell = indices.count - columns + numbering.numbers[candidate.detection]
      indices[cell] = index
      gains[cell] = candidate.gain
    }
    numbering.clear()
    let rows = indices.count / columns
    assignment.solve(rows: rows, columns: columns) { [gains] in -gains[$0 * columns + $1] }
    for row in 0..<rows {
      let column = assignment.columnOfRow[row]
      guard column >= 0, indices[row * columns + column] >= 0 else { continue }
      pairs.append(contested[indices[row * columns + column]].candidate)
    }
  }
}

/// Groups of tracks that share candidate detections (union-find).
private struct Groups {
  private var parent: [Int] = []
  private var trackOfDetection: [Int] = []
  /// The number of candidates of each group, at the index of its root.
  private(set) var size: [Int] = []

  mutating func reset(trackCount: Int, detectionCount: Int) {
    parent.removeAll(keepingCapacity: true)
    parent.append(contentsOf: 0..<trackCount)
    trackOfDetection.fill(-1, count: detectionCount)
    size.fill(0, count: trackCount)
  }

  func root(_ track: Int) -> Int {
    var track = track
    while parent[track] != track { track = parent[track] }
    return track
  }

  mutating func join(_ candidate: Candidate) {
    var root = root(candidate.track)
    let other = trackOfDetection[candidate.detection]
    if other < 0 {
      trackOfDetection[candidate.detection] = candidate.track
    } else {
      // The smaller group is attached to the larger one, which keeps paths to the root short.
      let otherRoot = self.root(other)
      let (larger, smaller) = size[otherRoot] > size[root] ? (otherRoot, root) : (root, otherRoot)
      if larger != smaller {
        parent[smaller] = larger
        size[larger] += size[smaller]
      }
      root = larger
    }
    size[root] += 1
  }
}

/// Numbers the detections of a group from 0.
private struct Numbering {
  /// The number of each detection; −1 for none.
  private(set) var numbers: [Int] = []
  private(set) var used: [Int] = []

  mutating func reset(count: Int) {
    numbers.fill(-1, count: count)
    used.removeAll(keepingCapacity: true)
  }

  mutating func number(_ detection: Int) {
    guard numbers[detection] < 0 else { return }
    numbers[detection] = used.count
    used.append(detection)
  }

  /// Removes all numbers, for the next group.
  mutating func clear() {
    for detection in used { numbers[detection] = -1 }
    used.removeAll(keepingCapacity: true)
  }
}

/// A family of classes that detectors confuse on one object.
enum ClassFamily: Hashable, Sendable {
  case roadVehicle
  case cycle

  /// The family of a class; `nil` for classes without one.
  init?(label: String) {
    switch label {
    case "car", "truck", "bus": self = .roadVehicle
    case "bicycle", "motorcycle": self = .cycle
    default: return nil
    }
  }
}
