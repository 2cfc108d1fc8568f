internal import CVStreamLibAV
package import VStreamCore

/// Groups of pictures of a stream that can be decoded alone, and replaced by others: of H.264, from one instantaneous decoding
/// refresh (IDR) to the next. An open group, which begins with another key frame, belongs to the group before it.
package struct ClosedGroups: Sendable {
  /// The bytes of a NAL unit's length before it; `nil` where start codes separate them.
  private let lengthSize: Int?

  /// - Returns: `nil` for a codec whose groups are not known.
  package init?(of video: StreamInfo) {
    guard video.codecName == "h264" else { return nil }
    let header = video.parameters.extradata
    // ISO/IEC 14496-15, 5.3.3.1: the header of a file begins with version 1.
    lengthSize = header.first == 1 && header.count >= 7 ? Int(header[4] & 3) + 1 : nil
  }

  /// Whether a closed group begins with a packet.
  package func begins(with packet: Packet) -> Bool {
    packet.isKey && units(in: packet.bytes).contains { $0.first.map { $0 & 31 == Self.idr } == true }
  }

  /// Whether a packet has user data, such as captions and telemetry. The note with x264's options does not count.
  package func hasUserData(_ packet: Packet) -> Bool {
    units(in: packet.bytes).contains { unit in
      guard unit.first.map({ $0 & 31 == Self.supplement }) == true else { return false }
      return Self.payloads(of: unit).contains { type, bytes in
        type == 4 || (type == 5 && !bytes.starts(with: Self.x264))
      }
    }
  }

  /// A packet of an encoder, whose NAL units start codes separate, in the form of the stream's packets.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  func formatted(_ packet: Packet) throws(VStreamError) -> Packet {
    guard let lengthSize else { return packet }
    var bytes: [UInt8] = []
    for unit in Self.separated(packet.bytes) {
      for byte in (0..<lengthSize).reversed() { bytes.append(UInt8(truncatingIfNeeded: unit.count >> (8 * byte))) }
      bytes += unit
    }
    let copy = try Packet.allocate(copying: bytes)
    let owner = Packet(takingOwnershipOf: copy, timeBase: packet.timeBase)
    try requireLibAV(.library, "a packet") { av_packet_copy_props(copy, packet.av) }
    return owner
  }

  private static let idr: UInt8 = 5
  private static let supplement: UInt8 = 6
  /// The identifier of the text by which x264 names itself and its options.
  private static let x264: [UInt8] = [
    0xdc, 0x45, 0xe9, 0xbd, 0xe6, 0xd9, 0x48, 0xb7, 0x96, 0x2c, 0xd8, 0x20, 0xd9, 0x23, 0xee, 0xef,
  ]

  private func units(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    guard let lengthSize else { return Self.separated(bytes) }
    var (units, position): ([ArraySlice<UInt8>], Int) = ([], 0)
    while position + lengthSize <= bytes.count {
      let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      position += lengthSize
      guard length <= bytes.count - position else { break }
      units.append(bytes[position..<position + length])
      position += length
    }
    return units
  }

  /// The NAL units of a byte stream (ITU-T H.264, annex B).
  private static func separated(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var starts: [(unit: Int, code: Int)] = []
    var (index, zeros) = (0, 0)
    while index < bytes.count {
      if bytes[index] == 1, zeros >= 2 { starts.append((index + 1, index - zeros)) }
      zeros = bytes[index] == 0 ? zeros + 1 : 0
      index += 1
    }
    return starts.indices.map { number in
      let end = number + 1 < starts.count ? starts[number + 1].code : bytes.count
      return bytes[starts[number].unit..<max(starts[number].unit, end)]
    }
  }

  /// The messages of a unit of supplemental enhancement information (ITU-T H.264, 7.3.2.3).
  private static func payloads(of unit: ArraySlice<UInt8>) -> [(type: Int, bytes: ArraySlice<UInt8>)] {
    // Without the bytes that keep start codes from appearing.
    var (bytes, zeros): ([UInt8], Int) = ([], 0)
    for byte in unit.dropFirst() {
      if byte == 3, zeros >= 2 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    var (payloads, rest): ([(Int, ArraySlice<UInt8>)], ArraySlice<UInt8>) = ([], bytes[...])
    func number() -> Int? {
      var sum = 0
      while let byte = rest.popFirst() {
        sum += Int(byte)
        if byte != 255 { return sum }
      }
      return nil
    }
    while rest.count > 1, let type = number(), let size = number() {
      payloads.append((type, rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return payloads
  }
}

/// Encodes groups of pictures that take the place of some of a stream's: with its codec, profile, level and format, parameter sets
/// of their own numbers, and its decoding times. One owner at a time.
package final class GroupEncoder {
  private let encoder: VideoEncoder
  private let groups: ClosedGroups
  private let stream: Int
  /// The decoding times of the replaced packets, ascending.
  private var times: [Int64] = []
  private var written = 0

  /// The numbers of the encoder's parameter sets. Those of encoders are 0, and of several 0 to 3.
  private static let setNumber = 15

  /// - Parameters:
  ///   - settings: the user's; without a quality it is that of `quantiser`.
  ///   - first: the first frame that is encoded.
  ///   - quantiser: the mean quantiser of the key frame that is replaced; `nil` if it is unknown.
  /// - Throws: `VStreamError.usage` if this FFmpeg has no x264, or it rejects the format.
  package init(
    _ video: StreamInfo, _ groups: ClosedGroups, settings: EncoderSettings, first: VideoFrame, quantiser: Double?
  ) throws(VStreamError) {
    self.groups = groups
    stream = video.index
    let coded = video.parameters.av.pointee
    var settings = settings
    settings.codec = "libx264"
    if settings.crf == nil, settings.bitRate == nil, let quantiser {
      settings.crf = min(max(quantiser + Self.qualityOffset, 0), 40)
    }
    var options = [
      ("forced-idr", "1"), ("x264-params", "sps-id=\(Self.setNumber)"),
      // A frame is presented at most one after it was decoded, as in the replaced groups.
      ("bf", coded.video_delay > 0 ? "3" : "0"), ("b-pyramid", "none"),
    ]
    if let profile = Self.profiles[coded.profile] { options.append(("profile", profile)) }
    if coded.level > 0 { options.append(("level", "\(Double(coded.level) / 10)")) }
    settings.options = options.map { (key: $0.0, value: $0.1) } + settings.options
    encoder = try VideoEncoder(
      try VideoCodec(encoder: settings.codec), settings: settings, first: first, frameRate: video.frameRate,
      rules: ContainerRules())
  }

  /// x264 gives key frames less than the rate factor, by the ratio of quantisers and by the number of references.
  private static let qualityOffset = 2.0

  /// By libav's numbers; the lowest bits are those of ITU-T H.264, annex A.
  private static let profiles: [Int32: String] = [
    66: "baseline", 578: "baseline", 77: "main", 100: "high", 110: "high10", 122: "high422", 244: "high444",
  ]

  /// Encodes a frame in the place of a packet.
  ///
  /// - Parameters:
  ///   - isFirst: whether it is the first of a group.
  ///   - decodingTicks: of the replaced packet.
  /// - Throws: `VStreamError.library` if the encoder fails.
  package func encode(_ frame: VideoFrame, isFirst: Bool, decodingTicks: Int64) throws(VStreamError) -> [Packet] {
    times.append(decodingTicks)
    return try finished(try encoder.encode(frame, isKey: isFirst))
  }

  /// The remaining packets. Nothing can be encoded after them.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  package func finish() throws(VStreamError) -> [Packet] { try finished(try encoder.finish()) }

  private func finished(_ packets: [Packet]) throws(VStreamError) -> [Packet] {
    times.sort()
    var finished: [Packet] = []
    for packet in packets {
      let formatted = try groups.formatted(packet)
      formatted.av.pointee.stream_index = Int32(stream)
      if times.indices.contains(written) { formatted.av.pointee.dts = min(times[written], formatted.av.pointee.pts) }
      written += 1
      finished.append(formatted)
    }
    return finished
  }
}

extension StreamInfo {
  /// The mean quantiser of a key frame; `nil` where libav does not know it.
  ///
  /// - Throws: `VStreamError` if there is no decoder.
  package func quantiser(of key: Packet) throws(VStreamError) -> Double? {
    let decoder = try VideoDecoder(self, threads: 1, exportsQuantisers: true)
    let frames = try decoder.decode(key).frames + decoder.decode(nil, isCut: true).frames
    let mean = frames.first.map { CVStreamLibAV_meanQuantiser($0.av) } ?? -1
    return mean < 0 ? nil : mean
  }

  /// Why the groups of the video cannot be copied to a format; `nil` if they can.
  package func copyObstacle(for destination: OutputDestination) -> Message? {
    if ClosedGroups(of: self) == nil { return "only groups of H.264 are copied yet, and the video is \(codecName)" }
    if orientation != .upright { return "the video is rotated" }
    if ![AV_FIELD_PROGRESSIVE, AV_FIELD_UNKNOWN].contains(parameters.av.pointee.field_order) {
      return "the video is interlaced"
    }
    if destination.isLive || destination.style == .images { return "the output is no file" }
    if destination.rules.earlierTimes == .impossible {
      return "\(destination.format) stores no decoding times before 0"
    }
    guard let format = av_guess_format(destination.format, nil, nil) else { return nil }
    do throws(VStreamError) {
      try Container.requireHoldsCopy(of: self, format: format)
      return nil
    } catch {
      return error.problem
    }
  }
}
