import VStreamCore
import VStreamReporting
import VStreamTracking

@testable import VStreamCommand

extension FuzzTarget {
  /// MOTChallenge text as `vstream track` reads, tracks and writes it; after a byte of 0, the text of `--times`.
  static let motText = FuzzTarget(name: "mot-text") { bytes in
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map { [UInt8]($0) }
    let clock = try parts.count == 2 ? times(parts[1]) : .rate(25)
    guard let detections = try accepted({ try MOTDetections(parts[0], name: "det.txt") }) else { return }
    try requireOrder(detections)
    guard let clock else { return }
    if let last = detections.frames.last {
      guard try accepted({ try clock.check(last.number) }) != nil else { return }
    }
    var tracker = Tracker(TrackerOptions(confirmAfter: 1))
    let text = TrackCommand.tracks(of: detections, clock, &tracker).bytes
    try requireReadable(text, of: detections)
  }

  private static func times(_ bytes: [UInt8]) throws -> FrameTimes? {
    try MemoryFile.with(bytes) { path in
      try accepted {
        let seconds = try TrackFileOptionGroup.seconds(path)
        try require(seconds.allSatisfy(\.isFinite), "times are not finite: \(seconds)")
        try require(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 }, "times do not increase: \(seconds)")
        return .times(path: path, seconds)
      }
    }
  }

  /// Each detection belongs to one frame; frames are in their order.
  private static func requireOrder(_ detections: MOTDetections) throws {
    var end = 0
    var last = 0
    for frame in detections.frames {
      try require(frame.range.lowerBound == end && !frame.range.isEmpty, "the ranges have gaps: \(detections.frames)")
      try require(frame.number > last && frame.number <= MOTDetections.maximumFrame, "frame \(frame.number) is invalid")
      (end, last) = (frame.range.upperBound, frame.number)
    }
    try require(end == detections.detections.count, "\(end) of \(detections.detections.count) detections have a frame")
    try require(detections.detections.allSatisfy { $0.classIndex >= 0 }, "a class is below 1")
  }

  /// What is written can be read; it has the frames and no more objects than were detected.
  private static func requireReadable(_ text: [UInt8], of detections: MOTDetections) throws {
    let shown = { String(decoding: text, as: UTF8.self) }
    guard let written = try accepted({ try MOTDetections(text, name: "tracks.txt") }) else {
      throw Finding(description: "the tracks cannot be read again: \(shown())")
    }
    let given = Dictionary(uniqueKeysWithValues: detections.frames.map { ($0.number, $0.range.count) })
    for frame in written.frames {
      try require(frame.range.count <= given[frame.number] ?? 0, "frame \(frame.number) has new objects: \(shown())")
    }
  }
}
