internal import CVStreamLibAV
internal import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads a pipe, or a file that is standard input, for libav: so that waiting for data can be interrupted, which libav's own
/// pipe protocol does not support, and so that a file can be read from any position.
final class PipeInput {
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let interrupt: Interrupt
  private(set) var av: UnsafeMutablePointer<AVIOContext>?
  private static let bufferSize: Int32 = 1 << 16
  /// The first bytes that were read.
  private var start: [UInt8] = []
  /// Bytes that were read to detect the format, and are returned next.
  private var peeked: [UInt8] = []

  /// - Parameters:
  ///   - location: `-` for standard input, or the path of a pipe (`isPipe`).
  ///   - interrupt: Ends a read that waits.
  /// - Throws: `VStreamError.unreadableInput` if it cannot be opened.
  init(_ location: String, interrupt: Interrupt) throws(VStreamError) {
    self.interrupt = interrupt
    if let number = Self.number(of: location) {
      // Duplicated, as a socket cannot be opened by its path.
      descriptor = number == STDIN_FILENO ? number : fcntl(number, F_DUPFD_CLOEXEC, 3)
      ownsDescriptor = number != STDIN_FILENO
    } else {
      // Without blocking, so that waiting for the first writer can be interrupted as well.
      descriptor = open(location, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      ownsDescriptor = true
    }
    guard descriptor >= 0 else {
      throw VStreamError(
        .unreadableInput, "'\(location)' cannot be read: \(String(cString: strerror(errno)))",
        remedy: "check its permissions")
    }
    let isSeekable = FileStatus(descriptor: descriptor)?.kind == .regular
    // It may have been read before: an input is opened more than once.
    if isSeekable { lseek(descriptor, 0, SEEK_SET) }
    guard let buffer = av_malloc(Int(Self.bufferSize)) else { throw outOfMemory("input") }
    av = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, 0, Unmanaged.passUnretained(self).toOpaque(),
      { opaque, buffer, size in
        guard let opaque, let buffer else { return CVStreamLibAV_EOF }
        return Unmanaged<PipeInput>.fromOpaque(opaque).takeUnretainedValue().read(into: buffer, size)
      }, nil,
      isSeekable
        ? { opaque, offset, origin in
          guard let opaque else { return Int64(-EINVAL) }
          return Unmanaged<PipeInput>.fromOpaque(opaque).takeUnretainedValue().seek(to: offset, from: origin)
        } : nil)
    guard av != nil else {
      av_free(buffer)
      throw outOfMemory("input")
    }
  }

  deinit {
    if let av { av_freep(&av.pointee.buffer) }
    avio_context_free(&av)
    if ownsDescriptor, descriptor >= 0 { close(descriptor) }
  }

  /// Whether the data read begins like a playlist (HLS, DASH) or another list of locations.
  var isPlaylist: Bool {
    let text = String(decoding: start, as: UTF8.self).drop(while: \.isWhitespace)
    return ["#EXTM3U", "ffconcat", "v=0"].contains(where: text.hasPrefix) || text.contains("<MPD")
  }

  private static let startLength = 1024

  /// Waits for the first bytes, and returns whether a JPEG image begins. To detect a sequence of images, libav would read 5 MB.
  func startsWithJPEG() -> Bool {
    let signature: [UInt8] = [0xFF, 0xD8, 0xFF]
    while peeked.count < signature.count {
      let missing = signature.count - peeked.count
      let bytes = [UInt8](unsafeUninitializedCapacity: missing) { buffer, count in
        count = buffer.baseAddress.map { max(0, Int(receive(into: $0, Int32(missing)))) } ?? 0
      }
      if bytes.isEmpty { break }
      peeked += bytes
    }
    return peeked == signature
  }

  /// Whether an input is read by this instead of by its path.
  static func reads(_ input: MediaInput, kind: InputKind) -> Bool {
    kind == .pipe || (kind == .file && number(of: input.location) == STDIN_FILENO)
  }

  /// Whether a location is standard input or the path of a FIFO, a socket or a character device, which are not
  /// seekable. Standard input that is a file is not a pipe.
  static func isPipe(_ location: String) -> Bool {
    let status = number(of: location).map { FileStatus(descriptor: $0) } ?? FileStatus(of: location)
    return status.map { [.pipe, .socket, .characterDevice].contains($0.kind) } ?? false
  }

  /// The descriptor of the locations `-`, `/dev/stdin` and `/dev/fd/3`; `nil` for other paths.
  private static func number(of location: String) -> Int32? {
    if location == "-" || location == "/dev/stdin" { return STDIN_FILENO }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where location.hasPrefix(folder) {
      return Int32(location.dropFirst(folder.count))
    }
    return nil
  }

  /// Moves the position of a file.
  ///
  /// - Returns: the new position, or for `AVSEEK_SIZE` the file's size; a libav code if that fails.
  private func seek(to offset: Int64, from origin: Int32) -> Int64 {
    if origin & AVSEEK_SIZE != 0 { return FileStatus(descriptor: descriptor).map { Int64($0.size) } ?? Int64(-EINVAL) }
    let position = lseek(descriptor, off_t(offset), origin & ~AVSEEK_FORCE)
    return position >= 0 ? Int64(position) : Int64(-errno)
  }

  /// Returns the bytes that were peeked, else waits for bytes.
  private func read(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int32) -> Int32 {
    let known = peeked.prefix(Int(size))
    for (index, byte) in known.enumerated() { buffer[index] = byte }
    peeked.removeFirst(known.count)
    let count = known.isEmpty ? receive(into: buffer, size) : Int32(known.count)
    if count > 0, start.count < Self.startLength {
      start += UnsafeBufferPointer(start: buffer, count: min(Int(count), Self.startLength - start.count))
    }
    return count
  }

  /// Waits for bytes, and checks for an interrupt ten times a second.
  ///
  /// - Returns: The number of bytes, or a libav code.
  private func receive(into buffer: UnsafeMutablePointer<UInt8>, _ size: Int32) -> Int32 {
    while true {
      if interrupt.shouldEnd { return CVStreamLibAV_EXIT }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&wanted, 1, 100)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      if ready < 0 { return -errno }
      let count = Glibc.read(descriptor, buffer, Int(size))
      if count > 0 { return Int32(count) }
      if count == 0 { return CVStreamLibAV_EOF }
      if errno != EAGAIN, errno != EINTR { return -errno }
    }
  }
}
