/// The header of AAC streams, `AudioSpecificConfig`, which states its own length bit by bit.
///
/// Source: ISO/IEC 14496-3, 1.6.2.1 (the header), 4.4.1 (general audio), 4.4.1.1 (program configuration).
struct AACHeader {
  private var bits: BitReader
  /// Free text of a program configuration.
  private var comment: Range<Int>?

  private enum ObjectType {
    static let spectralBandReplication = 5
    static let parametricStereo = 29
    static let bitSlicedCoding = 22
    static let scalable: Set = [6, 20]
    /// With the configuration of general audio.
    static let general: Set = [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23]
    static let errorResilient: Set = [17, 19, 20, 23]
    static let firstWithErrorProtection = 17
  }

  /// The header without bytes behind it, and without comments.
  ///
  /// - Returns: `nil` for a header that cannot be read, or of object types without the configuration of general audio.
  static func cleaned(_ header: [UInt8]) -> [UInt8]? {
    var parser = AACHeader(bits: BitReader(header))
    guard parser.parse() else { return nil }
    var cleaned = Array(header.prefix((parser.bits.position + 7) / 8))
    for index in parser.comment ?? 0..<0 { cleaned[index] = 0 }
    return cleaned
  }

  private mutating func parse() -> Bool {
    var type = objectType()
    skipFrequency()
    let channels = bits.read(4)
    let isExtended = type == ObjectType.spectralBandReplication || type == ObjectType.parametricStereo
    if isExtended {
      skipFrequency()
      type = objectType()
      if type == ObjectType.bitSlicedCoding { bits.skip(4) }
    }
    guard ObjectType.general.contains(type), !bits.isPastEnd else { return false }
    skipGeneralAudio(type, channels: channels)
    // Two or three are followed by the parameters of error protection.
    if type >= ObjectType.firstWithErrorProtection, bits.read(2) > 1 { return false }
    if !isExtended { skipExtension() }
    return !bits.isPastEnd
  }

  private mutating func objectType() -> Int {
    let type = bits.read(5)
    return type == 31 ? 32 + bits.read(6) : type
  }

  private mutating func skipFrequency() {
    if bits.read(4) == 15 { bits.skip(24) }
  }

  private mutating func skipGeneralAudio(_ type: Int, channels: Int) {
    bits.skip(1)
    if bits.read(1) == 1 { bits.skip(14) }
    let hasExtension = bits.read(1) == 1
    if channels == 0 { skipProgram() }
    if ObjectType.scalable.contains(type) { bits.skip(3) }
    guard hasExtension else { return }
    if type == ObjectType.bitSlicedCoding { bits.skip(16) }
    if ObjectType.errorResilient.contains(type) { bits.skip(3) }
    bits.skip(1)
  }

  /// Skips a program configuration, which names the channels and has a comment.
  private mutating func skipProgram() {
    bits.skip(10)
    let (front, side, back) = (bits.read(4), bits.read(4), bits.read(4))
    let (low, data, coupled) = (bits.read(2), bits.read(3), bits.read(4))
    for width in [4, 4, 3] where bits.read(1) == 1 { bits.skip(width) }
    bits.skip(5 * (front + side + back + coupled) + 4 * (low + data))
    bits.align()
    let count = bits.read(8)
    let start = bits.position / 8
    bits.skip(8 * count)
    if !bits.isPastEnd { comment = start..<start + count }
  }

  /// Skips what states spectral band replication and parametric stereo to decoders that know them.
  private mutating func skipExtension() {
    guard bits.peek(11) == 0x2B7 else { return }
    bits.skip(11)
    let type = objectType()
    guard type == ObjectType.spectralBandReplication || type == ObjectType.bitSlicedCoding else { return }
    if bits.read(1) == 1 {
      skipFrequency()
      if type == ObjectType.spectralBandReplication, bits.peek(11) == 0x548 { bits.skip(12) }
    }
    if type == ObjectType.bitSlicedCoding { bits.skip(4) }
  }
}

/// Reads numbers of any count of bits, the highest first. Behind the end it reads zeros, and notes it.
struct BitReader {
  private let bytes: [UInt8]
  /// In bits.
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isPastEnd: Bool { position > 8 * bytes.count }

  mutating func read(_ count: Int) -> Int {
    defer { position += count }
    return peek(count)
  }

  func peek(_ count: Int) -> Int {
    (position..<position + count).reduce(0) { number, index in
      let bit = index / 8 < bytes.count ? Int(bytes[index / 8] >> (7 - index % 8) & 1) : 0
      return number << 1 | bit
    }
  }

  mutating func skip(_ count: Int) { position += count }

  /// Moves to the beginning of a byte.
  mutating func align() { position = (position + 7) / 8 * 8 }
}
