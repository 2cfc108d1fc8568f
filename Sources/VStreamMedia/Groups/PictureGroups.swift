internal import CVStreamLibAV
package import VStreamCore

/// The groups of pictures of a stream, each of which can be decoded alone, and replaced.
///
/// Groups begin with instantaneous refreshes (IDR) of H.264, pictures of random access (IRAP) of HEVC, headers of groups of MPEG-2,
/// and key frames of VP8, VP9 and AV1; of motion JPEG and ProRes with every picture. Other key frames of H.264 and MPEG-2 belong to
/// the group before them.
package struct PictureGroups: Sendable {
  private let form: Form
  /// Of the input.
  private let header: [UInt8]
  /// The encoder's sets of parameters that the header of the output has, so that packets need none.
  private var storedSets: Set<[UInt8]> = []
  /// FFmpeg's name of the encoder of their codec.
  package let encoderName: String

  private enum Form {
    case units(NALUnits)
    case mpeg2
    case av1
    case jpeg
    /// Each key frame stands alone, and has no user data.
    case keyFrames
  }

  package enum Beginning: Hashable, Sendable {
    case closed
    /// Frames that are presented before its key frame may refer to the group before it.
    case open
  }

  /// - Returns: `nil` for a codec whose groups are not known.
  package init?(of video: StreamInfo) {
    header = video.parameters.extradata
    switch video.codecName {
    case "h264": (form, encoderName) = (.units(NALUnits(isHEVC: false, header: header)), "libx264")
    case "hevc": (form, encoderName) = (.units(NALUnits(isHEVC: true, header: header)), "libx265")
    case "mpeg2video": (form, encoderName) = (.mpeg2, "mpeg2video")
    case "av1": (form, encoderName) = (.av1, "libsvtav1")
    case "mjpeg": (form, encoderName) = (.jpeg, "mjpeg")
    case "vp8": (form, encoderName) = (.keyFrames, "libvpx")
    case "vp9": (form, encoderName) = (.keyFrames, "libvpx-vp9")
    case "prores": (form, encoderName) = (.keyFrames, "prores_ks")
    default: return nil
    }
  }

  /// - Returns: `nil` if no group begins with the packet.
  package func beginning(with packet: Packet) -> Beginning? {
    guard packet.isKey else { return nil }
    switch form {
    case .units(let form):
      let kind = form.units(in: packet.bytes).first(where: form.isSlice).flatMap(form.kind)
      return form.isHEVC ? kind.flatMap(Self.beginning) : kind == 5 ? .closed : nil
    case .mpeg2:
      let units = NALUnits.separated(packet.bytes)
      guard units.contains(where: { $0.first == 0xb3 }), let group = units.first(where: { $0.first == 0xb8 }) else {
        return nil
      }
      // Zeros at its end are not of the unit.
      return (group.dropFirst(4).first ?? 0) & 0x40 != 0 ? .closed : .open
    case .av1: return OpenBitstreamUnit.all(in: packet.bytes).contains { $0.kind == 1 } ? .closed : nil
    case .jpeg, .keyFrames: return .closed
    }
  }

  /// By the type of the slices of a picture of HEVC.
  private static func beginning(_ kind: UInt8) -> Beginning? {
    switch kind {
    case 16...20: .closed
    case 21: .open
    default: nil
    }
  }

  /// Whether a packet has user data, such as captions, telemetry and places. The notes of encoders about themselves do not count.
  package func hasUserData(_ packet: Packet) -> Bool {
    switch form {
    case .units(let form):
      form.messages(in: packet.bytes).contains { type, bytes in
        type == 4 || (type == 5 && !Self.notes.contains { bytes.starts(with: $0) })
      }
    case .mpeg2: NALUnits.separated(packet.bytes).contains { $0.first == 0xb2 }
    case .av1: OpenBitstreamUnit.all(in: packet.bytes).contains { $0.kind == 5 && $0.bytes.first == 4 }
    case .jpeg: JPEGSegments.all(in: packet.bytes).contains { !$0.describesPixels }
    case .keyFrames: false
    }
  }

  /// Whether a packet has an orientation of its own for its picture.
  package func hasOrientation(_ packet: Packet) -> Bool {
    switch form {
    case .units(let form): form.messages(in: packet.bytes).contains { $0.type == 47 }
    case .jpeg: JPEGSegments.all(in: packet.bytes).contains { $0.marker == 0xe1 }
    case .mpeg2, .av1, .keyFrames: false
    }
  }

  /// The identifiers of the texts by which x264 and x265 name themselves and their options.
  private static let notes: [[UInt8]] = [
    [0xdc, 0x45, 0xe9, 0xbd, 0xe6, 0xd9, 0x48, 0xb7, 0x96, 0x2c, 0xd8, 0x20, 0xd9, 0x23, 0xee, 0xef],
    [0x2c, 0xa2, 0xde, 0x09, 0xb5, 0x17, 0x47, 0xdb, 0xbb, 0x55, 0xa4, 0xfe, 0x7f, 0xc2, 0xfc, 0x4e],
  ]

  /// The bytes of a packet's picture, without headers and notes where they are separate.
  func pictureBytes(_ packet: Packet) -> Int {
    guard case .units(let form) = form else { return packet.byteCount }
    return form.units(in: packet.bytes).filter(form.isSlice).reduce(0) { $0 + $1.count }
  }

  /// A number of a packet's picture, the same in all containers, and in one process alone.
  package func fingerprint(of packet: Packet) -> Int {
    var hasher = Hasher()
    switch form {
    case .units(let form):
      for unit in form.units(in: packet.bytes) where form.isSlice(unit) { hasher.combine(Array(unit)) }
    case .av1:
      for unit in OpenBitstreamUnit.all(in: packet.bytes) where [3, 4, 6].contains(unit.kind) {
        hasher.combine(Array(unit.bytes))
      }
    case .mpeg2, .jpeg, .keyFrames: hasher.combine(packet.bytes)
    }
    return hasher.finalize()
  }

  /// Adds the encoder's sets of parameters to the header of a video whose own are there alone, and omits them in packets: some players
  /// replace all sets by those that they find in a packet. Of HEVC, packets have them too.
  ///
  /// - Parameters:
  ///   - first: a frame, as the stream stores it.
  ///   - key: the first packet of a group.
  /// - Returns: the video to be written.
  /// - Throws: `VStreamError.usage` if the encoder rejects the format.
  package mutating func storeSets(
    in video: StreamInfo, _ settings: EncoderSettings, like first: VideoFrame, key: Packet
  ) throws(VStreamError) -> StreamInfo {
    guard case .units(let form) = form, form.lengthSize != nil, !form.units(in: key.bytes).contains(where: form.isSet)
    else { return video }
    let encoded = NALUnits.separated(try GroupEncoder.header(video, encoderName, settings, like: first))
    let sets = units(encoded, form).filter(form.isSet)
    guard let header = form.header(header, adding: sets) else { return video }
    if !form.isHEVC { storedSets = Set(sets) }
    return try video.settingHeader(header)
  }

  /// Units of the encoder with the numbers of its sets.
  private func units(_ units: [ArraySlice<UInt8>], _ form: NALUnits) -> [[UInt8]] {
    form.isHEVC ? units.compactMap(form.renumbered) : units.map { Array($0) }
  }

  /// A packet of an encoder, whose units start codes separate, in the form of the stream's packets.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  func formatted(_ packet: Packet) throws(VStreamError) -> Packet {
    guard case .units(let form) = form else { return packet }
    let units = units(NALUnits.separated(packet.bytes), form)
    return try packet.copy(form.joined(units.filter { !storedSets.contains($0) }))
  }

  /// The first packet of a copied group behind encoded ones.
  ///
  /// Of an open group the packets of frames that are presented before it are omitted, and of HEVC the type of its picture says so.
  /// Of HEVC it has the sets of parameters, as some players know one at a time. All else is as in the input.
  ///
  /// - Parameters:
  ///   - isOpen: whether the group is open.
  ///   - decodingTicks: its decoding time.
  /// - Throws: `VStreamError.library` if memory runs out.
  package func behindSeam(_ packet: Packet, isOpen: Bool, decodingTicks: Int64) throws(VStreamError) -> Packet {
    guard case .units(let form) = form, form.isHEVC else { return try packet.decoded(at: decodingTicks) }
    let units = form.units(in: packet.bytes)
    let sets = units.contains(where: form.isSet) ? [] : form.sets(in: header).map { $0[...] }
    let copy = try packet.copy(form.joined(sets + (isOpen ? units.map(form.afterBrokenLink) : units)))
    copy.av.pointee.dts = decodingTicks
    return copy
  }
}

extension Packet {
  /// The packet with other bytes.
  fileprivate func copy(_ bytes: [UInt8]) throws(VStreamError) -> Packet {
    let copy = try Self.allocate(copying: bytes)
    let owner = Packet(takingOwnershipOf: copy, timeBase: timeBase)
    try requireLibAV(.library, "a packet") { av_packet_copy_props(copy, av) }
    return owner
  }
}

/// A unit of AV1 (AV1 Bitstream & Decoding Process Specification, 5.3).
private struct OpenBitstreamUnit {
  /// 1 for the header of a sequence, 3, 4 and 6 for pictures, 5 for metadata.
  let kind: UInt8
  let bytes: ArraySlice<UInt8>

  static func all(in bytes: [UInt8]) -> [OpenBitstreamUnit] {
    var (units, rest): ([OpenBitstreamUnit], ArraySlice<UInt8>) = ([], bytes[...])
    while let header = rest.popFirst() {
      if header & 4 != 0 { rest = rest.dropFirst() }
      var size = rest.count
      if header & 2 != 0 {
        size = 0
        for shift in stride(from: 0, to: 35, by: 7) {
          guard let byte = rest.popFirst() else { return units }
          size |= Int(byte & 127) << shift
          if byte < 128 { break }
        }
      }
      units.append(OpenBitstreamUnit(kind: header >> 3 & 15, bytes: rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return units
  }
}

/// The segments before the pixels of a JPEG image (ITU-T T.81, annex B).
private struct JPEGSegments {
  let marker: UInt8
  let bytes: ArraySlice<UInt8>

  /// Whether it is none for applications and comments, or one of JFIF, Adobe's, or of libav's name.
  var describesPixels: Bool {
    switch marker {
    case 0xe0, 0xee: true
    case 0xe1...0xef: false
    case 0xfe: bytes.starts(with: "Lavc".utf8)
    default: true
    }
  }

  static func all(in bytes: [UInt8]) -> [JPEGSegments] {
    var (segments, position): ([JPEGSegments], Int) = ([], 2)
    while position + 4 <= bytes.count, bytes[position] == 0xff, bytes[position + 1] != 0xda {
      let size = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
      let end = min(bytes.count, position + 2 + max(2, size))
      segments.append(JPEGSegments(marker: bytes[position + 1], bytes: bytes[position + 4..<end]))
      position = end
    }
    return segments
  }
}

extension StreamInfo {
  /// Why the groups of the video cannot be copied to a format; `nil` if they can.
  package func copyObstacle(for destination: OutputDestination) -> Message? {
    let coded = parameters.av.pointee
    if ![AV_FIELD_PROGRESSIVE, AV_FIELD_UNKNOWN].contains(coded.field_order) { return "the video is interlaced" }
    if hasSeparateAlpha || PixelFormat(AVPixelFormat(coded.format)).hasAlpha { return "the video has an alpha channel" }
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
