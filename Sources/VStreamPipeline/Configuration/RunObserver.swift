package import VStreamMedia
package import VStreamReporting

/// Another part of the program that is given the packets of a run's input. It is called on the run's own threads, which wait
/// for it.
package protocol PacketObserver: Sendable {
  /// The input was opened, for the first time or after it was lost. Called on the reader's thread, like the one below.
  ///
  /// - Parameters:
  ///   - video: the stream that is processed.
  ///   - sound: the first audio stream; `nil` if there is none.
  func inputOpened(_ video: StreamInfo, sound: StreamInfo?)

  /// A packet of the input was read, before it is decoded.
  func packetRead(_ packet: Packet)
}

/// Another part of the program that follows a run.
package protocol RunObserver: PacketObserver {
  /// A live input was lost, and is to be reconnected; or that failed for another reason than before. Called on the reader's
  /// thread.
  func inputLost(reason: String)

  /// The first frame was decoded. Called on the annotator's thread, like the one below.
  func recordsBegan(_ header: RecordHeader)

  /// A frame was annotated.
  func frameAnnotated(_ annotated: ObservedFrame)

  /// A frame was painted and redacted. Called on the writer's thread, of runs without an output, for frames
  /// that have pixels.
  ///
  /// - Parameter isKnown: whether its covered regions are known; otherwise it is covered whole.
  func framePainted(_ painted: ObservedFrame, isKnown: Bool)
}

/// A frame that was annotated, for a `RunObserver`.
package struct ObservedFrame: Sendable {
  /// As it is recorded: in pixels of the `recordedSize`, where that is set.
  package let record: FrameRecord
  /// With the masks filled; before anything else is painted on it, or after that. Without pixels if it was not decoded.
  package let image: VideoFrame
  /// Seconds from the arrival of its packet until now.
  package let latency: Double

  /// - Parameter now: the moment of the run's clock.
  init(_ job: FrameJob, now: Double) { (record, image, latency) = (job.record, job.frame, now - job.arrival) }
}
