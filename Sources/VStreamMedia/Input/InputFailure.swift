internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The errors of an input that cannot be opened or read, in terms of its kind.
struct InputFailure {
  private let input: MediaInput
  private let kind: InputKind
  private let isCamera: Bool

  /// - Parameter isCamera: Whether it was a V4L2 camera when it was opened; an unplugged camera has no device any more.
  init(_ input: MediaInput, kind: InputKind, isCamera: Bool) {
    self.input = input
    self.kind = kind
    self.isCamera = isCamera
  }

  /// libav's reason; demuxers and decoders return a plain -1, which is also "operation not permitted", for invalid data.
  static func reason(_ code: LibAVCode) -> String {
    (code == .system(EPERM) ? LibAVCode.invalidData : code).reason
  }

  /// The error of an input that could not be opened.
  func opening(_ code: LibAVCode) -> VStreamError {
    if code == .interrupted { return timeout(.inputNotFound, "did not answer") }
    switch kind {
    case .device where isCamera: return Camera.error(code, path: input.location)
    case .device:
      return VStreamError(
        .inputNotFound, "the device \(input.displayName) cannot be opened: \(code.reason)", subject: input.location,
        remedy: "'ffmpeg -h demuxer=\(input.format ?? "NAME")' lists its options (\(.inputOption))")
    // A file that is incomplete on the server is damaged wherever it is read.
    case .network where code != .invalidData && code != .endOfStream: return unreachable(code)
    case .file where code == .system(ENOENT) && FileStatus(of: input.location) != nil:
      return VStreamError(
        .unreadableInput, "\(input.displayName) refers to a file that does not exist: \(code.reason)",
        subject: input.location, remedy: "copy it with all of its files")
    case .file where code == .system(ENOENT): return MediaInput.missing(input.location)
    case .file where code == .system(EACCES): return Self.denied(input.location)
    case _ where code.reason.contains("not on whitelist"): return playlist(code)
    case .file where ImageMetadata.isHEIC(input.location):
      return VStreamError(
        .unreadableInput,
        "\(input.displayName) is a HEIC image, which the installed FFmpeg (\(String(cString: av_version_info()))) cannot read",
        subject: input.location,
        remedy:
          "convert it first, for example by 'heif-convert INPUT OUTPUT.jpg' (package libheif-examples); FFmpeg 7 reads it"
      )
    case .file, .pipe, .network, .frames:
      return VStreamError(
        .unreadableInput, "\(input.displayName) is not media that can be read: \(Self.reason(code))",
        subject: input.location,
        remedy: "check that the file is complete; \(.inputFormat) names a format that FFmpeg does not recognise")
    }
  }

  /// The error of an input that lists locations, which are not read.
  func playlist(_ code: LibAVCode) -> VStreamError {
    VStreamError(
      .unreadableInput, "\(input.displayName) refers to other files or addresses, which are not read: \(code.reason)",
      subject: input.location,
      remedy:
        "name the file itself; \(.inputOption, "protocol_whitelist=file,crypto,data") allows files if you trust it")
  }

  /// The error of a file whose permissions do not allow this user to read it.
  static func denied(_ path: String) -> VStreamError {
    VStreamError(
      .unreadableInput, "'\(path)' cannot be read: permission denied", subject: path,
      remedy: "change its permissions, or run vstream as a user who may read it")
  }

  /// The error of an input that was opened, but whose streams could not be determined.
  func probing(_ code: LibAVCode) -> VStreamError {
    if code == .interrupted { return timeout(.inputNotFound, "sent too little data to determine its streams") }
    if isCamera { return Camera.error(code, path: input.location) }
    return VStreamError(
      .unreadableInput, "the streams of \(input.displayName) cannot be determined: \(Self.reason(code))",
      subject: input.location,
      remedy: "check that the file is complete; \(.inputOption, "probesize=50M") reads more of it")
  }

  /// The error of a failed read.
  func reading(_ code: LibAVCode) -> VStreamError {
    if code == .interrupted { return timeout(.inputOutput, "sent no data") }
    guard isCamera else {
      return VStreamError(
        .inputOutput, "reading \(input.displayName) failed: \(code.reason)", subject: input.location,
        remedy: kind == .network ? "check the network; see \(.reconnect)" : "check the device that it is stored on")
    }
    let isUnplugged = [.system(ENODEV), .system(ENXIO)].contains(code)
    return VStreamError(
      .inputOutput,
      "the camera \(input.displayName) " + (isUnplugged ? "was unplugged" : "failed: \(code.reason)"),
      subject: input.location, remedy: "plug it in again; see \(.reconnect)")
  }

  private func timeout(_ code: VStreamError.Code, _ what: String) -> VStreamError {
    let limit = (input.limit ?? 0).formatted(.shortest)
    let remedy: Message =
      code == .inputOutput
      ? "see \(.timeout) and \(.reconnect)" : "check the address, or allow more time (\(.timeout))"
    return VStreamError(
      code, "\(input.displayName) \(what) for \(limit) s", subject: input.location, remedy: remedy)
  }

  private func unreachable(_ code: LibAVCode) -> VStreamError {
    let (what, remedy) = Self.networkError(code, url: input.location)
    let kind: VStreamError.Code =
      switch code {
      case .protocolNotFound: .usage
      case .httpUnauthorized: .inputDenied
      default: .inputNotFound
      }
    return VStreamError(
      kind, "\(input.displayName) cannot be opened: \(what)", subject: input.location, remedy: remedy)
  }

  /// The meaning of a code for a URL, and the remedy.
  static func networkError(_ code: LibAVCode, url: String) -> (what: String, remedy: Message) {
    let scheme = url.prefix { $0 != ":" }
    let reason = code.reason
    return switch code {
    case .httpUnauthorized:
      (
        "the server requires a user and password (401)",
        "give the right ones in the URL, before the host: USER:PASSWORD and an @; \(URLCredentials.remedy)"
      )
    case .httpForbidden: ("the server denies access (403)", "ask its administrator for access")
    case .httpNotFound: ("the server has no such resource (404)", "check the URL's path")
    case .httpOtherClientError: ("the server refuses the request (\(reason))", "check the URL")
    case .httpServerError: ("the server failed (\(reason))", "try again later")
    case .protocolNotFound:
      ("this FFmpeg does not support the protocol '\(scheme)'", "'ffmpeg -protocols' lists those that it supports")
    case .system(ECONNREFUSED):
      ("connection refused", "check that the server is running, and its address and port")
    case .system(EHOSTUNREACH), .system(ENETUNREACH): ("no route to host", "check the network and the address")
    case .system(ETIMEDOUT): ("connection timed out", "check the network and the address")
    case .system(EIO) where reason.contains("SRTO_PASSPHRASE"):
      (
        "SRT takes no such passphrase",
        "give 10 to 79 characters, and one with & or + as an option of its own: \(.inputOption, "passphrase=…")"
      )
    case .system(EIO) where reason.contains("resolve") && URLCredentials.mayBeMisread(url):
      ("unknown host", "check the host name; or, if a password has special characters, \(URLCredentials.remedy)")
    case .system(EIO) where reason.contains("resolve"): ("unknown host", "check the host name and the network")
    default: (reason, "check that the server is running, and its address")
    }
  }
}
