internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

extension MediaWriter {
  /// - Throws: `VStreamError.closedByReader` if the reader of standard output has closed it, otherwise `inputOutput`.
  func requireWritten(_ what: @autoclosure () -> String, _ call: () -> Int32) throws(VStreamError) {
    var code = LibAVCode(0)
    do throws(VStreamError) {
      try requireLibAV(.inputOutput, what(), remedy: playablePart) {
        code = owner.limited(call)
        return code.rawValue
      }
    } catch {
      if let file = owner.refusedFile { throw Self.exists(file) }
      if let failed = owner.failedLocation {
        throw VStreamError(
          .inputOutput, "'\(ShownLocation.text(failed.url))' could not be written: \(failed.code.reason)",
          subject: failed.url, remedy: "check that the server runs and takes files")
      }
      if destination.isLive { throw LiveSink.lost(destination, code) }
      if FreeSpace.isExhausted(code.systemError) { throw destination.fullDisk(.inputOutput, remedy: playablePart) }
      guard code == .system(EPIPE), destination.location == "-" else { throw error }
      throw VStreamError(.closedByReader, "standard output was closed by its reader")
    }
  }

  /// Checks that the container can store the time from a stream's last packet to this one, and that from a packet's
  /// decoding to its presentation, which a gap makes longer.
  ///
  /// MP4 counts them with 32 bits, in ticks of the stream, and libavformat ends the program for more than 31.
  /// - Parameters:
  ///   - step: ticks from the stream's last packet to this one.
  ///   - packet: with its times in ticks of the output.
  ///   - stream: the output's stream.
  /// - Throws: `VStreamError.inputOutput`; the file plays up to there.
  func requireStorable(
    _ step: Int64, before packet: UnsafePointer<AVPacket>, in stream: UnsafePointer<AVStream>
  ) throws(VStreamError) {
    let longest = Int64(Int32.max) - 1
    let index = Int(stream.pointee.index)
    let isTimed = packet.pointee.pts != CVStreamLibAV_NOPTS && packet.pointee.dts != CVStreamLibAV_NOPTS
    let delay = isTimed ? packet.pointee.pts.limitedDifference(packet.pointee.dts) : 0
    let gap = max(step, delay)
    guard gap > longest,
      OutputDestination.mp4Family.contains(destination.packetFormat(context.pointee.oformat).name)
    else { return }
    let base = Rational(stream.pointee.time_base)?.value ?? 0
    throw VStreamError(
      .inputOutput,
      "'\(destination.shownLocation)' cannot hold a gap of \((Double(gap) * base).formatted(.duration)) in stream \(index): "
        + "\(destination.format) has at most \((Double(longest) * base).formatted(.duration))",
      remedy: playablePart.isEmpty ? "write an .mkv file" : "write an .mkv file; \(playablePart)")
  }

  private var playablePart: Message {
    guard isPlayable, canEnd, let path = destination.partPath else { return "" }
    return "what was written plays: '\(path)'"
  }

  package func finish(isComplete: Bool) throws(VStreamError) -> String? {
    try writeWaiting()
    try finishConversions()
    try fillWithSilence()
    try writeQueue()
    return try end(isComplete: isComplete)
  }

  /// Continues sound of MXF that has fewer samples than the video lasts. libavformat omits frames without sound at the end, and
  /// may crash.
  private func fillWithSilence() throws(VStreamError) {
    guard destination.packetFormat(context.pointee.oformat).name.hasPrefix("mxf"), let end = ends[0] else { return }
    for (index, codec) in context.codecs.enumerated() where codec.codec_type == AVMEDIA_TYPE_AUDIO {
      // Sound without any packet is an error of its own.
      guard let written = byteCounts[index] else { continue }
      let sampleBytes = Int(codec.ch_layout.nb_channels * av_get_bits_per_sample(codec.codec_id)) / 8
      let second = sampleBytes * Int(codec.sample_rate)
      guard second > 0, let base = context.pointee.streams[index].flatMap({ Rational($0.pointee.time_base) }) else {
        continue
      }
      var missing = sampleBytes * Int((end.seconds * Double(codec.sample_rate)).rounded(.up)) - written
      while missing > 0 {
        let size = min(missing, second)
        guard let packet = av_packet_alloc(), !LibAVCode(av_new_packet(packet, Int32(size))).isFailure else {
          throw outOfMemory("packet")
        }
        var owned: UnsafeMutablePointer<AVPacket>? = packet
        defer { av_packet_free(&owned) }
        packet.pointee.data?.update(repeating: 0, count: size)
        packet.pointee.stream_index = Int32(index)
        packet.pointee.pts = base.ticks(seconds: end.seconds - Double(missing) / Double(second))
        packet.pointee.dts = packet.pointee.pts
        packet.pointee.duration = base.ticks(seconds: Double(size) / Double(second))
        try interleave(packet, isCopy: false)
        missing -= size
      }
    }
  }

  private func end(isComplete: Bool) throws(VStreamError) -> String? {
    let what = "closing '\(destination.shownLocation)' failed"
    guard canEnd else {
      throw VStreamError(
        .inputOutput, "no frame could be written: \(destination.format) waits for each of its streams",
        subject: destination.location,
        remedy: "omit audio that has no packets (\(.audio, "none")), or write an .mkv file")
    }
    isEnded = true
    try requireWritten(what) { av_write_trailer(context) }
    try requireWritten(what) { owner.close() }
    // Some muxers go on without a segment.
    if let file = owner.refusedFile { throw Self.exists(file) }
    if let failed = owner.failedLocation {
      throw VStreamError(
        .inputOutput, "'\(ShownLocation.text(failed.url))' could not be written: \(failed.code.reason)",
        subject: failed.url, remedy: "check that the server runs and takes files")
    }
    guard let part = destination.partPath else { return nil }
    let warning = destination.style == .fragmentedPart ? finalise(part) : nil
    guard isComplete else { return warning }
    let code = PartFile.move(part, to: destination.location, overwrite: destination.overwrites)
    if code == EEXIST {
      throw VStreamError(
        .cannotCreateOutput, "'\(destination.shownLocation)' was created by another program during the run",
        subject: destination.location, remedy: playablePart)
    }
    guard code == 0 else {
      throw VStreamError(
        .inputOutput,
        "'\(part)' cannot be renamed to '\(destination.shownLocation)': \(String(cString: strerror(code)))",
        remedy: playablePart)
    }
    return warning
  }

  package func abandon() {
    guard destination.partPath != nil else { return }
    // The failure came after the end, which can be written only once.
    guard !isEnded else {
      _ = owner.limited(owner.close)
      return
    }
    guard videoPackets > 0, canEnd else { return discard() }
    // A second failure adds nothing to the first.
    try? writeWaiting()
    try? finishConversions()
    try? writeQueue()
    _ = try? end(isComplete: false)
    if !isPlayable { discard() }
  }

  /// Whether a frame of the video has been written, not only queued behind other streams.
  private var isPlayable: Bool { (context.streams.first?.pointee.nb_frames ?? 0) > 0 }

  /// Whether the file can be ended: libavformat crashes at the end of an MXF without a frame.
  private var canEnd: Bool {
    !Container.formatsOfProduction.contains(destination.format) || context.streams.contains { $0.pointee.nb_frames > 0 }
  }

  package func discard() {
    _ = owner.limited(owner.close)
    if let part = destination.partPath { unlink(part) }
  }

  /// Replaces the fragmented file by a fast-start one.
  ///
  /// - Returns: a warning if that failed; the fragmented file is kept then.
  private func finalise(_ part: String) -> String? {
    let final = PartFile.finalPath(for: destination.location)
    var isOwn = false
    do throws(VStreamError) {
      // Of a run that was killed.
      if destination.overwrites { unlink(final) }
      let file = try FileLock(final, existing: .refused)
      isOwn = true
      try Remuxer.remux(
        part, to: final, as: file.ownPath, like: context, videoPackets: videoPackets, ends: ends, lastShown: lastShown,
        texts: heldTexts,
        chapters: chapters, coverImages: coverImages)
      guard rename(final, part) == 0 else { throw VStreamError(.inputOutput, "\(String(cString: strerror(errno)))") }
      return nil
    } catch {
      if isOwn { unlink(final) }
      let space = FreeSpace(part)
      let reason = space.isEnoughForAnother ? error.message : "the disk has not enough space (\(space))"
      return "'\(destination.shownLocation)' remains a fragmented file, as it could not be rewritten: \(reason)"
    }
  }
}
