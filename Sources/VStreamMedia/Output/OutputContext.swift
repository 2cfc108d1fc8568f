internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

/// Owns a muxer and the file that it writes to.
final class OutputContext {
  let av: UnsafeMutablePointer<AVFormatContext>
  private let url: String
  private let limit: Double?
  private let interrupt: Interrupt
  /// `nil` for a muxer that writes one file.
  private let segments: SegmentFiles?
  /// A file that exists and may not be replaced, which the muxer wanted to write.
  var refusedFile: String? { segments?.refused }
  /// A location that the muxer could not open, with libav's code.
  var failedLocation: (url: String, code: LibAVCode)? {
    segments?.failed.min { $0.key < $1.key }.map { ($0.key, LibAVCode($0.value)) }
  }
  private var partLock: FileLock?

  /// - Parameter interrupt: ends calls that wait for the receiver.
  init(_ destination: OutputDestination, interrupt: Interrupt?) throws(VStreamError) {
    url = destination.url
    limit = destination.limit
    self.interrupt = Interrupt(parent: interrupt)
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    try requireLibAV(.cannotCreateOutput, "'\(destination.shownLocation)' cannot be written") {
      avformat_alloc_output_context2(&allocated, nil, destination.format, destination.url)
    }
    guard let allocated else { throw outOfMemory("output") }
    av = allocated
    let opensFiles = allocated.pointee.oformat.pointee.flags & AVFMT_NOFILE != 0
    segments = opensFiles || destination.rules.isSegmented ? SegmentFiles(overwrites: destination.overwrites) : nil
    av.pointee.interrupt_callback = self.interrupt.callback
    segments?.attach(to: av)
    // Packets reach the file at once, so that a killed program leaves all but the last fragment.
    av.pointee.flush_packets = 1
    // They wait at most a second for streams that have ended or have gaps.
    av.pointee.max_interleave_delta = 1_000_000
    av.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL  // FLAC in MP4, before FFmpeg 6
  }

  deinit {
    _ = limited(close)
    avformat_free_context(av)
  }

  /// Locks the part file.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput` if another run writes it.
  func lock(_ destination: OutputDestination) throws(VStreamError) {
    partLock = try destination.partPath.map { path throws(VStreamError) in
      try FileLock(path, for: destination.shownLocation)
    }
  }

  /// Opens the file and writes its header.
  ///
  /// - Returns: libav's code.
  func start(_ options: UnsafeMutablePointer<OpaquePointer?>) -> Int32 {
    if let segments {
      guard segments.allowsPlaylist(url) else { return LibAVCode.system(EEXIST).rawValue }
      segments.removeSegments(of: url)
    }
    if av.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0 {
      var callback = interrupt.callback
      let file = partLock.map { "file:" + $0.ownPath } ?? url
      let code = avio_open2(&av.pointee.pb, file, AVIO_FLAG_WRITE, &callback, options)
      if LibAVCode(code).isFailure { return code }
    }
    return avformat_write_header(av, options)
  }

  /// Runs a call that may block, at most for the destination's limit.
  func limited(_ call: () -> Int32) -> LibAVCode { interrupt.code(limitedTo: limit, call) }

  /// Flushes and closes the file, once.
  ///
  /// - Returns: libav's code.
  func close() -> Int32 {
    av.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0 ? avio_closep(&av.pointee.pb) : 0
  }
}
