internal import CVStreamLibAV
internal import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// How an input is opened: what libav is told beside the location.
struct InputOpener {
  let kind: InputKind
  /// `nil` where it is to be recognised.
  private let format: UnsafePointer<AVInputFormat>?
  /// As libav is to see it.
  private let location: String
  /// The input's own standards, then what the user gave, which wins.
  private let options: [(key: String, value: String)]
  /// Whether it is read by V4L2, without blocking.
  private let isCamera: Bool
  private let input: MediaInput

  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`, `missingDependency`, or `usage` for a format or option
  ///   that cannot be meant.
  init(_ input: MediaInput, images: ImageFiles?) throws(VStreamError) {
    kind = input.kind
    var own = Self.standards(of: input, kind: kind)
    var found: UnsafePointer<AVInputFormat>?
    var isCamera = false
    if images != nil {
      // The first picture tells what they are, whatever its name, and how many are shown in a second.
    } else if input.isCamera {
      found = try DeviceFormats.find("v4l2")
      own += try Camera(input.location).options(completing: input.options)
      isCamera = true
    } else if let name = input.format {
      found = try DeviceFormats.find(name)
    }
    format = found
    self.isCamera = isCamera
    // Which picture is the first is known.
    options = own + input.options.filter { images == nil || $0.key != "start_number" }
    if let first = images?.paths.first {
      location = first
      self.input = MediaInput(first, options: input.options)
    } else {
      self.input = input
      location = try Self.libavLocation(input, kind: kind)
    }
  }

  /// What is set unless the user sets it otherwise.
  private static func standards(of input: MediaInput, kind: InputKind) -> [(key: String, value: String)] {
    switch kind {
    // Devices say at once what they give; nothing is to be read ahead.
    case .device: return [("probesize", "32"), ("analyzeduration", "0"), ("fpsprobesize", "0")]
    case .network:
      let scheme = input.location.prefix { $0 != ":" }.lowercased()
      var options = [(key: "analyzeduration", value: "2000000")]
      // By UDP, packets are lost on most ways that are longer than a cable.
      if scheme.hasPrefix("rtsp") { options.append(("rtsp_transport", "tcp")) }
      // A burst that is too long for the buffer is a gap, not the end.
      if scheme == "udp" { options += [("overrun_nonfatal", "1"), ("fifo_size", "65536")] }
      return options
    // What is read to find out the rate of its frames is late when it is shown.
    case .pipe: return [("fpsprobesize", "5")]
    case .file: return []
    }
  }

  /// What a failure of this input means.
  var failure: InputFailure { InputFailure(input, kind: kind, isCamera: isCamera) }

  /// Opens the input.
  ///
  /// - Throws: `VStreamError`: `inputNotFound` if it cannot be reached, `unreadableInput` if it is no media, `usage` for an
  ///   option that nobody takes. The C function is `avformat_open_input`.
  func open(pipe: PipeInput?, interrupt: Interrupt) throws(VStreamError) -> UnsafeMutablePointer<AVFormatContext> {
    _ = LibAV.keepsMessages
    guard let allocated = avformat_alloc_context() else { throw outOfMemory("input") }
    allocated.pointee.interrupt_callback = interrupt.callback
    if let pipe { allocated.pointee.pb = pipe.av }
    if isCamera { allocated.pointee.flags |= AVFMT_FLAG_NONBLOCK }
    var context: UnsafeMutablePointer<AVFormatContext>? = allocated
    CVStreamLibAV_forgetMessage()
    // On failure avformat_open_input frees the context itself.
    let (code, unused) = withDictionary(options) { options in
      interrupt.code(limitedTo: input.openingLimit) { avformat_open_input(&context, location, format, options) }
    }
    guard code >= 0, let opened = context else { throw failure.opening(code) }
    if let option = unused.first(where: { name in input.options.contains { $0.key == name } }) {
      avformat_close_input(&context)
      throw VStreamError(
        .usage, "the input has no option '\(option)' (--input-option)",
        remedy: "'ffmpeg -h demuxer=NAME' lists a format's options")
    }
    // Any text file is ANSI art to libav, which nobody means who does not say so.
    if input.format == nil, String(cString: opened.pointee.iformat.pointee.name) == "tty" {
      avformat_close_input(&context)
      throw VStreamError(.unreadableInput, "\(input.shown) is text, not a video", remedy: "name a video, or a picture")
    }
    return opened
  }

  /// The location as libav is to see it, after a look at the file system for clearer errors than libav's.
  private static func libavLocation(_ input: MediaInput, kind: InputKind) throws(VStreamError) -> String {
    // Standard input that is a file can be sought in.
    if input.location == "-" { return kind == .pipe ? "pipe:0" : "file:/dev/stdin" }
    if input.isURL { return input.location }
    var status = stat()
    guard stat(input.location, &status) == 0 else {
      // Devices of libavdevice (`:0`, `testsrc`) and printf patterns are no files.
      if input.format != nil || av_filename_number_test(input.location) == 1 { return input.location }
      if errno == EACCES {
        throw VStreamError(
          .unreadableInput, "'\(input.location)' cannot be read: permission denied", remedy: "see to its permissions")
      }
      throw MediaInput.missing(input.location)
    }
    if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 {
      throw VStreamError(
        .unreadableInput, "'\(input.location)' is empty", remedy: "see that it was copied or recorded whole")
    }
    return input.format == nil && !input.isCamera ? "file:\(input.location)" : input.location
  }
}

/// What a failure to reach or read an input means to its user.
struct InputFailure {
  private let input: MediaInput
  private let kind: InputKind
  private let isCamera: Bool

  /// - Parameter isCamera: whether it was a V4L2 camera when it was opened: of one that is unplugged, the device is gone.
  init(_ input: MediaInput, kind: InputKind, isCamera: Bool) {
    self.input = input
    self.kind = kind
    self.isCamera = isCamera
  }

  /// An input that could not be opened.
  func opening(_ code: Int32) -> VStreamError {
    if code == CVStreamLibAV_EXIT { return silence(.inputNotFound, "did not answer") }
    switch kind {
    case .device where isCamera: return Camera.error(code, path: input.location)
    case .device:
      return VStreamError(
        .inputNotFound, "the device \(input.shown) cannot be opened: \(reason(code))",
        remedy: "'ffmpeg -h demuxer=\(input.format ?? "NAME")' lists its options (--input-option)")
    case .network where code != CVStreamLibAV_INVALIDDATA: return unreachable(code)
    case .file, .pipe, .network:
      return VStreamError(
        .unreadableInput, "\(input.shown) is not media that can be read: \(reason(code))",
        remedy: "see that it is whole; --input-format names a format that FFmpeg does not recognise")
    }
  }

  /// An input that was opened, but in which no stream could be made out.
  func probing(_ code: Int32) -> VStreamError {
    if code == CVStreamLibAV_EXIT { return silence(.inputNotFound, "gave too little to tell what it is") }
    if isCamera { return Camera.error(code, path: input.location) }
    return VStreamError(
      .unreadableInput, "no stream could be made out in \(input.shown): \(reason(code))",
      remedy: "see that it is whole; --input-option probesize=50M looks at more of it")
  }

  /// A read that failed part way.
  func reading(_ code: Int32) -> VStreamError {
    if code == CVStreamLibAV_EXIT { return silence(.inputOutput, "gave nothing") }
    guard isCamera else {
      return VStreamError(.inputOutput, "reading \(input.shown) failed: \(reason(code))")
    }
    let isGone = [ENODEV, ENXIO].contains(-code)
    return VStreamError(
      .inputOutput,
      isGone ? "the camera \(input.shown) was unplugged" : "the camera \(input.shown) failed: \(reason(code))",
      remedy: "plug it in again; see --reconnect")
  }

  private func silence(_ code: VStreamError.Code, _ what: String) -> VStreamError {
    let limit = (input.limit ?? 0).formatted(.shortest)
    let remedy: Message =
      code == .inputOutput
      ? "see \(.timeout) and \(.reconnect)" : "see that the address is right, or allow more (\(.timeout))"
    return VStreamError(code, "\(input.shown) \(what) for \(limit) s", remedy: remedy)
  }

  private func unreachable(_ code: Int32) -> VStreamError {
    let (what, remedy) = Self.meaning(
      of: code, reason: reason(code), scheme: String(input.location.prefix { $0 != ":" }))
    let isUsage = code == CVStreamLibAV_PROTOCOL_NOT_FOUND
    return VStreamError(isUsage ? .usage : .inputNotFound, "\(input.shown) cannot be opened: \(what)", remedy: remedy)
  }

  /// What a code says of a place in a network, and what to do about it.
  static func meaning(of code: Int32, reason: String, scheme: String) -> (what: String, remedy: Message) {
    switch code {
    case CVStreamLibAV_HTTP_UNAUTHORIZED:
      ("it asks for a user and password (401)", "give them in the URL: \(scheme)://USER:PASSWORD@HOST/…")
    case CVStreamLibAV_HTTP_FORBIDDEN: ("it forbids this (403)", "ask its keeper for access")
    case CVStreamLibAV_HTTP_NOT_FOUND: ("the server has nothing there (404)", "see that the URL's path is right")
    case CVStreamLibAV_HTTP_OTHER_4XX: ("the server refuses (\(reason))", "see that the URL is right")
    case CVStreamLibAV_HTTP_SERVER_ERROR: ("the server is in trouble (\(reason))", "try again later")
    case CVStreamLibAV_PROTOCOL_NOT_FOUND:
      ("this FFmpeg has no protocol '\(scheme)'", "'ffmpeg -protocols' lists those that it has")
    case -ECONNREFUSED: ("connection refused", "see that the server runs, and that address and port are right")
    case -EHOSTUNREACH, -ENETUNREACH: ("no way leads to the host", "see to the network and the address")
    case -ETIMEDOUT: ("the host does not answer", "see to the network and the address")
    case -EIO where reason.contains("resolve"):
      ("the host's name is not known", "see that it is right, and to the network")
    default: (reason, "see that the server runs, and that the address is right")
    }
  }
}
