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
///
/// Most candidates stand alone and are taken as they are; the optimal assignment is left for the groups in which tracks
/// and detections compete.
/// - Parameters:
///   - candidates: by rising track, then by rising detection.
///   - trackCount: more than the greatest track.
///   - detectionCount: more than the greatest detection.
func bestPairs(_ candidates: [Candidate], trackCount: Int, detectionCount: Int) -> [Candidate] {
  guard !candidates.isEmpty else { return [] }
  var groups = Groups(trackCount: trackCount, detectionCount: detectionCount)
  for candidate in candidates { groups.join(candidate) }
  var pairs: [Candidate] = []
  pairs.reserveCapacity(candidates.count)
  var contested: [(group: Int, candidate: Candidate)] = []
  for candidate in candidates {
    let group = groups.root(candidate.track)
    if groups.size[group] == 1 { pairs.append(candidate) } else { contested.append((group, candidate)) }
  }
  guard !contested.isEmpty else { return pairs }
  contested.sort {
    ($0.group, $0.candidate.track, $0.candidate.detection) < ($1.group, $1.candidate.track, $1.candidate.detection)
  }
  var numbering = Numbering(count: detectionCount)
  var start = 0
  while start < contested.count {
    var end = start
    while end < contested.count, contested[end].group == contested[start].group { end += 1 }
    pairs += bestPairs(inGroup: contested[start..<end].map(\.candidate), &numbering)
    start = end
  }
  return pairs
}

/// Which tracks are linked by detections that both may have.
private struct Groups {
  private var parent: [Int]
  private var trackOfDetection: [Int]
  /// Candidates of the group, at its root.
  private(set) var size: [Int]

  init(trackCount: Int, detectionCount: Int) {
    parent = Array(0..<trackCount)
    trackOfDetection = [Int](repeating: -1, count: detectionCount)
    size = [Int](repeating: 0, count: trackCount)
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
  private var numbers: [Int]
  private(set) var used: [Int] = []

  init(count: Int) { numbers = [Int](repeating: -1, count: count) }

  mutating func number(_ detection: Int) -> Int {
    if numbers[detection] < 0 {
      numbers[detection] = used.count
      used.append(detection)
    }
    return numbers[detection]
  }

  mutating func reset() {
    for detection in used { numbers[detection] = -1 }
    used.removeAll(keepingCapacity: true)
  }
}

/// - Parameter candidates: by rising track.
private func bestPairs(inGroup candidates: [Candidate], _ numbering: inout Numbering) -> [Candidate] {
  for candidate in candidates { _ = numbering.number(candidate.detection) }
  defer { numbering.reset() }
  let columns = numbering.used.count
  var places: [Int] = []
  var gains: [Double] = []
  var rows = 0
  for (index, candidate) in candidates.enumerated() {
    if index == 0 || candidate.track != candidates[index - 1].track {
      rows += 1
      places += repeatElement(-1, count: columns)
      gains += repeatElement(0, count: columns)
    }
    let place = (rows - 1) * columns + numbering.number(candidate.detection)
    places[place] = index
    gains[place] = candidate.gain
  }
  let pairs = minimumCostAssignment(rows: rows, columns: columns) { -gains[$0 * columns + $1] }
  return pairs.enumerated().compactMap { row, column in
    guard let column, places[row * columns + column] >= 0 else { return nil }
    return candidates[places[row * columns + column]]
  }
}
