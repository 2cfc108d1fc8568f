internal import VStreamCore
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// A camera as JSON: in the interface for programs, and in its live messages.
enum CameraJSON {
  /// The message of a live view about the camera's state.
  static func state(_ name: String, _ status: CameraStatus, at now: Double) -> String {
    TextBuffer.json { json in
      json.add("type", "state")
      json.add("name", name)
      add(status, at: now, to: &json)
    }
  }

  static func list(_ cameras: [Camera]) -> String {
    TextBuffer.json { json in
      json.addList("cameras") { list in for camera in cameras { list.addObject { add(camera, to: &$0) } } }
    }
  }

  static func one(_ camera: Camera) -> String { TextBuffer.json { add(camera, to: &$0) } }

  private static func add(_ camera: Camera, to json: inout TextBuffer) {
    let settings = camera.settings
    // Not the whole state, whose queues the next event would then copy.
    let (status, hasSound, viewers) = camera.read {
      ($0.status, $0.hasSound, $0.viewerCount(.live, .liveWithSound, .records))
    }
    json.add("name", camera.name)
    json.add("source", ShownLocation.text(settings.source))
    add(status, at: MonotonicTime.now, to: &json)
    json.add("codec", status.codec)
    json.add("width", status.size.width)
    json.add("height", status.size.height)
    add(status.rates, settings, to: &json)
    addCounts(status.counts, to: &json)
    json.add("reconnects", status.reconnects)
    json.add("sound", hasSound)
    json.add("recorded", settings.record.mode != .never)
    json.add("viewers", viewers)
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

  private static func add(_ status: CameraStatus, at now: Double, to json: inout TextBuffer) {
    json.add("state", status.phase.rawValue)
    json.add("stateSeconds", now - status.since, places: 1)
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
      for (outcome, count) in counts.outcomes { frames.add(outcome, count) }
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

/// The newest frame of a camera as a JPEG image.
enum CameraImage {
  static func response(_ camera: Camera, isAnnotated: Bool) -> WebResponse {
    let (newest, status) = camera.read { ($0.newest, $0.status) }
    guard let newest else {
      return .error(
        503, "the camera has no frame", remedy: "it is \(status.phase.rawValue); try again later")
    }
    do {
      var frame = newest.image
      if isAnnotated {
        // Records refer to the frames of the source; the decoded ones may be smaller copies.
        let size = camera.settings.shownInput == nil ? frame.size : status.size
        if size != frame.size { frame = try FrameConverter(size: size, format: frame.format).convert(frame) }
        try draw(newest.record, camera.settings.counted, on: &frame)
      }
      return WebResponse(contentType: "image/jpeg", body: try jpeg(of: frame))
    } catch {
      return .error(VStreamError(any: error))
    }
  }

  static func jpeg(of frame: VideoFrame) throws -> [UInt8] {
    let target = try VideoCodec(encoder: "mjpeg").target(for: frame, wanted: nil)
    let converter = FrameConverter(size: frame.size, format: target.format, range: target.range)
    return try ImageFormat.jpeg.file(of: converter.convert(frame))
  }

  private static func draw(_ record: FrameRecord, _ regions: CountedRegions, on frame: inout VideoFrame) throws {
    var painter = try OverlayPainter(OverlayOptions(), fontPath: LabelFont.path)
    let marks = record.counts.map { regions.marks(in: frame.size, $0) } ?? []
    try painter.draw(record.annotations, regions: marks, on: &frame)
  }
}

/// The cameras' figures in Prometheus' text format.
enum Metrics {
  private typealias Row = (name: String, status: CameraStatus, viewers: Int, wanted: Double)

  static func text(_ cameras: [Camera], _ recordings: RecordingStore.Measures? = nil) -> String {
    let all = cameras.map { camera -> Row in
      let (status, viewers) = camera.read { ($0.status, $0.viewerCount(.live, .liveWithSound)) }
      return (name: camera.name, status: status, viewers: viewers, wanted: camera.settings.passesPerSecond)
    }
    var text = ""
    func add(_ name: String, _ kind: String, _ help: String, _ lines: [String]) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n" + lines.map { "\($0)\n" }.joined()
    }
    func addEach(_ name: String, _ kind: String, _ help: String, _ value: (Row) -> Int) {
      add(name, kind, help, all.map { "\(name){\(label($0.name))} \(value($0))" })
    }
    addEach("vstream_camera_up", "gauge", "Whether frames arrive.") { $0.status.phase == .live ? 1 : 0 }
    add("vstream_frames_total", "counter", "Frames by outcome.", all.flatMap(frames))
    addEach("vstream_detector_passes_total", "counter", "Runs of the object network.") {
      $0.status.counts.detectorPasses
    }
    addEach(
      "vstream_passes_met", "gauge", "Whether the detectors had the time that the camera's passes a second need."
    ) { $0.status.phase == .live && $0.status.rates.meets($0.wanted) ? 1 : 0 }
    add(
      "vstream_latency_seconds", "histogram",
      "From the arrival of a packet to the record of its frame, if it was decoded.",
      all.flatMap(latency))
    addEach("vstream_reconnects_total", "counter", "How often a camera was live again after a loss.") {
      $0.status.reconnects
    }
    add(
      "vstream_viewers", "gauge", "Live views that are open.", ["vstream_viewers \(all.reduce(0) { $0 + $1.viewers })"])
    if let recordings {
      add(
        "vstream_recordings_bytes", "gauge", "Finished files of recordings.",
        recordings.bytes.sorted { $0.key < $1.key }.map { "vstream_recordings_bytes{\(label($0.key))} \($0.value)" })
      add(
        "vstream_recordings_oldest_timestamp_seconds", "gauge", "When the oldest recording begins.",
        recordings.oldest.map { ["vstream_recordings_oldest_timestamp_seconds \(Int($0))"] } ?? [])
      add(
        "vstream_recordings_deleted_total", "counter", "Files that were deleted for their age or for space.",
        ["vstream_recordings_deleted_total \(recordings.deletedCount)"])
      add(
        "vstream_index_lost_total", "counter", "Changes of the index that could not be written.",
        ["vstream_index_lost_total \(recordings.lostCount)"])
    }
    add(
      "process_resident_memory_bytes", "gauge", "Resident memory.",
      ["process_resident_memory_bytes \(ProcessMeasures.residentBytes)"])
    add(
      "process_cpu_seconds_total", "counter", "Processor time.",
      ["process_cpu_seconds_total \(ProcessMeasures.processorSeconds.formatted(.decimals(2)))"])
    return text
  }

  private static func frames(_ camera: Row) -> [String] {
    camera.status.counts.outcomes.map { outcome, count in
      "vstream_frames_total{\(label(camera.name)),state=\"\(outcome)\"} \(count)"
    }
  }

  private static func latency(_ camera: Row) -> [String] {
    let (label, latency) = (label(camera.name), camera.status.latency)
    return zip(LatencyBuckets.limits, latency.cumulative).map { limit, count in
      "vstream_latency_seconds_bucket{\(label),le=\"\(limit.formatted(.shortest))\"} \(count)"
    } + [
      "vstream_latency_seconds_bucket{\(label),le=\"+Inf\"} \(latency.count)",
      "vstream_latency_seconds_sum{\(label)} \(latency.total.formatted(.decimals(6)))",
      "vstream_latency_seconds_count{\(label)} \(latency.count)",
    ]
  }

  /// Names of cameras have no characters that have to be escaped.
  private static func label(_ camera: String) -> String { "camera=\"\(camera)\"" }
}

extension RunCounts {
  /// Frames by outcome.
  fileprivate var outcomes: [(String, Int)] {
    [
      ("in", framesIn), ("detected", framesDetected), ("predicted", framesPredicted), ("undecoded", framesUndecoded),
      ("late", framesLateForDetector), ("dropped", framesDropped),
    ]
  }
}

/// The system's measurements of this process.
enum ProcessMeasures {
  /// From `/proc/self/statm`; 0 if that cannot be read.
  static var residentBytes: Int {
    guard let bytes = try? ReadableFile.bytes(of: "/proc/self/statm") else { return 0 }
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  static var processorSeconds: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
  }
}
