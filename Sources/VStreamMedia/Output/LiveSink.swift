internal import CVStreamLibAV
internal import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// What is particular to outputs in a network.
enum LiveSink {
  /// FFmpeg's name of the format that a URL's protocol carries; `nil` where it says nothing, or the location is no URL.
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

  /// FFmpeg's options that are set unless the user sets them otherwise.
  static func options(of destination: OutputDestination) -> [(key: String, value: String)] {
    guard destination.isLive else { return [] }
    switch destination.format {
    // By UDP, packets are lost on most ways that are longer than a cable.
    case "rtsp": return [("rtsp_transport", "tcp")]
    // There is no going back to write them down.
    case "flv": return [("flvflags", "no_duration_filesize")]
    case "hls" where destination.location.hasPrefix("http"): return [("method", "PUT")]
    default: return []
    }
  }

  /// An output that could not be opened.
  static func unreachable(_ destination: OutputDestination, _ code: LibAVCode) -> VStreamError {
    let shown = MediaInput(destination.location).displayName
    if code == .interrupted {
      return VStreamError(
        .cannotCreateOutput, "\(shown) did not answer for \(seconds(destination))",
        remedy: "see that the address is right, or allow more (--timeout)")
    }
    let (what, remedy) = InputFailure.networkError(code, url: destination.location)
    let isUsage = code == .protocolNotFound
    return VStreamError(isUsage ? .usage : .cannotCreateOutput, "\(shown) cannot be opened: \(what)", remedy: remedy)
  }

  /// An output that was open and takes nothing more.
  static func lost(_ destination: OutputDestination, _ code: LibAVCode) -> VStreamError {
    let shown = MediaInput(destination.location).displayName
    if code == .interrupted {
      return VStreamError(
        .inputOutput, "\(shown) took nothing for \(seconds(destination))",
        remedy: "see to the receiver and the network, or allow more (--timeout)")
    }
    let isGone = [EPIPE, ECONNRESET, ENOTCONN].contains(code.systemError)
    return VStreamError(
      .inputOutput, "\(shown) was lost: \(isGone ? "the receiver closed the connection" : code.reason)",
      remedy: "see that the receiver runs, and to the network")
  }

  private static func seconds(_ destination: OutputDestination) -> String {
    "\((destination.limit ?? 0).formatted(.shortest)) s"
  }
}
