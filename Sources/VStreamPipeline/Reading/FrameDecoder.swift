internal import VStreamCore
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamReporting

/// Decodes the video packets of an input to normalised frames.
struct FrameDecoder {
  private var decoder: VideoDecoder
  private let normaliser: FrameNormaliser
  /// `nil` if nothing is masked.
  private var masks: MaskPainter?
  private let threads: Int
  private let isLowDelay: Bool
  private let effort: VideoDecoder.Effort
  private let state: RunState
  private let timer: StageTimer
  /// Packets that were skipped while waiting for a key frame; `nil` once decoding has started.
  private var skippedCount: Int?
  /// Whether the wait is reported: that of a live stream, not that of a seek.
  private let reportsWait: Bool

  /// The last key frame that was decoded alone, and the packets skipped since.
  private var skipped: [Packet] = []
  /// Seconds up to which frames were dispatched while packets were skipped: these are decoded again as others refer to them.
  private var dispatchedUntil: Double?

  /// Seconds at which the key frame is shown for which decoding waited. Frames before it refer to others that were not read.
  private var keyTime: Double?

  /// The least backward jump of times in seconds; less is the order of decoding.
  private static let jump = 1.0
  /// A stream without a key frame in this number of packets is decoded anyway.
  private static let maximumSkipped = 1500
  /// So many skipped packets, about a second of most streams, are a wait that is reported.
  private static let noticedSkipped = 30

  /// - Parameter waitsForKeyFrame: whether the stream may start between two key frames, as a live one does.
  init(
    _ decoder: sending VideoDecoder, _ normaliser: sending FrameNormaliser, threads: Int, isLowDelay: Bool,
    effort: VideoDecoder.Effort = .complete, masks: MaskPainter? = nil, waitsForKeyFrame: Bool, state: RunState,
    timer: StageTimer
  ) {
    self.decoder = decoder
    self.normaliser = normaliser
    self.masks = masks
    self.threads = threads
    self.isLowDelay = isLowDelay
    self.effort = effort
    self.state = state
    self.timer = timer
    skippedCount = waitsForKeyFrame ? 0 : nil
    reportsWait = waitsForKeyFrame
  }

  /// Continues with a reopened input.
  mutating func restart(with media: MediaReader) throws(VStreamError) {
    decoder = try VideoDecoder(
      media.video, threads: threads, isLowDelay: isLowDelay, effort: effort, startingAt: media.continuesAt)
    skippedCount = 0
    skipped = []
    dispatchedUntil = nil
  }

  /// Discards the decoder's state after a seek.
  ///
  /// - Parameter waitsForKeyFrame: whether the position may be between two key frames. Some decoders return frames whose
  ///   references are missing.
  mutating func reset(waitsForKeyFrame: Bool) {
    decoder.reset()
    skippedCount = waitsForKeyFrame ? 0 : nil
    keyTime = nil
  }

  /// The time of the first frame that a packet completes, from the key frame on; without normalisation.
  ///
  /// - Parameter packet: `nil` at the end.
  mutating func firstFrameTime(_ packet: Packet?) throws -> Double? {
    if let packet, !canDecode(packet) { return nil }
    let times = try decoder.decode(packet).frames.map(\.time.seconds)
    return times.first { $0 >= (keyTime ?? -.infinity) }
  }

  /// Whether the stream has had a key frame, or has none.
  mutating func canDecode(_ packet: Packet) -> Bool {
    guard let count = skippedCount else { return true }
    if packet.isKey || count >= Self.maximumSkipped {
      skippedCount = nil
      keyTime = packet.presentationTime?.seconds
      return true
    }
    skippedCount = count + 1
    if reportsWait, count + 1 == Self.noticedSkipped { state.notify(.waitingForKeyFrame) }
    return false
  }

  /// Decodes a packet and dispatches the frames that it completes.
  ///
  /// - Parameters:
  ///   - packet: `nil` at the end.
  ///   - isCut: for `nil`, whether the stream goes on.
  /// - Returns: `false` if the annotator has ended.
  mutating func decode(_ packet: Packet?, isCut: Bool, to dispatcher: inout FrameDispatcher) throws -> Bool {
    skipped = []
    return try dispatchFrames(of: packet, isCut: isCut, to: &dispatcher)
  }

  private mutating func dispatchFrames(
    of packet: Packet?, isCut: Bool, to dispatcher: inout FrameDispatcher
  ) throws -> Bool {
    let output = try timer.measure(.decode) { try decoder.decode(packet, isCut: isCut) }
    // A stream whose times jump back goes on there.
    if let until = dispatchedUntil, let seconds = packet?.presentationTime?.seconds, seconds < until - Self.jump {
      dispatchedUntil = nil
    }
    for frame in output.frames where dispatchedUntil.map({ frame.time.seconds > $0 }) ?? true {
      for normalised in try normaliser.normalise(frame) {
        guard try dispatch(normalised, to: &dispatcher) else { return false }
      }
    }
    if output.isDamaged || packet?.isCorrupt == true { dispatcher.countDamage() }
    if !output.frames.isEmpty { for notice in normaliser.takeNotices() { state.warn(Message(notice)) } }
    guard packet == nil else { return true }
    for normalised in try normaliser.finish() {
      guard try dispatch(normalised, to: &dispatcher) else { return false }
    }
    return true
  }

  /// Whether packets may be skipped: each frame leaves as soon as it is decoded.
  var canSkip: Bool { !normaliser.delaysFrames }

  /// Decodes a key frame whose next packets may be skipped.
  ///
  /// - Returns: `false` if the annotator has ended.
  mutating func decodeAlone(_ key: Packet, to dispatcher: inout FrameDispatcher) throws -> Bool {
    // The decoder may hold frames back.
    if skipped.isEmpty { guard try drain(to: &dispatcher) else { return false } }
    skipped = [key]
    guard try dispatchFrames(of: key, isCut: true, to: &dispatcher), try drain(to: &dispatcher) else { return false }
    dispatchedUntil = key.presentationTime?.seconds
    return true
  }

  private mutating func drain(to dispatcher: inout FrameDispatcher) throws -> Bool {
    defer { decoder.reset() }
    return try dispatchFrames(of: nil, isCut: true, to: &dispatcher)
  }

  /// Dispatches the frame of a packet without decoding it.
  ///
  /// - Parameter isUnchanged: whether nothing has moved since the frame before.
  /// - Returns: `false` if the annotator has ended.
  mutating func skip(_ packet: Packet, isUnchanged: Bool, to dispatcher: inout FrameDispatcher) throws -> Bool {
    skipped.append(packet)
    guard let time = packet.presentationTime else { return true }
    dispatchedUntil = time.seconds
    return try dispatcher.dispatchUndecoded(at: time, isUnchanged: isUnchanged)
  }

  /// Decodes the skipped packets, which later ones refer to.
  mutating func resume(_ dispatcher: FrameDispatcher) throws {
    for packet in skipped {
      let output = try timer.measure(.decode) { try decoder.decode(packet) }
      if output.isDamaged { dispatcher.countDamage() }
    }
    skipped = []
  }

  private mutating func dispatch(_ frame: VideoFrame, to dispatcher: inout FrameDispatcher) throws -> Bool {
    var frame = frame
    try masks?.paint(on: &frame)
    return try dispatcher.dispatch(frame, rotation: normaliser.orientation.degrees)
  }
}
