internal import VStreamScene

/// Tells from detections alone how far the whole picture has moved: a camera that is shaken or knocked moves all objects
/// by the same distance.
enum CameraMotion {
  private enum Rule {
    /// Fewer objects than this say nothing of the camera.
    static let fewest = 3
    /// Only so many tracks and detections are looked at.
    static let maximumTracks = 32
    static let maximumDetections = 64
    /// How far an object may be from its place, in units of its size, and count as there.
    static let tolerance = 0.12
    /// How far the picture may have moved, in units of an object's size.
    static let reach = 1.5
    /// How much the sides of two boxes of one object may differ, as a share of the expected.
    static let sideDifference = 0.25
    /// If more than this share of the objects is where it was expected, the camera stood still.
    static let stillFraction = 0.7
  }

  /// - Parameters:
  ///   - expected: of the tracks that were seen at the last look.
  ///   - found: boxes, the best-scored first.
  /// - Returns: by how much all expectations are to be moved; `nil` if the camera stood still, as far as can be told.
  static func find(_ expected: [Expectation], _ found: ArraySlice<TrackObservation>) -> Point? {
    let expected = expected.prefix(Rule.maximumTracks)
    let found = found.prefix(Rule.maximumDetections)
    guard expected.count >= Rule.fewest, found.count >= Rule.fewest else { return nil }
    let still = countThere(expected, found, shift: Point(x: 0, y: 0))
    guard Double(still) < Rule.stillFraction * Double(expected.count) else { return nil }
    var best: (count: Int, length: Double, shift: Point)?
    for track in expected {
      for sighting in found {
        guard let shift = distance(track, sighting.box) else { continue }
        let count = countThere(expected, found, shift: shift)
        let length = shift.x * shift.x + shift.y * shift.y
        if let best, (best.count, -best.length) >= (count, -length) { continue }
        best = (count, length, shift)
      }
    }
    guard let best, best.count >= still + 2, 2 * best.count > expected.count else { return nil }
    return mean(expected, found, shift: best.shift)
  }

  /// From where a track was expected to a box that may be of it.
  private static func distance(_ track: Expectation, _ box: Box) -> Point? {
    let (from, to) = (track.box.center, box.center)
    let distance = Point(x: to.x - from.x, y: to.y - from.y)
    guard max(abs(distance.x), abs(distance.y)) < Rule.reach * track.size,
      abs(box.width - track.box.width) < Rule.sideDifference * track.box.width,
      abs(box.height - track.box.height) < Rule.sideDifference * track.box.height
    else { return nil }
    return distance
  }

  private static func isThere(_ track: Expectation, _ box: Box, shift: Point) -> Bool {
    let reach = Rule.tolerance * track.size + track.box.width / 2
    guard abs(box.x + box.width / 2 - track.box.x - track.box.width / 2 - shift.x) <= reach else { return false }
    let offset = BoxFilter.offset(of: box, from: track.box.moved(by: shift))
    return max(abs(offset.x), abs(offset.y)) <= Rule.tolerance * track.size
      && box.width < 1.5 * track.box.width && box.height < 1.5 * track.box.height
  }

  private static func countThere(
    _ expected: ArraySlice<Expectation>, _ found: ArraySlice<TrackObservation>, shift: Point
  )
    -> Int
  {
    expected.reduce(0) { count, track in
      found.contains { isThere(track, $0.box, shift: shift) } ? count + 1 : count
    }
  }

  /// The mean distance of those objects that a shift brings to their places.
  private static func mean(_ expected: ArraySlice<Expectation>, _ found: ArraySlice<TrackObservation>, shift: Point)
    -> Point
  {
    var sum = Point(x: 0, y: 0)
    var count = 0.0
    for track in expected {
      guard let box = found.first(where: { isThere(track, $0.box, shift: shift) })?.box else { continue }
      sum.x += box.center.x - track.box.center.x
      sum.y += box.center.y - track.box.center.y
      count += 1
    }
    return count > 0 ? Point(x: sum.x / count, y: sum.y / count) : shift
  }
}

extension Box {
  fileprivate func moved(by distance: Point) -> Box {
    Box(x: x + distance.x, y: y + distance.y, width: width, height: height)
  }
}
