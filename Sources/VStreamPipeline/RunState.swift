internal import Dispatch
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

/// What the threads of a run share: how it goes, and whether it is to end.
final class RunState: Sendable {
  struct Contents: Sendable {
    var counts = RunCounts()
    var framesExpected: Int?
    var mode = DetectionMode.stream
    var error: VStreamError?
    var isStopping = false
    var wasStopped = false
    var warnings: [String] = []
    var stages: [Stage: DurationHistogram] = [:]
    var tracksByLabel: [String: Int] = [:]
    var firstFrameAt: Double?
    /// Whether no frame will be counted as written any more.
    var writerHasEnded = false
  }

  let contents = Monitor(Contents())
  let interrupt = Interrupt()

  /// Keeps the first error, and has the run end.
  func fail(_ error: any Error) {
    let known = error as? VStreamError ?? VStreamError(.library, "\(error)")
    contents.update { contents in
      if contents.error == nil { contents.error = known }
      contents.isStopping = true
    }
  }

  /// Has the reader stop; what was read goes its way to the end.
  func stop() {
    contents.update { contents in
      contents.isStopping = true
      contents.wasStopped = true
    }
    interrupt.trigger()
  }

  var isStopping: Bool { contents.read { $0.isStopping } }

  func warn(_ text: String) { contents.update { $0.warnings.append(text) } }

  func count(_ change: @Sendable (inout RunCounts) -> Void) { contents.update { change(&$0.counts) } }

  /// Adds what a thread measured.
  func add(_ timer: StageTimer) {
    let measured = timer.histograms
    contents.update { contents in
      for (stage, histogram) in measured {
        contents.stages[stage, default: DurationHistogram()].merge(histogram)
      }
    }
  }
}

/// A frame on its way, with the place where its detection will be.
struct FrameJob: Sendable {
  let frame: VideoFrame
  /// Number of the decoded frame in this run, from 0.
  let index: Int
  /// By how many degrees it was turned clockwise to stand upright.
  let rotation: Int
  /// `nil` for a frame that no detector is to look at.
  let detection: PendingDetection?
}

/// What travels from the reader to the annotator, in the input's order.
enum SourceItem: Sendable {
  case frame(FrameJob)
  case copy(Packet)
}

/// What travels from the annotator to the writer.
enum SinkItem: Sendable {
  case frame(VideoFrame)
  case copy(Packet)
}

/// Weights in channels: frames take memory, packets of other streams hardly any.
enum Weight {
  static let frame = 64
  static let packet = 1
}
