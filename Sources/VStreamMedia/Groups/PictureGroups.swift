internal import CVStreamLibAV
package import VStreamCore

/// The groups of pictures of a stream, each of which can be decoded alone, and replaced.
///
/// Groups begin with instantaneous refreshes (IDR) of H.264, pictures of random access (IRAP) of HEVC, headers of groups of MPEG-2,
/// and key frames of VP8, VP9, AV1 and FFV1; of motion JPEG and ProRes with every picture. Other key frames of H.264 and MPEG-2 belong to
/// the group before them.
package struct PictureGroups: Sendable {
  private let form: Form
  /// Of the input.
  private let header: [UInt8]
  /// The encoder's sets of parameters that the header of the output has, so that packets need none.
  private var storedSets: Set<[UInt8]> = []
  /// The number of the encoder's sets of parameters. Those of encoders are usually 0, and of several 0 to 3.
  private(set) var setNumber = 15
  /// The encoder's options that give the input's header, where pictures have no other.
  private(set) var headerOptions: [(key: String, value: String)] = []
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
    header = video.header
    switch video.codecName {
    case "h264": (form, encoderName) = (.units(NALUnits(isHEVC: false, header: header)), "libx264")
    case "hevc": (form, encoderName) = (.units(NALUnits(isHEVC: true, header: header)), "libx265")
    case "mpeg2video": (form, encoderName) = (.mpeg2, "mpeg2video")
    case "av1": (form, encoderName) = (.av1, "libsvtav1")
    case "mjpeg": (form, encoderName) = (.jpeg, "mjpeg")
    case "vp8": (form, encoderName) = (.keyFrames, "libvpx")
    case "vp9": (form, encoderName) = (.keyFrames, "libvpx-vp9")
    case "prores": (form, encoderName) = (.keyFrames, "prores_ks")
    case "ffv1": (form, encoderName) = (.keyFrames, "ffv1")
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
      form.units(in: packet.bytes).contains { !form.isPlain($0) }
        || form.messages(in: packet.bytes).contains { type, bytes in
          !(type == 5 ? Self.notes.contains { bytes.starts(with: $0) } : Self.plainMessages.contains(type))
        }
    case .mpeg2: NALUnits.separated(packet.bytes).contains { $0.first == 0xb2 }
    case .av1: OpenBitstreamUnit.all(in: packet.bytes).contains { !$0.isPlain }
    case .jpeg: JPEGSegment.all(in: packet.bytes).contains { !$0.isPlain }
    case .keyFrames: false
    }
  }

  /// Whether a packet has an orientation of its own for its picture.
  package func hasOrientation(_ packet: Packet) -> Bool {
    switch form {
    case .units(let form): form.messages(in: packet.bytes).contains { $0.type == 47 }
    case .jpeg: JPEGSegment.all(in: packet.bytes).contains { $0.marker == 0xe1 && $0.bytes.starts(with: "Exif".utf8) }
    case .mpeg2, .av1, .keyFrames: false
    }
  }

  /// Messages of timing, recovery, display, light, colour and checksums (ITU-T H.264, D.1; H.265, D.2).
  private static let plainMessages: Set = [0, 1, 6, 45, 47, 128, 129, 130, 132, 137, 144, 147, 148]

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
      for unit in form.units(in: packet.bytes) where form.isSlice(unit) {
        hasher.combine(Array(NALUnits.trimmed(unit)))
      }
    case .av1:
      for unit in OpenBitstreamUnit.all(in: packet.bytes) where [3, 4, 6].contains(unit.kind) {
        hasher.combine(Array(unit.bytes))
      }
    case .mpeg2, .jpeg, .keyFrames: hasher.combine(packet.bytes)
    }
    return hasher.finalize()
  }

  /// Adds the encoder's sets of parameters to the header of a video whose own are there alone, and omits them in packets: some players
  /// forget all sets but the ones in the latest packet. Of HEVC, packets have them too.
  ///
  /// - Parameters:
  ///   - first: a frame, as the stream stores it.
  ///   - key: the first packet of a group.
  ///   - omitsUserData: whether user data in the header is omitted.
  /// - Returns: the video to be written; `nil` if the encoder's pictures cannot have its header.
  /// - Throws: `VStreamError.usage` if the encoder rejects the format.
  package mutating func storeSets(
    in video: StreamInfo, _ settings: EncoderSettings, like first: VideoFrame, key: Packet, omitsUserData: Bool
  ) throws(VStreamError) -> StreamInfo? {
    guard case .units(let form) = form else {
      if encoderName == "ffv1" {
        let options = try GroupEncoder.options(for: video, self, settings, givingHeader: header, like: first)
        guard let options else { return nil }
        headerOptions = options
      }
      return omitsUserData ? try video.settingHeader(plainHeader) : video
    }
    let inBand = form.units(in: key.bytes)
    let own = form.lengthSize == nil ? NALUnits.separated(header).map { Array($0) } : form.sets(in: header)
    let used = form.setNumbers(in: own + inBand.map { Array($0) })
    guard let free = (form.isHEVC ? [15] : [15] + (4..<32).reversed()).first(where: { !used.contains($0) }) else {
      return nil
    }
    setNumber = free
    let encoded = NALUnits.separated(try GroupEncoder.header(video, self, settings, like: first))
    let sets = try units(encoded, form).filter(form.isSet)
    let isAlone = form.lengthSize != nil && !inBand.contains(where: form.isSet)
    if isAlone, let header = form.header(header, adding: sets, omitsMessages: omitsUserData) {
      if !form.isHEVC { storedSets = Set(sets) }
      return try video.settingHeader(header)
    }
    return omitsUserData ? try video.settingHeader(plainHeader) : video
  }

  /// The header without user data.
  private var plainHeader: [UInt8] {
    switch form {
    case .units(let form):
      if form.lengthSize != nil { return form.header(header, adding: [], omitsMessages: true) ?? header }
      return form.joined(NALUnits.separated(header).filter(form.isSet))
    case .mpeg2:
      let userData = header.indices.first { header[$0...].starts(with: [0, 0, 1, 0xb2]) }
      return Array(header.prefix(userData ?? header.count))
    case .av1:
      // Behind four bytes, the units.
      let units = OpenBitstreamUnit.all(in: Array(header.dropFirst(4)))
      return units.allSatisfy(\.isPlain) ? header : Array(header.prefix(4))
    case .jpeg, .keyFrames: return header
    }
  }

  /// Units of the encoder with the numbers of its sets.
  ///
  /// - Throws: `VStreamError.usage` if it makes them in a form that is not known, by options of the user.
  private func units(_ units: [ArraySlice<UInt8>], _ form: NALUnits) throws(VStreamError) -> [[UInt8]] {
    guard form.isHEVC else { return units.map { Array($0) } }
    var renumbered: [[UInt8]] = []
    for unit in units {
      if let unit = form.renumbered(unit) {
        renumbered.append(unit)
      } else if form.isSet(unit) || form.isSlice(unit) {
        throw VStreamError(
          .usage, "\(encoderName) makes pictures that cannot stand beside the input's (\(.encode, "changed"))",
          setting: .encode, remedy: "omit options of the encoder, such as layers")
      }
    }
    return renumbered
  }

  /// A packet of an encoder, whose units start codes separate, in the form of the stream's packets.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  func formatted(_ packet: Packet) throws(VStreamError) -> Packet {
    guard case .units(let form) = form else { return packet }
    let units = try units(NALUnits.separated(packet.bytes), form)
    return try packet.withBytes(form.joined(units.filter { !storedSets.contains($0) }))
  }

  /// The first packet of a copied group behind encoded ones.
  ///
  /// Of an open group the packets of frames that are presented before it are omitted, and of HEVC the type of its picture says so.
  /// Of HEVC it has the sets of parameters, as some players know one at a time. All else is as in the input.
  ///
  /// - Parameters:
  ///   - isOpen: whether the group is open.
  ///   - decodingTicks: its decoding time; `nil` if it has none.
  /// - Throws: `VStreamError.library` if memory runs out.
  package func behindSeam(_ packet: Packet, isOpen: Bool, decodingTicks: Int64?) throws(VStreamError) -> Packet {
    let packet = try decodingTicks.map(packet.decoded) ?? packet
    guard case .units(let form) = form, form.isHEVC else { return packet }
    let units = form.units(in: packet.bytes)
    let sets = units.contains(where: form.isSet) ? [] : form.sets(in: header).map { $0[...] }
    return try packet.withBytes(form.joined(sets + (isOpen ? units.map(form.afterBrokenLink) : units)))
  }
}

extension Packet {
  /// The packet with other bytes.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  package func withBytes(_ bytes: [UInt8]) throws(VStreamError) -> Packet {
    let copy = try Self.allocate(copying: bytes)
    let owner = Packet(takingOwnershipOf: copy, timeBase: timeBase)
    try requireLibAV(.library, "a packet") { av_packet_copy_props(copy, av) }
    return owner
  }
}

extension StreamInfo {
  /// Why the groups of the video cannot be copied to a format; `nil` if they can.
  package func copyObstacle(for destination: OutputDestination) -> Message? {
    let coded = parameters.av.pointee
    if ![AV_FIELD_PROGRESSIVE, AV_FIELD_UNKNOWN].contains(coded.field_order) { return "the video is interlaced" }
    let format = PixelFormat(AVPixelFormat(coded.format))
    if hasSeparateAlpha || format.hasAlpha { return "the video has an alpha channel" }
    if let reason = encoderObstacle(format) { return reason }
    if destination.isLive || destination.style == .images { return "the output is no file" }
    if destination.rules.earlierTimes == .impossible {
      return "\(destination.format) stores no decoding times before 0"
    }
    if destination.format == "avi", coded.video_delay > 0 { return "avi stores no presentation times" }
    guard let format = av_guess_format(destination.format, nil, nil) else { return nil }
    do throws(VStreamError) {
      try Container.requireHoldsCopy(of: self, format: format)
      return nil
    } catch {
      return error.problem
    }
  }

  /// Why this FFmpeg's encoder of the codec makes no video of a format; `nil` if it does.
  private func encoderObstacle(_ format: PixelFormat) -> Message? {
    guard parameters.av.pointee.format >= 0, let name = PictureGroups(of: self)?.encoderName else { return nil }
    // Encoders of motion JPEG refuse the limited range.
    let isLimited = codecName == "mjpeg" && !format.description.hasPrefix("yuvj")
    do throws(VStreamError) {
      let codec = try VideoCodec(encoder: name)
      return !isLimited && codec.pixelFormats.contains(format) ? nil : "\(name) does not support \(format)"
    } catch {
      return error.problem
    }
  }
}
