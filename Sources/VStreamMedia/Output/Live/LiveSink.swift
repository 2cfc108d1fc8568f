internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The particulars of outputs in a network.
enum LiveSink {
  /// FFmpeg's name of the format that a URL's protocol carries; `nil` for other protocols, and for locations that are not URLs.
  static func format(of location: String) -> String? {
    guard MediaInput(location).isURL else { return nil }
    let scheme = location.prefix { $0 != ":" }.lowercased()
    switch scheme {
    case "rtsp", "rtsps": return "rtsp"
    case "rtmp", "rtmps", "rtmpt", "rtmpe", "rtmpte", "rtmpts": return "flv"
    case "udp", "srt", "tcp", "rist": return "mpegts"
    case "rtp", "srtp": return "rtp_mpegts"
    case "http", "https":
      let path = location.prefix { $0 != "?" }.lowercased()
      return path.hasSuffix(".m3u8") ? "hls" : path.hasSuffix(".mpd") ? "dash" : nil
    default: return nil
    }
  }

  /// FFmpeg's options that are set unless the user sets them.
  static func options(of destination: OutputDestination) -> [(key: String, value: String)] {
    guard destination.isLive else { return [] }
    switch destination.format {
    // UDP loses packets on most routes that are longer than one cable.
    case "rtsp": return [("rtsp_transport", "tcp")]
    // The header cannot be rewritten at the end.
    case "flv": return [("flvflags", "no_duration_filesize")]
    case "hls" where destination.location.hasPrefix("http"): return [("method", "PUT")]
    default: return []
    }
  }

  /// The error of an output that could not be opened.
  static func unreachable(_ destination: OutputDestination, _ code: LibAVCode) -> VStreamError {
    let shown = MediaInput(destination.location).displayName
    if code == .interrupted {
      return VStreamError(
        .cannotCreateOutput, "\(shown) did not answer for \(seconds(destination))",
        subject: destination.location,
        remedy: "check the address, or allow more time (\(.timeout))")
    }
    let (what, remedy) = InputFailure.networkError(code, url: destination.location)
    let isUsage = code == .protocolNotFound
    return VStreamError(isUsage ? .usage : .cannotCreateOutput, "\(shown) cannot be opened: \(what)", remedy: remedy)
  }

  /// The error of an open output that accepts no more data.
  static func lost(_ destination: OutputDestination, _ code: LibAVCode) -> VStreamError {
    let shown = MediaInput(destination.location).displayName
    if code == .interrupted {
      return VStreamError(
        .inputOutput, "\(shown) accepted no data for \(seconds(destination))",
        subject: destination.location,
        remedy: "check the receiver and the network, or allow more time (\(.timeout))")
    }
    let isGone = [EPIPE, ECONNRESET, ENOTCONN].contains(code.systemError)
    return VStreamError(
      .inputOutput, "\(shown) was lost: \(isGone ? "the receiver closed the connection" : code.reason)",
      subject: destination.location, remedy: "check that the receiver runs, and the network")
  }

  private static func seconds(_ destination: OutputDestination) -> String {
    "\((destination.limit ?? 0).formatted(.shortest)) s"
  }
}
