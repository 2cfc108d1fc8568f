internal import CVStreamLibAV
internal import FoundationEssentials
package import VStreamCore
internal import VStreamSystem

/// The packets of an encoder as they left it, in a file: containers would round their times and rewrite their bytes.
///
/// A file is the text `vstream packets 2`, a line feed, its origin as JSON, the encoder's header, and the packets; numbers are
/// little-endian.
package enum PacketFile {
  static let magic = Array("vstream packets 2\n".utf8)

  /// The origin of the packets.
  package struct Origin: Hashable, Sendable, Codable {
    package var input: InputIdentity
    /// The number of the part.
    package var part: Int
    /// Whether their frames are redacted.
    package var isRedacted: Bool

    package init(input: InputIdentity, part: Int, isRedacted: Bool) {
      self.input = input
      self.part = part
      self.isRedacted = isRedacted
    }
  }

  /// A file's description of its packets.
  package struct Header: Hashable, Sendable {
    package var origin: Origin
    /// Seconds for a tick of the packets' times.
    package var timeBase: Rational
    /// The encoder's header.
    package var extradata: [UInt8]

    package init(origin: Origin, timeBase: Rational, extradata: [UInt8]) {
      self.origin = origin
      self.timeBase = timeBase
      self.extradata = extradata
    }
  }

  static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

/// Writes the packets of an encoder to a file, which gets its name when it is complete. One owner at a time.
package final class PacketFileWriter: MediaSink {
  package let omitted: [OmittedStream] = []
  package let notices: [Message] = []
  package let problems: [Message] = []
  package let refused = RefusedPackets()
  private let path: String
  private let file: TextFile
  private let overwrite: Bool

  /// - Parameter video: the opened encoder.
  /// - Throws: `VStreamError.cannotCreateOutput`.
  package init(
    _ path: String, of origin: PacketFile.Origin, video: VideoEncoder, overwrite: Bool
  ) throws(VStreamError) {
    self.path = path
    self.overwrite = overwrite
    file = try TextFile(creating: PartFile.path(for: path), overwrite: true)
    var bytes = PacketFile.magic
    let facts = Array((try? JSONEncoder().encode(origin)) ?? Data())
    PacketFile.append(UInt32(clamping: facts.count), to: &bytes)
    bytes += facts
    PacketFile.append(video.timeBase.numerator, to: &bytes)
    PacketFile.append(video.timeBase.denominator, to: &bytes)
    let extradata = video.extradata
    PacketFile.append(UInt32(clamping: extradata.count), to: &bytes)
    try file.write(bytes + extradata)
  }

  package func writeVideo(_ packet: Packet) throws(VStreamError) {
    let av = packet.av.pointee
    var bytes: [UInt8] = []
    for ticks in [av.pts, av.dts, av.duration] { PacketFile.append(ticks, to: &bytes) }
    PacketFile.append(av.flags, to: &bytes)
    PacketFile.append(UInt32(clamping: packet.byteCount), to: &bytes)
    PacketFile.append(UInt32(clamping: Int(av.side_data_elems)), to: &bytes)
    bytes += packet.bytes
    for index in 0..<Int(av.side_data_elems) {
      let data = av.side_data[index]
      PacketFile.append(Int32(bitPattern: data.type.rawValue), to: &bytes)
      PacketFile.append(UInt32(clamping: Int(data.size)), to: &bytes)
      bytes += UnsafeBufferPointer(start: data.data, count: Int(data.size))
    }
    try file.write(bytes)
  }

  package func writeCopy(_ packet: Packet) throws(VStreamError) {}

  package func finish(isComplete: Bool) throws(VStreamError) -> String? {
    try file.close()
    if isComplete { try PartFile.commit(path, overwrite: overwrite) }
    return nil
  }

  package func abandon() { try? file.close() }

  package func discard() { file.discard() }
}

/// Reads the packets of a file. One owner at a time.
package struct PacketFileReader {
  package let header: PacketFile.Header
  private var file: PacketBytes

  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` for another file.
  package init(_ path: String) throws(VStreamError) {
    file = PacketBytes(try ReadableFile(path))
    guard try file.bytes(PacketFile.magic.count).map(Array.init) == PacketFile.magic else { throw file.damage }
    let facts = try file.bytes(Int(try file.number(UInt32.self))).map { Data($0) }
    guard let facts, let origin = try? JSONDecoder().decode(PacketFile.Origin.self, from: facts) else {
      throw file.damage
    }
    let base = Rational(try file.number(Int32.self), try file.number(Int32.self))
    let count = Int(try file.number(UInt32.self))
    guard let base, let extradata = try file.bytes(count) else { throw file.damage }
    header = PacketFile.Header(origin: origin, timeBase: base, extradata: Array(extradata))
  }

  /// The next packet; `nil` at the end.
  ///
  /// - Throws: `VStreamError`: `unreadableInput` for a file that is cut off, `inputOutput`, `library` if memory runs out.
  package mutating func next() throws(VStreamError) -> Packet? {
    guard let first = try file.bytes(8) else {
      guard file.isAtEnd else { throw file.damage }
      return nil
    }
    let pts = Int64(littleEndian: first.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) })
    let (dts, duration) = (try file.number(Int64.self), try file.number(Int64.self))
    let (flags, count, elements) = (
      try file.number(Int32.self), try file.number(UInt32.self), try file.number(UInt32.self)
    )
    guard let data = try file.bytes(Int(count)) else { throw file.damage }
    let packet = try Packet.allocate(copying: Array(data))
    let owner = Packet(takingOwnershipOf: packet, timeBase: header.timeBase)
    (packet.pointee.pts, packet.pointee.dts, packet.pointee.duration, packet.pointee.flags) = (
      pts, dts, duration, flags
    )
    for _ in 0..<elements {
      let (type, size) = (try file.number(Int32.self), try file.number(UInt32.self))
      guard let data = try file.bytes(Int(size)) else { throw file.damage }
      let kind = AVPacketSideDataType(UInt32(bitPattern: type))
      guard let target = av_packet_new_side_data(packet, kind, Int(size)) else { throw outOfMemory("packet") }
      data.withUnsafeBytes { source in
        if let from = source.baseAddress {
          UnsafeMutableRawPointer(target).copyMemory(from: from, byteCount: source.count)
        }
      }
    }
    return owner
  }
}

/// The bytes of a file, in their order.
private struct PacketBytes {
  private let file: ReadableFile
  private var buffer: [UInt8] = []
  private var position = 0

  init(_ file: ReadableFile) { self.file = file }

  /// Whether all that was read of the file so far is used.
  var isAtEnd: Bool { position == buffer.count }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(VStreamError) -> Number {
    guard let bytes = try bytes(MemoryLayout<Number>.size) else { throw damage }
    return Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: Number.self) })
  }

  /// - Returns: `nil` if fewer bytes are left.
  mutating func bytes(_ count: Int) throws(VStreamError) -> ArraySlice<UInt8>? {
    while buffer.count - position < count {
      if position > 0 {
        buffer.removeFirst(position)
        position = 0
      }
      guard try file.read(into: &buffer) else { return nil }
    }
    defer { position += count }
    return buffer[position..<position + count]
  }

  var damage: VStreamError {
    VStreamError(
      .unreadableInput, "'\(file.path)' does not hold the packets of a part, or is cut off", subject: file.path,
      remedy: "render that part again")
  }
}

extension VideoEncoder {
  /// The encoder's header.
  package var extradata: [UInt8] {
    let count = Int(max(0, context.pointee.extradata_size))
    return context.pointee.extradata.map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
  }
}

extension Packet {
  /// The packet with another decoding time.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  package func decoded(at ticks: Int64) throws(VStreamError) -> Packet {
    guard let copy = av_packet_clone(av) else { throw outOfMemory("packet") }
    copy.pointee.dts = ticks
    return Packet(takingOwnershipOf: copy, timeBase: timeBase)
  }
}
