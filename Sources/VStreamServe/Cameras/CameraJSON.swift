internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// A camera as JSON: in the interface for programs, and in its live messages.
enum CameraJSON {
  /// The message of a live view about the camera's state.
  static func state(_ camera: Camera) -> String {
    let status = camera.currentStatus
    return TextBuffer.json { json in
      json.add("type", "state")
      json.add("name", camera.name)
      add(status, to: &json)
    }
  }

  static func list(_ cameras: [Camera]) -> String {
    TextBuffer.json { json in
      json.addList("cameras") { list in for camera in cameras { list.addObject { add(camera, to: &$0) } } }
    }
  }

  static func one(_ camera: Camera) -> String { TextBuffer.json { add(camera, to: &$0) } }

  private static func add(_ camera: Camera, to json: inout TextBuffer) {
    let (status, settings) = (camera.currentStatus, camera.settings)
    json.add("name", camera.name)
    json.add("source", ShownLocation.text(settings.source))
    add(status, to: &json)
    json.add("codec", status.codec)
    json.add("width", status.size.width)
    json.add("height", status.size.height)
    add(status.rates, settings, to: &json)
    addCounts(status.counts, to: &json)
    json.add("reconnects", status.reconnects)
    json.add("sound", camera.hasSound)
    json.add("viewers", camera.viewerCount + camera.records.viewerCount)
    if let limit = status.latency.limit(of: 0.99) { json.add("latencyP99Seconds", limit, places: 3) }
    addRegions(settings.counted, in: status.size, to: &json)
    json.addList("history") { list in
      for count in status.history.minutes { list.addNumber(count.map(Double.init) ?? .nan, places: 1) }
    }
    if let record = status.record {
      json.addKey("now")
      json.append(RecordText.line(record))
    }
  }

  private static func add(_ status: CameraStatus, to json: inout TextBuffer) {
    json.add("state", status.phase.rawValue)
    json.add("stateSeconds", MonotonicTime.now - status.since, places: 1)
    let problem = status.phase == .lost ? status.problem?.text(naming: \.configurationKey) : nil
    if let reason = status.notice?.text(naming: \.configurationKey) ?? problem { json.add("problem", reason) }
  }

  private static func add(_ rates: CameraRates, _ settings: CameraConfiguration, to json: inout TextBuffer) {
    json.add("framesPerSecond", rates.framesIn, places: 2)
    json.add("decodedPerSecond", rates.decoded, places: 2)
    json.add("detectedPerSecond", rates.detected, places: 2)
    json.add("passesPerSecond", rates.passes, places: 2)
    json.add("passesWanted", settings.passesPerSecond, places: 2)
    json.add("passesMet", rates.meets(settings.passesPerSecond))
  }

  private static func addCounts(_ counts: RunCounts, to json: inout TextBuffer) {
    json.addObject("frames") { frames in
      frames.add("in", counts.framesIn)
      frames.add("detected", counts.framesDetected)
      frames.add("predicted", counts.framesPredicted)
      frames.add("undecoded", counts.framesUndecoded)
      frames.add("late", counts.framesLateForDetector)
      frames.add("dropped", counts.framesDropped)
    }
    json.add("detectorPasses", counts.detectorPasses)
    json.add("corruptPackets", counts.corruptPackets)
    json.add("clockSteps", counts.clockSteps)
  }

  /// The points of zones and lines, in pixels.
  private static func addRegions(_ counted: CountedRegions, in size: PixelSize, to json: inout TextBuffer) {
    for (key, regions) in [("zones", \CountedRegions.zones), ("lines", \.lines)]
    where !counted[keyPath: regions].isEmpty {
      json.addObject(key) { all in
        for region in counted.recorded(regions, in: size) {
          all.addList(region.name) { points in
            for point in region.points {
              points.addList { pair in
                pair.addNumber(point.x, places: 2)
                pair.addNumber(point.y, places: 2)
              }
            }
          }
        }
      }
    }
  }
}
