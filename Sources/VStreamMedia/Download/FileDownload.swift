internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Downloads a file with a known SHA-256, by any protocol of libavformat.
///
/// The received bytes are stored in `PATH.part`, at whose end a later run continues; the file gets its name when it is
/// complete and its checksum is correct. Blocks the calling thread.
package struct FileDownload: Sendable {
  /// The source: `https://…`.
  package var url: String
  /// The file to create.
  package var path: String
  /// The expected checksum, in hexadecimal.
  package var sha256: String
  /// Seconds that each response may take.
  package var timeout = 30.0
  /// Bytes that the file may have.
  package var maximumBytes: Int
  /// How often an interrupted transfer is retried, as long as each attempt receives data.
  var attempts = 5

  package init(_ url: String, to path: String, sha256: String, maximumBytes: Int = 200_000_000) {
    self.url = url
    self.path = path
    self.sha256 = sha256
    self.maximumBytes = maximumBytes
  }

  /// The progress of a download, in bytes.
  package struct Progress: Sendable {
    package var done: Int
    /// `nil` if the server does not report it.
    package var total: Int?
  }

  private var part: String { PartFile.path(for: path) }
  private var remedyToResume: Message { "run it again: it continues where it stopped" }

  /// Downloads the file.
  ///
  /// - Parameters:
  ///   - interrupt: ends the download; the received bytes are kept.
  ///   - onProgress: called on the calling thread, several times a second.
  /// - Throws: `VStreamError`: `inputNotFound` if it does not exist; `inputOutput` if the transfer was interrupted, or if the
  ///   checksum is wrong; `cannotCreateOutput`.
  package func run(interrupt: Interrupt = Interrupt(), onProgress: (Progress) -> Void = { _ in }) throws(VStreamError) {
    let isResumed = partSize > 0
    let isComplete = isResumed ? try hash() == sha256 : false
    if !isComplete { try fetch(interrupt, onProgress) }
    if isResumed, try hash() != sha256 {
      // The earlier part may have been of another file.
      unlink(part)
      try fetch(interrupt, onProgress)
    }
    let found = try hash()
    guard found == sha256 else {
      unlink(part)
      throw VStreamError(
        .inputOutput, "'\(ShownLocation.text(url))' is not the expected file: its SHA-256 is \(found), not \(sha256)",
        subject: url,
        remedy: "check the address, or the mirror; nothing was kept")
    }
    try PartFile.commit(path)
  }

  private func hash() throws(VStreamError) -> String { try FileHash.sha256(of: part) }

  /// Downloads the missing bytes, over as many connections as necessary.
  private func fetch(_ interrupt: Interrupt, _ onProgress: (Progress) -> Void) throws(VStreamError) {
    var attemptsLeft = attempts
    while true {
      let before = partSize
      do throws(VStreamError) {
        return try connect(at: before, interrupt, onProgress)
      } catch {
        // Without a length from the server, FFmpeg cannot distinguish the end from an interruption.
        if partSize > before, try hash() == sha256 { return }
        attemptsLeft -= 1
        guard error.code == .inputOutput, partSize > before, attemptsLeft > 0, !interrupt.wasTriggered else {
          throw error
        }
      }
    }
  }

  /// Downloads from an offset to the end, over one connection.
  private func connect(at offset: Int, _ interrupt: Interrupt, _ onProgress: (Progress) -> Void) throws(VStreamError) {
    let (source, start) = try open(at: offset, interrupt)
    var owned: UnsafeMutablePointer<AVIOContext>? = source
    defer { interrupt.limited(to: 1) { _ = avio_closep(&owned) } }
    let descriptor = try NewFile.open(part, existing: start > 0 ? .kept : .emptied)
    guard lseek(descriptor, 0, SEEK_END) >= 0, let file = fdopen(descriptor, "ab") else {
      close(descriptor)
      throw VStreamError(
        .cannotCreateOutput, "'\(part)' cannot be created: \(String(cString: strerror(errno)))",
        subject: part, remedy: "check its folder and permissions")
    }
    defer { fclose(file) }
    let size = Int(avio_size(source))
    let total = size > 0 ? size : nil
    if let total, total > maximumBytes { throw tooLarge }
    var done = start
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      onProgress(Progress(done: done, total: total))
      CVStreamLibAV_forgetMessage()
      let count = interrupt.code(limitedTo: timeout) { avio_read_partial(source, &buffer, Int32(buffer.count)) }
      if count == .endOfStream || count.rawValue == 0 { break }
      if count.isFailure { throw cutOff(at: done, of: total, count) }
      guard done + Int(count.rawValue) <= maximumBytes else { throw tooLarge }
      guard fwrite(buffer, 1, Int(count.rawValue), file) == Int(count.rawValue), fflush(file) == 0 else {
        throw VStreamError(
          .inputOutput, "'\(part)' cannot be written: \(String(cString: strerror(errno)))",
          subject: part, remedy: "free some space, and \(remedyToResume)")
      }
      done += Int(count.rawValue)
    }
    if let total, done < total { throw cutOff(at: done, of: total, .endOfStream) }
  }

  /// The error of a file that cannot be the expected one; the received part is removed.
  private var tooLarge: VStreamError {
    unlink(part)
    return VStreamError(
      .unreadableInput, "'\(ShownLocation.text(url))' is larger than \(maximumBytes.formatted(.bytes)) (\(.maxSize))",
      setting: .maxSize,
      subject: url, remedy: "check the address, or allow more with \(.maxSize); nothing was kept")
  }

  private func cutOff(at done: Int, of total: Int?, _ code: LibAVCode) -> VStreamError {
    let length = total.map { " of \($0.formatted(.bytes))" } ?? ""
    let why =
      code == .interrupted ? "no data for \(Int(timeout)) s, or it was stopped" : code.reason
    return VStreamError(
      .inputOutput, "'\(ShownLocation.text(url))' was cut off after \(done.formatted(.bytes))\(length): \(why)",
      remedy: remedyToResume)
  }

  /// Opens the URL at an offset, or, if the server does not support that, at the beginning.
  private func open(
    at offset: Int, _ interrupt: Interrupt
  ) throws(VStreamError) -> (source: UnsafeMutablePointer<AVIOContext>, start: Int) {
    _ = LibAV.recordsMessages
    for start in offset > 0 ? [offset, 0] : [0] {
      var context: UnsafeMutablePointer<AVIOContext>?
      var callback = interrupt.callback
      CVStreamLibAV_forgetMessage()
      let (code, unused) = withDictionary(start > 0 ? [("offset", "\(start)")] : []) { options in
        interrupt.code(limitedTo: timeout) { avio_open2(&context, url, AVIO_FLAG_READ, &callback, options) }
      }
      if !code.isFailure, let context {
        // Protocols other than HTTP do not have this option; they seek.
        if unused.isEmpty || avio_seek(context, Int64(start), SEEK_SET) == Int64(start) { return (context, start) }
        var owned: UnsafeMutablePointer<AVIOContext>? = context
        avio_closep(&owned)
      } else if start == 0 {
        throw unreachable(code)
      }
    }
    throw VStreamError(
      .inputOutput, "'\(ShownLocation.text(url))' cannot be read from its beginning", remedy: remedyToResume)
  }

  private func unreachable(_ code: LibAVCode) -> VStreamError {
    if code == .interrupted {
      return VStreamError(
        .inputNotFound, "'\(ShownLocation.text(url))' did not answer within \(Int(timeout)) s", subject: url,
        remedy: "check the network, and try again")
    }
    let (what, remedy) = InputFailure.networkError(code, url: url)
    return VStreamError(.inputNotFound, "'\(ShownLocation.text(url))' cannot be downloaded: \(what)", remedy: remedy)
  }

  /// The bytes that were fetched; 0 without a file.
  private var partSize: Int { FreeSpace(part).written ?? 0 }
}
