internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Opens an input with libavformat, with the format and options for its kind.
struct InputOpener {
  let kind: InputKind
  /// `nil` for the format to be detected.
  private let format: UnsafePointer<AVInputFormat>?
  /// The location that libav opens.
  private let location: String
  /// The defaults for the kind, then the user's options, which override them.
  private let options: [(key: String, value: String)]
  /// Whether it is read by V4L2, without blocking.
  private let isCamera: Bool
  private let input: MediaInput

  /// - Parameters:
  ///   - images: The files of an image sequence; `nil` for other inputs.
  ///   - isReconnecting: Whether its streams continue those of an earlier connection.
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`, `missingDependency`, or `usage` for an invalid format
  ///   or option.
  init(_ input: MediaInput, images: ImageFiles?, isReconnecting: Bool = false) throws(VStreamError) {
    kind = input.kind
    var defaults = Self.defaults(for: input, kind: kind)
    // The frame rate is known.
    if isReconnecting, kind == .network { defaults.append(("fpsprobesize", "0")) }
    var found: UnsafePointer<AVInputFormat>?
    var isCamera = false
    if images != nil {
      // libav detects the format of the first image, whatever its name.
    } else if input.isCamera {
      found = try DeviceFormats.find("v4l2")
      defaults += try Camera(input.location).options(completing: input.options)
      isCamera = true
    } else if let name = input.format {
      found = try DeviceFormats.find(name)
    }
    format = found
    self.isCamera = isCamera
    // `ImageFiles` has applied start_number.
    options = defaults + input.options.filter { images == nil || $0.key != "start_number" }
    if input.frames != nil {
      (self.input, location) = (input, input.location)
    } else if let first = images?.paths.first {
      // A colon would end a protocol's name.
      location = first.contains(":") && !first.hasPrefix("/") ? "./" + first : first
      self.input = MediaInput(first, options: input.options)
    } else {
      self.input = input
      location = try Self.libavLocation(input, kind: kind)
    }
  }

  /// The options that apply unless the user sets them.
  private static func defaults(for input: MediaInput, kind: InputKind) -> [(key: String, value: String)] {
    // Data of unknown origin may be a playlist, which would have other files and addresses read: as FFmpeg's `pipe`.
    let protocols = PipeInput.reads(input, kind: kind) ? [("protocol_whitelist", "crypto,data")] : []
    return protocols + paces(for: input, kind: kind)
  }

  private static func paces(for input: MediaInput, kind: InputKind) -> [(key: String, value: String)] {
    switch kind {
    // Devices report their format when they are opened; reading ahead would only add delay.
    case .device: return [("probesize", "32"), ("analyzeduration", "0"), ("fpsprobesize", "0")]
    case .network:
      // Frames that are read to estimate the frame rate delay the first one.
      var options = [(key: "analyzeduration", value: "2000000"), ("fpsprobesize", "5")]
      // By UDP, packets are lost on most networks.
      if input.scheme.hasPrefix("rtsp") { options.append(("rtsp_transport", "tcp")) }
      // A burst that overruns the buffer is a gap, not the end.
      if input.scheme == "udp" { options += [("overrun_nonfatal", "1"), ("fifo_size", "65536")] }
      return options
    // Frames that are read to estimate the frame rate are late when they are shown.
    case .pipe: return [("fpsprobesize", "5")]
    // Streams of MPEG-TS that are announced later are analysed as well, as ffmpeg does: the analysis takes its whole time.
    case .file: return [("scan_all_pmts", "1")]
    case .frames: return []
    }
  }

  /// The errors of this input.
  var failure: InputFailure { InputFailure(input, kind: kind, isCamera: isCamera) }

  /// Opens the input.
  ///
  /// - Throws: `VStreamError`: `inputNotFound` if it cannot be reached, `unreadableInput` if it is not media, `usage` for
  ///   an option that libav does not know. The C function is `avformat_open_input`.
  func open(pipe: PipeInput?, interrupt: Interrupt) throws(VStreamError) -> UnsafeMutablePointer<AVFormatContext> {
    _ = LibAV.recordsMessages
    guard let allocated = avformat_alloc_context() else { throw outOfMemory("input") }
    allocated.pointee.interrupt_callback = interrupt.callback
    if let pipe { allocated.pointee.pb = pipe.av }
    if isCamera { allocated.pointee.flags |= AVFMT_FLAG_NONBLOCK }
    var context: UnsafeMutablePointer<AVFormatContext>? = allocated
    let images = format == nil && kind == .pipe ? try DeviceFormats.find("mjpeg") : nil
    CVStreamLibAV_forgetMessage()
    // On failure avformat_open_input frees the context itself.
    let (code, unused) = withDictionary(options) { options in
      interrupt.code(limitedTo: input.openingLimit) {
        let found = images != nil && pipe?.startsWithJPEG() == true ? images : format
        return avformat_open_input(&context, location, found, options)
      }
    }
    guard !code.isFailure, let opened = context else {
      let isTrusted = input.options.contains { $0.key == "protocol_whitelist" }
      throw pipe?.isPlaylist == true && !isTrusted ? failure.playlist(code) : failure.opening(code)
    }
    let isCameraImages = opened.pointee.inputFormatName == MediaReader.cameraImages
    if let option = unused.first(where: { name in
      input.options.contains { $0.key == name } && !(isCameraImages && name == "framerate")
    }) {
      avformat_close_input(&context)
      throw VStreamError(
        .usage, "the input has no option '\(option)' (\(.inputOption))", setting: .inputOption, value: option,
        remedy: "'ffmpeg -h demuxer=NAME' lists a format's options")
    }
    // libav reads any text file as ANSI art, which is intended only by users who name that format.
    if input.format == nil, opened.pointee.inputFormatName == "tty" {
      avformat_close_input(&context)
      throw VStreamError(
        .unreadableInput, "\(input.displayName) is text, not a video", remedy: "name a video or an image")
    }
    return opened
  }

  /// The location that libav opens, once the file system is checked for errors that can be reported more precisely than
  /// by libav.
  private static func libavLocation(_ input: MediaInput, kind: InputKind) throws(VStreamError) -> String {
    if input.location == "-" { return "pipe:0" }
    if input.isURL { return try URLCredentials.encoded(input.location) }
    guard let status = FileStatus(of: input.location) else {
      // Devices of libavdevice (`:0`, `testsrc`) and printf patterns are not files.
      if input.format != nil || ImageFiles.isPattern(input.location) { return input.location }
      if access(input.location, F_OK) != 0, errno == EACCES {
        throw InputFailure.denied(input.location)
      }
      throw MediaInput.missing(input.location)
    }
    if status.kind == .regular, status.size == 0 {
      throw VStreamError(
        .unreadableInput, "\(input.displayName) is empty", remedy: "check that it was copied or recorded completely")
    }
    return input.format == nil && !input.isCamera ? "file:\(input.location)" : input.location
  }
}
