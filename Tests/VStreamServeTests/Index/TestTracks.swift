@testable import VStreamServe

/// Tracks of the tests.
enum TestTracks {
  /// - Parameter span: of its first and last moment.
  static func track(
    _ id: Int64, camera: String = "front", label: String = "person", _ span: ClosedRange<Double> = 1000...1005,
    zones: [String] = [], hasEnded: Bool = true
  ) -> IndexedTrack {
    IndexedTrack(
      id: id, camera: camera, kind: "object", label: label, track: Int(id), first: span.lowerBound,
      last: span.upperBound,
      hasEnded: hasEnded, score: 0.5, best: span.lowerBound, x: 10, y: 20, width: 30, height: 40, zones: zones)
  }
}
