internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// The progress of a run on a file: `45 %  358 of 795 frames  130 fps  3 s left`.
struct ProgressLine {
  let progress: PipelineProgress

  var text: String {
    let framesOut = progress.counts.framesOut
    let rate = progress.elapsedSeconds > 0 ? Double(framesOut) / progress.elapsedSeconds : 0
    var parts: [String] = []
    if let expected = progress.framesExpected, expected > 0 {
      let percent = Int(min(100, 100 * Double(framesOut) / Double(expected)))
      parts = ["\(percent) %", "\(framesOut) of \(max(expected, framesOut)) frames"]
    } else {
      parts = ["\(framesOut) frames"]
    }
    parts.append("\(Int(clamping: rate)) fps")
    if let expected = progress.framesExpected, rate > 0, expected > framesOut {
      parts.append("\((Double(expected - framesOut) / rate).formatted(.duration)) left")
    }
    return parts.joined(separator: "  ")
  }
}
