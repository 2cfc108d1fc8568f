internal import VStreamCore

/// Estimates the camera's motion from detections alone: a camera that is shaken or knocked moves all objects by the same
/// distance.
enum CameraMotion {
  private enum Rule {
    /// The minimum number of objects for an estimate.
    static let minimumObjects = 3
    /// The maximum numbers of tracks and detections used.
    static let maximumTracks = 32
    static let maximumDetections = 64
    /// The number of tracks whose distances to detections are tried: as more than half of all tracks have the camera's motion,
    /// one of these does.
    static let triedTracks = 8
    /// The maximum distance of a detection from its prediction, in units of the object's size.
    static let tolerance = 0.12
    /// The same, for objects that contradict a far motion: predictions lag behind objects that turn.
    static let looseTolerance = 0.25
    /// The maximum motion, in units of an object's size.
    static let maximumShift = 1.5
    /// The maximum difference between the sides of two boxes of one object, as a fraction of the predicted side.
    static let sideDifference = 0.25
    /// If more than this fraction of the objects is at its prediction, the camera did not move.
    static let stillFraction = 0.7
  }

  /// - Parameters:
  ///   - predictions: those of the tracks matched at the last update.
  ///   - detections: by descending score.
  /// - Returns: the offset of all objects from their predictions; `nil` if no motion is detected.
  static func estimate(_ predictions: [TrackPrediction], _ detections: ArraySlice<TrackObservation>) -> Point? {
    let predictions = predictions.prefix(Rule.maximumTracks)
    let detections = detections.prefix(Rule.maximumDetections)
    guard predictions.count >= Rule.minimumObjects, detections.count >= Rule.minimumObjects else { return nil }
    let still = matchCount(predictions, detections, shift: Point(x: 0, y: 0))
    guard Double(still) < Rule.stillFraction * Double(predictions.count) else { return nil }
    var minimum = max(still + 2, predictions.count / 2 + 1)
    var best: (count: Int, length: Double, shift: Point)?
    for prediction in predictions.prefix(Rule.triedTracks) {
      for detection in detections {
        guard let shift = distance(prediction, detection.box) else { continue }
        let count = matchCount(predictions, detections, shift: shift, minimum: minimum)
        let length = (shift.x * shift.x + shift.y * shift.y).squareRoot()
        if count < minimum || best.map({ ($0.count, -$0.length) >= (count, -length) }) == true { continue }
        best = (count, length, shift)
        minimum = count
      }
    }
    guard let best else { return nil }
    if best.length > 2 * Rule.looseTolerance * meanSize(predictions) {
      let near = matchCount(predictions, detections, shift: Point(x: 0, y: 0), tolerance: Rule.looseTolerance)
      guard best.count >= near + 2 else { return nil }
    }
    return mean(predictions, detections, shift: best.shift)
  }

  /// The distance from a prediction to a box that may belong to it; `nil` if it cannot.
  private static func distance(_ prediction: TrackPrediction, _ box: Box) -> Point? {
    let (from, to) = (prediction.box.center, box.center)
    let distance = Point(x: to.x - from.x, y: to.y - from.y)
    guard max(abs(distance.x), abs(distance.y)) < Rule.maximumShift * prediction.size,
      abs(box.width - prediction.box.width) < Rule.sideDifference * prediction.box.width,
      abs(box.height - prediction.box.height) < Rule.sideDifference * prediction.box.height
    else { return nil }
    return distance
  }

  private static func meanSize(_ predictions: ArraySlice<TrackPrediction>) -> Double {
    predictions.reduce(0) { $0 + $1.size } / Double(predictions.count)
  }

  private static func isMatched(
    _ prediction: TrackPrediction, _ box: Box, shift: Point, tolerance: Double = Rule.tolerance
  ) -> Bool {
    let reach = tolerance * prediction.size + prediction.box.width / 2
    guard abs(box.x + box.width / 2 - prediction.box.x - prediction.box.width / 2 - shift.x) <= reach else {
      return false
    }
    let offset = BoxFilter.offset(of: box, from: prediction.box.moved(by: shift))
    return max(abs(offset.x), abs(offset.y)) <= tolerance * prediction.size
      && box.width < 1.5 * prediction.box.width && box.height < 1.5 * prediction.box.height
  }

  /// The number of objects that a shift brings to detections; less than `minimum` as soon as it cannot be reached.
  private static func matchCount(
    _ predictions: ArraySlice<TrackPrediction>, _ detections: ArraySlice<TrackObservation>, shift: Point,
    tolerance: Double = Rule.tolerance, minimum: Int = 0
  ) -> Int {
    var count = 0
    for (index, prediction) in predictions.enumerated() {
      if count + predictions.count - index < minimum { break }
      if detections.contains(where: { isMatched(prediction, $0.box, shift: shift, tolerance: tolerance) }) {
        count += 1
      }
    }
    return count
  }

  /// The mean distance of the objects that a shift brings to their predictions.
  private static func mean(
    _ predictions: ArraySlice<TrackPrediction>, _ detections: ArraySlice<TrackObservation>, shift: Point
  )
    -> Point
  {
    var sum = Point(x: 0, y: 0)
    var count = 0.0
    for prediction in predictions {
      guard let box = detections.first(where: { isMatched(prediction, $0.box, shift: shift) })?.box else { continue }
      sum.x += box.center.x - prediction.box.center.x
      sum.y += box.center.y - prediction.box.center.y
      count += 1
    }
    return count > 0 ? Point(x: sum.x / count, y: sum.y / count) : shift
  }
}

extension Box {
  func moved(by distance: Point) -> Box {
    Box(x: x + distance.x, y: y + distance.y, width: width, height: height)
  }
}
