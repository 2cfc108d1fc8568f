internal import CVStreamLibAV
public import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Fetches a file whose bytes are known by their SHA-256, by any protocol that libavformat has.
///
/// What comes is kept as `PATH.part`, from whose end a later run goes on; it gets its name when it is whole and is what it
/// should be. Blocks the calling thread.
public struct FileDownload: Sendable {
  /// Where it is: `https://…`.
  public var url: String
  /// Where it is to be.
  public var path: String
  /// Its fingerprint, in hexadecimal.
  public var sha256: String
  /// Seconds that each answer may take.
  public var timeout = 30.0
  /// How often a transfer that was cut off goes on by itself, as long as each time something comes.
  var attempts = 5

  public init(_ url: String, to path: String, sha256: String) {
    self.url = url
    self.path = path
    self.sha256 = sha256
  }

  /// How far a download has come, in bytes.
  public struct Progress: Sendable {
    public var done: Int
    /// `nil` if the server does not say.
    public var total: Int?
  }

  private var part: String { path + ".part" }
  private var remedyToGoOn: Message { "run it again: it goes on where it stopped" }

  /// Fetches the file.
  ///
  /// - Parameters:
  ///   - interrupt: ends it; what has come is kept.
  ///   - onProgress: called on the calling thread, several times a second.
  /// - Throws: `VStreamError`: `inputNotFound` if it is not there; `inputOutput` if it was cut off, or is another file than it
  ///   should be; `cannotCreateOutput`.
  public func run(interrupt: Interrupt = Interrupt(), onProgress: (Progress) -> Void = { _ in }) throws(VStreamError) {
    let isResumed = partSize > 0
    let isThere = isResumed ? try hash() == sha256 : false
    if !isThere { try fetch(interrupt, onProgress) }
    if isResumed, try hash() != sha256 {
      // What was there may have been of another file.
      unlink(part)
      try fetch(interrupt, onProgress)
    }
    let found = try hash()
    guard found == sha256 else {
      unlink(part)
      throw VStreamError(
        .inputOutput, "'\(url)' is not the file that it should be: its SHA-256 is \(found), and not \(sha256)",
        remedy: "see that the address, or the mirror, is right; nothing was kept")
    }
    try PartFile.commit(path)
  }

  private func hash() throws(VStreamError) -> String { try FileHash.sha256(of: part) }

  /// Fetches what is missing, with as many connections as that takes.
  private func fetch(_ interrupt: Interrupt, _ onProgress: (Progress) -> Void) throws(VStreamError) {
    var rest = attempts
    while true {
      let before = partSize
      do throws(VStreamError) {
        return try connect(at: before, interrupt, onProgress)
      } catch {
        // Where a server does not say how long a file is, FFmpeg cannot tell its end from a break.
        if partSize > before, try hash() == sha256 { return }
        rest -= 1
        guard error.code == .inputOutput, partSize > before, rest > 0, !interrupt.wasTriggered else {
          throw error
        }
      }
    }
  }

  /// Fetches from a place on to the end, by one connection.
  private func connect(at offset: Int, _ interrupt: Interrupt, _ onProgress: (Progress) -> Void) throws(VStreamError) {
    let (source, start) = try open(at: offset, interrupt)
    var owned: UnsafeMutablePointer<AVIOContext>? = source
    defer { interrupt.limited(to: 1) { _ = avio_closep(&owned) } }
    guard let file = fopen(part, start > 0 ? "ab" : "wb") else {
      throw VStreamError(
        .cannotCreateOutput, "'\(part)' cannot be created: \(String(cString: strerror(errno)))",
        remedy: "see to its folder and permissions")
    }
    defer { fclose(file) }
    let size = Int(avio_size(source))
    let total = size > 0 ? size : nil
    var done = start
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      onProgress(Progress(done: done, total: total))
      CVStreamLibAV_forgetMessage()
      let count = interrupt.code(limitedTo: timeout) { avio_read_partial(source, &buffer, Int32(buffer.count)) }
      if count == .endOfStream || count.rawValue == 0 { break }
      if count.isFailure { throw cutOff(at: done, of: total, count) }
      guard fwrite(buffer, 1, Int(count.rawValue), file) == Int(count.rawValue), fflush(file) == 0 else {
        throw VStreamError(
          .inputOutput, "'\(part)' cannot be written: \(String(cString: strerror(errno)))",
          remedy: "make room, and \(remedyToGoOn)")
      }
      done += Int(count.rawValue)
    }
    if let total, done < total { throw cutOff(at: done, of: total, .endOfStream) }
  }

  private func cutOff(at done: Int, of total: Int?, _ code: LibAVCode) -> VStreamError {
    let length = total.map { " of \($0.formatted(.bytes))" } ?? ""
    let why =
      code == .interrupted ? "nothing came for \(Int(timeout)) s, or it was stopped" : code.reason
    return VStreamError(
      .inputOutput, "'\(url)' was cut off after \(done.formatted(.bytes))\(length): \(why)", remedy: remedyToGoOn)
  }

  /// Opens the address at a place, or, where its server cannot do that, at the beginning.
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
        // Protocols other than HTTP know no such option, and are sought in.
        if unused.isEmpty || avio_seek(context, Int64(start), SEEK_SET) == Int64(start) { return (context, start) }
        var owned: UnsafeMutablePointer<AVIOContext>? = context
        avio_closep(&owned)
      } else if start == 0 {
        throw unreachable(code)
      }
    }
    throw VStreamError(.inputOutput, "'\(url)' cannot be read from its beginning", remedy: remedyToGoOn)
  }

  private func unreachable(_ code: LibAVCode) -> VStreamError {
    if code == .interrupted {
      return VStreamError(
        .inputNotFound, "'\(url)' did not answer within \(Int(timeout)) s", remedy: "see to the network, and try again")
    }
    let (what, remedy) = InputFailure.networkError(code, url: url)
    return VStreamError(.inputNotFound, "'\(url)' cannot be fetched: \(what)", remedy: remedy)
  }

  /// The bytes that were fetched; 0 without a file.
  private var partSize: Int { FreeSpace(part).written ?? 0 }
}
