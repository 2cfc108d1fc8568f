/// A track and a detection that may belong together.
struct Candidate: Hashable, Sendable {
  /// Place in the list of tracks.
  let track: Int
  /// Place in the list of detections.
  let detection: Int
  /// What leaving them apart costs more than pairing them; positive.
  let gain: Double
}

/// Picks from candidates those pairs whose sum of gains is greatest, each track and each detection in one pair at most.
/// What holds one uses its memory again.
///
/// Most candidates stand alone and are taken as they are; the optimal assignment is left for the groups in which tracks
/// and detections compete.
struct Association: Sendable {
  /// What the last pick took.
  private(set) var pairs: [Candidate] = []
  private var groups = Groups()
  /// Candidates of groups with more than one.
  private var contested: [(group: Int, candidate: Candidate)] = []
  private var numbering = Numbering()
  private var assignment = Assignment()
  /// Of a group, a row for each track and a column for each detection: the candidate's place in `contested` or −1, and its
  /// gain.
  private var places: [Int] = []
  private var gains: [Double] = []

  /// Of its longest list.
  var capacity: Int { max(contested.capacity, places.capacity, gains.capacity) }

  /// Sets `pairs`.
  ///
  /// - Parameters:
  ///   - candidates: by rising track, then by rising detection.
  ///   - trackCount: more than the greatest track.
  ///   - detectionCount: more than the greatest detection.
  mutating func pick(_ candidates: [Candidate], trackCount: Int, detectionCount: Int) {
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
      pick(inGroup: start..<end)
      start = end
    }
  }

  /// Adds the best pairs of a group.
  ///
  /// - Parameter group: its part of `contested`.
  private mutating func pick(inGroup group: Range<Int>) {
    for place in group { numbering.number(contested[place].candidate.detection) }
    let columns = numbering.used.count
    places.removeAll(keepingCapacity: true)
    gains.removeAll(keepingCapacity: true)
    for place in group {
      let candidate = contested[place].candidate
      if place == group.lowerBound || candidate.track != contested[place - 1].candidate.track {
        places.append(contentsOf: repeatElement(-1, count: columns))
        gains.append(contentsOf: repeatElement(0, count: columns))
      }
      let cell = places.count - columns + numbering.numbers[candidate.detection]
      places[cell] = place
      gains[cell] = candidate.gain
    }
    numbering.forget()
    let rows = places.count / columns
    assignment.solve(rows: rows, columns: columns) { [gains] in -gains[$0 * columns + $1] }
    for row in 0..<rows {
      let column = assignment.columnOfRow[row]
      guard column >= 0, places[row * columns + column] >= 0 else { continue }
      pairs.append(contested[places[row * columns + column]].candidate)
    }
  }
}

/// Which tracks are linked by detections that both may have.
private struct Groups {
  private var parent: [Int] = []
  private var trackOfDetection: [Int] = []
  /// Candidates of the group, at its root.
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
      // The smaller group goes under the larger, so that ways to the root stay short.
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
  /// By detection; −1 without a number.
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

  /// Goes on to the next group.
  mutating func forget() {
    for detection in used { numbers[detection] = -1 }
    used.removeAll(keepingCapacity: true)
  }
}
