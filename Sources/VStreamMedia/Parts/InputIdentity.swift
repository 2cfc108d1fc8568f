internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

/// An input's identity: its size, and the checksums of its first and last bytes.
package struct InputIdentity: Hashable, Sendable, Codable {
  /// The file name, without its folder.
  package var name: String
  package var bytes: Int64
  /// The SHA-256 of the first and of the last `checkedBytes`, in hexadecimal.
  package var headSHA256: String
  package var tailSHA256: String

  /// How many bytes are checked at either end.
  package static let checkedBytes: Int64 = 1 << 20

  /// Reads the identity of a file, or of a URL whose server sends parts of it.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`; `usage` if positions cannot be read. The C functions are libavformat's `avio_…`.
  package init(of input: MediaInput) throws(VStreamError) {
    var context: UnsafeMutablePointer<AVIOContext>?
    let code = LibAVCode(avio_open2(&context, input.location, AVIO_FLAG_READ, nil, nil))
    guard !code.isFailure, let file = context else {
      throw VStreamError(
        .inputNotFound, "\(input.displayName) cannot be opened: \(code.reason)", subject: input.location,
        remedy: "check its name and permissions")
    }
    defer { avio_closep(&context) }
    let size = avio_size(file)
    guard size >= 0, file.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0 else {
      throw VStreamError(
        .usage, "\(input.displayName) cannot be read from any position, so it has no parts", subject: input.location,
        remedy: "name a file, or a URL whose server sends ranges")
    }
    name = input.fileName
    bytes = size
    headSHA256 = try Self.hash(file, from: 0, to: min(size, Self.checkedBytes), of: input)
    tailSHA256 = try Self.hash(file, from: max(0, size - Self.checkedBytes), to: size, of: input)
  }

  /// - Throws: `VStreamError.unreadableInput` if an input is another one, or has changed.
  package func require(_ input: MediaInput, plan: String) throws(VStreamError) {
    if try InputIdentity(of: input).isSame(as: self) { return }
    throw VStreamError(
      .unreadableInput, "\(input.displayName) is not the file that '\(plan)' was made of, or has changed since",
      subject: input.location, remedy: "give the same file, or split it again (vstream split)")
  }

  /// Whether it is the same input; its name may be another one on another machine.
  package func isSame(as other: InputIdentity) -> Bool {
    (bytes, headSHA256, tailSHA256) == (other.bytes, other.headSHA256, other.tailSHA256)
  }

  private static func hash(
    _ file: UnsafeMutablePointer<AVIOContext>, from start: Int64, to end: Int64, of input: MediaInput
  ) throws(VStreamError) -> String {
    guard let hash = av_sha_alloc() else { throw outOfMemory("hash") }
    defer { av_free(UnsafeMutableRawPointer(hash)) }
    try requireLibAV(.library, "hash of \(input.displayName)") { av_sha_init(hash, 256) }
    var isRead = avio_seek(file, start, SEEK_SET) == start
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var rest = end - start
    while isRead, rest > 0 {
      let count = avio_read(file, &buffer, Int32(clamping: min(rest, Int64(buffer.count))))
      isRead = count > 0
      if isRead { av_sha_update(hash, buffer, Int(count)) }
      rest -= Int64(max(0, count))
    }
    guard isRead || rest == 0 else {
      throw VStreamError(
        .inputOutput, "reading \(input.displayName) failed", subject: input.location,
        remedy: "check the disk or the network")
    }
    var digest = [UInt8](repeating: 0, count: 32)
    av_sha_final(hash, &digest)
    return Hexadecimal.text(digest)
  }
}
