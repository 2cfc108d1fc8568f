internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

extension MediaWriter {
  /// Whether video is copied, whose packets may have decoding times before the start.
  private static func hasCopiedVideo(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
    context.codecs.dropFirst().contains { $0.codec_type == AVMEDIA_TYPE_VIDEO }
  }

  /// Whether the writer cuts the fragments of an output (`FragmentCuts`).
  static func hasOwnCuts(_ destination: OutputDestination, _ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
    destination.isFragmented && destination.style != .fragmentedPart
      && context.codecs.contains { $0.codec_id == AV_CODEC_ID_MOV_TEXT }
  }

  /// The muxer's options that are always set for a destination.
  private static func muxerOptions(
    for destination: OutputDestination, _ context: UnsafeMutablePointer<AVFormatContext>
  ) -> [(key: String, value: String)] {
    var options = LiveSink.options(of: destination) + SegmentNames.options(of: destination)
    // Audio may start before 0 with priming samples that are not played; the other streams are not shifted for them.
    let shiftsTimes =
      destination.rules.needsPresentationOrder
      ? hasCopiedVideo(context) : !["matroska", "webm", "avi"].contains(destination.format)
    if !shiftsTimes { options.append(("avoid_negative_ts", "disabled")) }
    if ["mp4", "mov"].contains(destination.format) { options.append(Remuxer.timescale) }
    if destination.isFragmented {
      let flags = "+delay_moov+default_base_moof" + Container.metadataFlag(for: context)
      if hasOwnCuts(destination, context) {
        options.append(("movflags", "+frag_custom" + flags))
      } else {
        options.append(("movflags", flags))
        options.append(("frag_duration", "\(Int(FragmentCuts.interval * 1_000_000))"))
      }
    }
    if destination.format == "matroska" || destination.format == "webm" {
      options.append(("cluster_time_limit", "500"))
    }
    return options
  }

  /// The error of a container that rejects the video as it is encoded; `nil` if something else failed.
  private static func rejectedVideo(
    of destination: OutputDestination, _ context: UnsafeMutablePointer<AVFormatContext>, _ reason: String
  ) -> VStreamError? {
    guard let format = context.pointee.oformat, !Container.acceptsVideo(of: context, in: format),
      let video = context.streams.first
    else { return nil }
    let codec = String(cString: avcodec_get_name(video.pointee.codecpar.pointee.codec_id))
    let remedy: Message =
      Container.alternative(forVideoOf: context).map { "write an \($0), or use another codec" } ?? ""
    return VStreamError(
      .usage, "\(destination.format) cannot hold \(codec) (\(.codec)): \(reason)", setting: .codec, value: codec,
      remedy: remedy.isEmpty ? "use another codec" : remedy)
  }

  static func exists(_ file: String) -> VStreamError {
    VStreamError(
      .cannotCreateOutput, "'\(file)' exists already", subject: file,
      remedy: "\(.overwrite) replaces it; or name another folder")
  }

  /// Locks and opens the output, and writes its header.
  static func open(_ destination: OutputDestination, _ owner: OutputContext) throws(VStreamError) {
    let options = muxerOptions(for: destination, owner.av)
    try owner.lock(destination)
    var code = LibAVCode(0)
    do throws(VStreamError) {
      let (_, unused) = try withDictionary(options + destination.options) { (dictionary) throws(VStreamError) in
        try requireLibAV(.cannotCreateOutput, "'\(destination.shownLocation)' cannot be created") {
          code = owner.limited { owner.start(dictionary) }
          return code.rawValue
        }
      }
      if let option = unused.first(where: { name in destination.options.contains { $0.key == name } }) {
        throw .unknownValue(
          option, of: .outputOption, expected: "an option of \(destination.format)",
          remedy: "'ffmpeg -h muxer=\(destination.format)' lists them")
      }
    } catch {
      // With libav's message, which later calls replace.
      let reason = code.reason
      if let file = owner.refusedFile { throw exists(file) }
      if let part = destination.partPath { unlink(part) }
      if code.isFailure, let rejected = rejectedVideo(of: destination, owner.av, reason) { throw rejected }
      if destination.isLive, error.code == .cannotCreateOutput {
        throw LiveSink.unreachable(destination, code)
      }
      throw FreeSpace.isExhausted(code.systemError) ? destination.fullDisk(.cannotCreateOutput) : error
    }
  }
}
