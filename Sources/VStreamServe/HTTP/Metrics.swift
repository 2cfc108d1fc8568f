internal import VStreamReporting
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The cameras' figures in Prometheus' text format.
enum Metrics {
  static func text(_ cameras: [Camera]) -> String {
    let all = cameras.map {
      (name: $0.name, status: $0.currentStatus, viewers: $0.viewerCount, wanted: $0.settings.passesPerSecond)
    }
    var text = ""
    func add(_ name: String, _ kind: String, _ help: String, _ lines: [String]) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n" + lines.map { "\($0)\n" }.joined()
    }
    add(
      "vstream_camera_up", "gauge", "Whether frames arrive.",
      all.map { "vstream_camera_up{\(label($0.name))} \($0.status.phase == .live ? 1 : 0)" })
    add("vstream_frames_total", "counter", "Frames by what became of them.", all.flatMap { frames($0.name, $0.status) })
    add(
      "vstream_detector_passes_total", "counter", "Runs of the object network.",
      all.map { "vstream_detector_passes_total{\(label($0.name))} \($0.status.counts.detectorPasses)" })
    add(
      "vstream_passes_met", "gauge", "Whether the detectors had the time that the camera's passes a second need.",
      all.map {
        "vstream_passes_met{\(label($0.name))} \($0.status.phase == .live && $0.status.rates.meets($0.wanted) ? 1 : 0)"
      })
    add(
      "vstream_latency_seconds", "histogram",
      "From the arrival of a packet to the record of its frame, if it was decoded.",
      all.flatMap { latency($0.name, $0.status.latency) })
    add(
      "vstream_reconnects_total", "counter", "How often a camera was live again after a loss.",
      all.map { "vstream_reconnects_total{\(label($0.name))} \($0.status.reconnects)" })
    add(
      "vstream_viewers", "gauge", "Live views that are open.", ["vstream_viewers \(all.reduce(0) { $0 + $1.viewers })"])
    add(
      "process_resident_memory_bytes", "gauge", "Resident memory.",
      ["process_resident_memory_bytes \(ProcessMeasures.residentBytes)"])
    add(
      "process_cpu_seconds_total", "counter", "Processor time.",
      ["process_cpu_seconds_total \(ProcessMeasures.processorSeconds.formatted(.decimals(2)))"])
    return text
  }

  private static func frames(_ name: String, _ status: CameraStatus) -> [String] {
    let counts = status.counts
    return [
      ("in", counts.framesIn), ("detected", counts.framesDetected), ("predicted", counts.framesPredicted),
      ("undecoded", counts.framesUndecoded), ("late", counts.framesLateForDetector), ("dropped", counts.framesDropped),
    ].map { state, count in "vstream_frames_total{\(label(name)),state=\"\(state)\"} \(count)" }
  }

  private static func latency(_ name: String, _ latency: LatencyBuckets) -> [String] {
    zip(LatencyBuckets.limits, latency.cumulative).map { limit, count in
      "vstream_latency_seconds_bucket{\(label(name)),le=\"\(limit.formatted(.shortest))\"} \(count)"
    } + [
      "vstream_latency_seconds_bucket{\(label(name)),le=\"+Inf\"} \(latency.count)",
      "vstream_latency_seconds_sum{\(label(name))} \(latency.total.formatted(.decimals(6)))",
      "vstream_latency_seconds_count{\(label(name))} \(latency.count)",
    ]
  }

  /// Names of cameras have no characters that have to be escaped.
  private static func label(_ camera: String) -> String { "camera=\"\(camera)\"" }
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
