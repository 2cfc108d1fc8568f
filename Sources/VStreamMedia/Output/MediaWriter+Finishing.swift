internal import CVStreamLibAV
public import VStreamScene
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
      if destination.isLive { throw LiveSink.lost(destination, code) }
      if FreeSpace.isExhausted(code.systemError) { throw destination.fullDisk(.inputOutput, remedy: playablePart) }
      guard code == .system(EPIPE), destination.location == "-" else { throw error }
      throw VStreamError(.closedByReader, "standard output was closed by its reader")
    }
  }

  private var playablePart: Message {
    guard videoPackets > 0, let path = destination.partPath else { return "" }
    return "what was written plays: '\(path)'"
  }

  public func finish(isComplete: Bool) throws(VStreamError) -> String? {
    try writeWaiting()
    let what = "closing '\(destination.location)' failed"
    try finishConversions()
    try writeQueue()
    guard canEnd else {
      throw VStreamError(
        .inputOutput, "no frame could be written: \(destination.format) waits for each of its streams",
        subject: destination.location,
        remedy: "omit audio that has no packets (\(.audio, "none")), or write an .mkv file")
    }
    try requireWritten(what) { av_write_trailer(context) }
    try requireWritten(what) { owner.close() }
    guard let part = destination.partPath else { return nil }
    let warning = destination.style == .fragmentedPart ? finalise(part) : nil
    guard isComplete else { return warning }
    let code = PartFile.move(part, to: destination.location, overwrite: destination.overwrites)
    if code == EEXIST {
      throw VStreamError(
        .cannotCreateOutput, "'\(destination.location)' was created by another program during the run",
        subject: destination.location, remedy: playablePart)
    }
    guard code == 0 else {
      throw VStreamError(
        .inputOutput, "'\(part)' cannot be renamed to '\(destination.location)': \(String(cString: strerror(code)))",
        remedy: playablePart)
    }
    return warning
  }

  public func abandon() {
    guard destination.partPath != nil else { return }
    guard videoPackets > 0, canEnd else { return discard() }
    // A second failure adds nothing to the first.
    _ = try? finish(isComplete: false)
  }

  /// Whether the file can be ended: libavformat crashes at the end of an MXF in which it has written no frame.
  private var canEnd: Bool {
    !Container.formatsOfProduction.contains(destination.format) || context.streams.contains { $0.pointee.nb_frames > 0 }
  }

  public func discard() {
    _ = owner.limited(owner.close)
    if let part = destination.partPath { unlink(part) }
  }

  /// Replaces the fragmented file by a fast-start one.
  ///
  /// - Returns: a warning if that failed; the fragmented file is kept then.
  private func finalise(_ part: String) -> String? {
    let final = PartFile.finalPath(for: destination.location)
    do throws(VStreamError) {
      try Remuxer.remux(
        part, to: final, like: context, videoPackets: videoPackets, ends: ends, lastShown: lastShown, texts: heldTexts,
        chapters: chapters, coverImages: coverImages)
      guard rename(final, part) == 0 else { throw VStreamError(.inputOutput, "\(String(cString: strerror(errno)))") }
      return nil
    } catch {
      unlink(final)
      let space = FreeSpace(part)
      let reason = space.isEnoughForAnother ? error.message : "the disk has not enough space (\(space))"
      return "'\(destination.location)' remains a fragmented file, as it could not be rewritten: \(reason)"
    }
  }
}
